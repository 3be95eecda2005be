//! Two sides, compared.

use std::sync::Arc;

use indexmap::IndexMap;
use mst_grading::judge::Cancelled;
use mst_grading::pairwise::{ComparePairwise, ComparedTrial, PairwiseSide, compare_pairwise};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fake::{Fake, bind, observed};

/// Makes a side of case ids; one with a `!` has an error.
fn side(name: &str, cases: &str) -> PairwiseSide {
    let one = |id: &str| match id.strip_suffix('!') {
        Some(id) => (id.into(), None),
        None => (id.into(), Some(ComparedTrial { number: 0, trial: observed(name) })),
    };
    PairwiseSide { name: name.into(), trials: cases.split_whitespace().map(one).collect() }
}

#[tokio::test]
async fn fc24_cases_are_matched_by_id_and_the_summary_says_what_its_rates_are_of() {
    let fake = Arc::new(Fake::default());
    let judge = bind(
        &fake,
        json!({
            "1": { "forward": ["A"], "swapped": ["A"] },
            "2": { "forward": ["A"], "swapped": ["B"] },
            "3": { "forward": ["tie"], "swapped": ["A"] },
            "4": { "forward": ["B"], "swapped": [{ "fault": "500" }] },
        }),
    );
    let (baseline, candidate) = (side("base", "old 1 2 5 3 6! 4"), side("next", "4 3 2 1 5! 6 new"));
    let request = ComparePairwise {
        baseline: &baseline,
        candidate: &candidate,
        cases: &IndexMap::new(),
        judges: &[judge],
        concurrency: 4,
    };
    let mut found = compare_pairwise(request, &CancellationToken::new()).await.unwrap();
    for preference in found.cases.iter_mut().flat_map(|case| &mut case.preferences) {
        assert!(preference.judge_identity.take().is_some());
    }
    insta::assert_json_snapshot!(found);

    let stopped = CancellationToken::new();
    stopped.cancel();
    assert_eq!(compare_pairwise(request, &stopped).await, Err(Cancelled));
}
