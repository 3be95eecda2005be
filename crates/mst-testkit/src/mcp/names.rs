//! Tool names that providers refuse, and names that are equal once cleaned.

use serde_json::Value;

use super::tools::one_string;

/// The tools of the first server.
pub(super) fn tools() -> Vec<Value> {
    let long = "x".repeat(70);
    ["search", "docs.search", "docs/search", "docs_search", "検索", &long].map(named).to_vec()
}

/// The tool of a second server, whose name the first one has too.
pub(super) fn other_tools() -> Vec<Value> {
    vec![named("search")]
}

fn named(name: &str) -> Value {
    one_string(name, &format!("Searches, as {name}."), "query")
}
