//! The eval's history: what runs leave in `history.json`, and what `mst history` prints of it.

use serde_json::{Value, json};

use crate::eval::Eval;

/// Reads `history.json`.
fn history(eval: &Eval) -> Value {
    let text = fs_err::read_to_string(eval.env.path("out").join("history.json")).expect("a run leaves its history");
    serde_json::from_str(&text).expect("history.json holds JSON")
}

#[test]
fn every_run_and_regrade_has_a_row_newest_first() {
    let eval = Eval::passing();
    let full = eval.run(0).id();
    eval.run_with(&["--max-cases", "1"]).expect_code(0);
    let partial = eval.newest().id();
    eval.mst(&["grade", &full, "--config", "eval.json", "--output-dir", "out"]).expect_code(0);
    let rows = history(&eval)["rows"].clone();
    let ids: Vec<&Value> = rows.as_array().expect("rows").iter().map(|row| &row["runId"]).collect();
    let regrade = format!("{full}.g2");
    assert_eq!(ids, [&json!(partial), &json!(regrade), &json!(full)]);
    assert_eq!((&rows[0]["partial"], &rows[0]["era"]), (&json!(true), &Value::Null));
    assert_eq!((&rows[1]["era"], &rows[1]["supersededBy"]), (&json!(1), &Value::Null));
    assert_eq!((&rows[2]["era"], &rows[2]["supersededBy"]), (&Value::Null, &json!(regrade)));
    let measures = &rows[1]["variants"]["default"];
    assert_eq!((&measures["cases"], &measures["measures"]["passRate"]), (&json!({ "bin": [1, 1] }), &json!(1.0)));
}
