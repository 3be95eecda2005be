//! Datasets: where they are found, how they merge, and the field cases about their ids and texts.

use serde_json::{Value, json};

use crate::catalog::{Eval, config};

fn case(id: &str) -> Value {
    json!({ "id": id, "input": "x" })
}

fn with_cases(cases: &Value) -> Eval {
    let eval = Eval::new(&config(&json!({})));
    eval.write("parts.json", json!({ "name": "parts", "cases": cases }).to_string());
    eval
}

#[test]
fn a_path_is_looked_up_beside_the_config_and_then_below_the_root() {
    let eval = Eval::new(&config(&json!({})));
    eval.write("evals/eval.json", config(&json!({ "datasets": ["parts.json", "sets/own.json"] })).to_string());
    eval.write("evals/sets/own.json", json!({ "name": "beside", "cases": [case("own")] }).to_string());
    eval.write("sets/own.json", json!({ "name": "below", "cases": [case("own")] }).to_string());
    let loaded = mst_config::load(&eval.request("evals/eval.json")).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = loaded.plan.datasets.iter().map(|dataset| dataset.record.name.as_str()).collect();
    assert_eq!(names, ["parts", "beside"]);
}

#[test]
fn a_missing_path_is_named_beside_the_config() {
    let eval = Eval::new(&config(&json!({ "datasets": ["sets/none.json"] })));
    insta::assert_snapshot!(eval.errors(), @r#"eval.json:1:34: there is no dataset sets/none.json"#);
}

#[test]
fn a_directory_is_one_dataset_in_name_order() {
    let eval = Eval::new(&config(&json!({ "datasets": [{ "type": "dir", "path": "sets", "recursive": true }] })));
    for (path, id) in [("sets/b.json", "2"), ("sets/a.json", "1"), ("sets/sub/c.json", "3"), ("sets/notes.txt", "4")] {
        eval.write(path, json!({ "name": path, "cases": [case(id)] }).to_string());
    }
    let plan = eval.plan();
    let ids: Vec<String> = plan.datasets[0].cases.iter().map(|case| case.id.to_string()).collect();
    assert_eq!(plan.datasets[0].record.name, "sets");
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(plan.datasets[0].record.source_type.as_deref(), Some("dir"));
}

#[test]
fn fc25_ids_that_share_a_folder_are_refused() {
    let eval = with_cases(&json!([case("Search"), case("search"), case("\u{e9}"), case("e\u{301}"), case("same")]));
    eval.write("more.json", json!({ "name": "more", "cases": [case("same")] }).to_string());
    eval.write("eval.json", config(&json!({ "datasets": ["parts.json", "more.json"] })).to_string());
    // The two look alike; the expected text shows one by name.
    let errors = eval.errors().replace("e\u{301}", "<e and U+0301>");
    insta::assert_snapshot!(errors, @r#"
    parts.json:1:26: nothing grades "Search", "search", "é", "e\u{301}", "same", 1 more: a trial passes whenever the client has no error; give each case "assertions" or "judges"
    parts.json:1:60: the case ids "Search" in "parts" and "search" in "parts" differ only by letter case; some file systems would keep their files in one folder
    parts.json:1:111: the case ids "é" (\u00e9) in "parts" and "<e and U+0301>" (e\u0301) in "parts" differ only by Unicode normalization; some file systems would keep their files in one folder
    more.json:1:31: the case id "same" stands in the datasets "parts" and "more"; case ids are unique in a run
    "#);
}

#[test]
fn fc25_other_ids_stay_as_they_are() {
    let long = "\u{691c}".repeat(100);
    let ids = ["docs/10.1038/x", "PMID:4030", "a b%2Fc", "a b/c", &long, "CON", ".."];
    let eval = with_cases(&json!(ids.map(case)));
    let plan = eval.plan();
    let got: Vec<&str> = plan.variants[0].batches[0].cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(got, ids);
}

#[test]
fn fc27_text_is_kept_and_a_byte_order_mark_is_not() {
    let eval = with_cases(&json!([]));
    let text =
        "\u{feff}{\"name\":\"parts\",\r\n\"cases\":[{\"id\":\"bin\",\r\n\"input\":\"line 1\\r\\nline 2 \"}]}\r\n";
    eval.write("parts.json", text);
    let plan = eval.plan();
    assert_eq!(plan.variants[0].prompt(&plan.datasets[0].cases.get(0).input), "line 1\r\nline 2 ");
}

#[test]
fn fc27_the_third_of_200_is_blank() {
    let cases: Vec<Value> = (0..200)
        .map(|at| json!({ "id": format!("n{at:03}"), "input": if at == 2 { "  " } else { "question" } }))
        .collect();
    insta::assert_snapshot!(with_cases(&json!(cases)).errors(), @r#"parts.json:1:113: case "n002": "input" is blank"#);
}

#[test]
fn fc27_every_mistake_is_told_at_once_with_its_case() {
    let eval = with_cases(&json!([
        { "id": "case-d", "input": "x", "assertion": {} },
        { "id": "case-e", "input": "x", "assertions": { "toolsTriggered": { "calls": [{ "tool": "lookup" }] } } },
        { "id": "case-f", "input": "\u{feff}" },
    ]));
    eval.write("eval.json", config(&json!({ "modle": "x" })).to_string());
    insta::assert_snapshot!(eval.errors(), @r#"
    eval.json:1:149: unknown key "modle"; did you mean "model"?
    parts.json:1:53: case "case-d": unknown key "assertion"; did you mean "assertions"?
    parts.json:1:138: case "case-e": unknown key "tool": it is now "name"; did you mean "name"?
    parts.json:1:182: case "case-f": "input" is blank
    "#);
}

#[test]
fn a_server_that_no_variant_has_is_told() {
    let calls =
        json!([{ "name": "docs.search" }, { "name": "own", "server": "docs" }, { "name": "x", "server": "dosc" }]);
    let eval =
        with_cases(&json!([{ "id": "n", "input": "x", "assertions": { "toolsTriggered": { "calls": calls } } }]));
    let server = json!({ "transport": "stdio", "command": "x" });
    eval.write("eval.json", config(&json!({ "servers": { "docs": server, "wiki": server } })).to_string());
    insta::assert_snapshot!(eval.warnings(), @r#"parts.json:1:143: no variant has a server "dosc", so no call can match; did you mean "docs"?"#);
}

#[test]
fn fc28_patterns_are_compiled_at_load() {
    let call = |arguments: Value| json!({ "toolsTriggered": { "calls": [{ "name": "a", "arguments": arguments }] } });
    let good =
        json!({ "a": [{ "$pattern": "(?<=p-)\\d", "$flags": "dgimsu" }], "b": { "$pattern": "^x$" }, "n": 10.0 });
    let bad = json!({ "a": [{ "$pattern": "(" }], "b": { "c": { "$pattern": "x", "$flags": "my" } } });
    let eval = with_cases(&json!([
        { "id": "good", "input": "x", "assertions": call(good) },
        { "id": "bad", "input": "x", "assertions": call(bad) },
    ]));
    insta::assert_snapshot!(eval.errors(), @r#"
    parts.json:1:312: case "bad": the pattern is invalid: Unbalanced parenthesis
    parts.json:1:352: case "bad": the flag "y" is not one of i, m, s, u, v, d, g
    "#);
}

#[test]
fn fc36_a_misspelt_key_is_named_with_the_nearest() {
    insta::assert_snapshot!(Eval::new(&config(&json!({ "modle": "x" }))).errors(), @r#"eval.json:1:149: unknown key "modle"; did you mean "model"?"#);
}

#[test]
fn a_settings_file_is_checked_up_to_the_repository() {
    let eval = Eval::new(&config(&json!({})));
    eval.write("repo/.git/HEAD", "");
    eval.write("mst.config.json", "{ not read");
    eval.write("repo/mst.config.json", json!({ "settings": { "acme": { "a": 1 } } }).to_string());
    eval.write("repo/evals/eval.json", config(&json!({})).to_string());
    mst_config::load(&eval.request("repo/evals/eval.json")).unwrap_or_else(|error| panic!("{error}"));
    eval.write("repo/mst.config.json", json!({ "setings": {}, "settings": { "acme": 1 } }).to_string());
    let error = mst_config::load(&eval.request("repo/evals/eval.json")).expect_err("a refusal");
    let codes: Vec<&str> = error.errors().map(|error| error.code.as_str()).collect();
    assert_eq!(codes, ["unknown-key", "wrong-type"]);
}
