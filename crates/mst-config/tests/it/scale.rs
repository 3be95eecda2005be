//! Many cases load fast: nothing here may take time that grows faster than the dataset.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::catalog::{Eval, config};

#[test]
fn twenty_thousand_cases_load_without_a_wait() {
    let cases: Vec<_> = (0..20_000)
        .map(|at| {
            json!({ "id": format!("Case-{at}"), "input": format!("Which bin is part p-{at} in?"), "tags": ["bins"],
                "assertions": { "containsText": "bin", "toolsTriggered": { "calls": [{ "name": "lookup" }] } } })
        })
        .collect();
    let eval = Eval::new(&config(&json!({ "variants": [{ "name": "a" }, { "name": "b" }] })));
    eval.write("parts.json", json!({ "name": "parts", "cases": cases }).to_string());
    let start = Instant::now();
    assert_eq!(eval.plan().variants[1].batches[0].cases.len(), 20_000);
    // An unoptimised build on a busy machine; a step that is quadratic takes minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}
