//! What a score lost its points by, in words.

use mst_cli::{grouped, plural};
use mst_model::{ScanReport, TokenSource};

/// The least loss that is told, in points.
const LEAST: f64 = 0.05;

/// A reason with the points that it cost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reason {
    /// Points of the 100.
    pub(crate) lost: f64,
    /// What happened, as a phrase.
    pub(crate) what: String,
}

/// Returns what cost points, the dearest first.
///
/// The points of a reason are what its term would add at its best, so that all of them together are what is missing to 100.
pub(crate) fn reasons(report: &ScanReport) -> Vec<Reason> {
    let metrics = &report.harness.baseline.metrics;
    let categories = &report.score.categories;
    let input = |category: &mst_model::CategoryScore, name: &str| category.inputs.get(name).copied().unwrap_or(1.0);
    let missing = |name: &str| 1.0 - input(&categories.legibility, name);
    let has_responses = categories.economics.inputs.contains_key("responseEfficiency");
    let (definitions, tasks) = if has_responses { (10.0, 6.0) } else { (12.0, 8.0) };
    let results = &report.harness.baseline.results;
    let unconfirmed = results.iter().filter(|one| one.destructive_candidate && !one.confirmed).count();
    let wrong = results.iter().filter(|one| !one.correct).count();
    let well = results.iter().filter(|one| one.correct && one.well_formed).count();
    let defects: usize = report.tools.iter().map(|tool| tool.defects.len()).sum();
    let defective = report.tools.iter().filter(|tool| !tool.defects.is_empty()).count();
    let total = metrics.tasks;
    let candidates = metrics.destructive_candidates;
    let economics = |name: &str| 1.0 - input(&categories.economics, name);
    let is_estimated = report.economics.definition_tokens_source == TokenSource::Estimated;
    let about = if is_estimated { "about " } else { "" };
    let whole = |tokens: f64| grouped(tokens.round() as u64);
    let mut all = vec![
        (
            30.0 * (1.0 - metrics.destructive_safety_rate),
            format!("{unconfirmed} of {candidates} destructive calls were not confirmed first"),
        ),
        (
            26.0 * (1.0 - metrics.selection_accuracy),
            format!("{wrong} of {total} tasks had another tool chosen than the one that fits"),
        ),
        (
            12.0 * (1.0 - metrics.first_call_success),
            format!("{} of {total} tasks had no right and well-formed first call", total - well as u64),
        ),
        (
            7.5 * missing("descriptionQuality"),
            format!(
                "{} in the descriptions of {defective} of {}",
                plural(defects, "defect"),
                plural(report.tools.len(), "tool")
            ),
        ),
        (
            4.5 * missing("disambiguationQuality"),
            match report.confusable_pairs.len() {
                1 => "1 pair of tools is easily mistaken".to_owned(),
                pairs => format!("{pairs} pairs of tools are easily mistaken"),
            },
        ),
        (
            definitions * economics("definitionEfficiency"),
            format!("the definitions take {about}{} tokens", whole(report.economics.definition_tokens)),
        ),
        (
            tasks * economics("taskEfficiency"),
            format!("a task takes {about}{} tokens", whole(report.economics.avg_tokens_per_task)),
        ),
    ];
    if has_responses {
        let tokens = report.economics.avg_response_tokens.unwrap_or_default();
        all.push((4.0 * economics("responseEfficiency"), format!("an answer takes about {} tokens", whole(tokens))));
    }
    let mut told: Vec<Reason> =
        all.into_iter().filter(|(lost, _)| *lost >= LEAST).map(|(lost, what)| Reason { lost, what }).collect();
    told.sort_by(|one, other| other.lost.total_cmp(&one.lost));
    told
}
