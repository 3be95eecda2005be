//! How a partial run was narrowed, in words.

use mst_cli::plural;
use mst_model::{CaseId, Selection, VariantName};

/// How many names a list shows.
const NAMES: usize = 5;

/// Returns what flags narrowed a run to: `cases a, b; 2 trials`.
pub(crate) fn words(selection: &Selection) -> String {
    let named = |what: &str, names: Vec<&str>| {
        let rest = if names.len() > NAMES { format!(" and {} more", names.len() - NAMES) } else { String::new() };
        format!("{what} {}{rest}", names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", "))
    };
    let texts = |names: &[String]| named("tags", names.iter().map(String::as_str).collect());
    let parts = [
        selection.variants.as_ref().map(|names| named("variants", names.iter().map(VariantName::as_str).collect())),
        selection.cases.as_ref().map(|names| named("cases", names.iter().map(CaseId::as_str).collect())),
        selection.filter_tags.as_deref().map(texts),
        selection.max_cases.map(|most| format!("at most {} of each dataset", plural(most as usize, "case"))),
        selection.trials.map(|trials| format!("{} a case", plural(trials as usize, "trial"))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Returns whether a selection leaves cases of the datasets out.
pub(crate) fn leaves_cases_out(selection: &Selection) -> bool {
    selection.cases.is_some() || selection.filter_tags.is_some() || selection.max_cases.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_selection_is_told_by_what_it_keeps() {
        for (selection, want, fewer) in [
            (json!({ "cases": ["a", "b"] }), "cases a, b", true),
            (json!({ "cases": ["a", "b", "c", "d", "e", "f"] }), "cases a, b, c, d, e and 1 more", true),
            (json!({ "filterTags": ["x"], "trials": 1 }), "tags x; 1 trial a case", true),
            (json!({ "maxCases": 3 }), "at most 3 cases of each dataset", true),
            (json!({ "variants": ["v"], "trials": 2 }), "variants v; 2 trials a case", false),
            (json!({}), "", false),
        ] {
            let selection: Selection = serde_json::from_value(selection).expect("a selection");
            assert_eq!((words(&selection).as_str(), leaves_cases_out(&selection)), (want, fewer));
        }
    }
}
