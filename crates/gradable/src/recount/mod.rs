//! A report computed again from its own parts: where what it says is not what its data gives.

mod difference;
mod harness;
mod judge;
mod numbers;
mod parts;
mod surface;

use std::collections::HashMap;

use mst_measure::rubric::{RubricFault, ScoreInput, rubric_score};
use mst_model::{RubricScore, ScanReport};

pub(crate) use difference::{Difference, Differences};
pub(crate) use surface::{Drift, against, drift};

/// A report computed again.
#[derive(Clone, Debug)]
pub(crate) struct Recount {
    /// The score that the report's data gives.
    pub(crate) score: RubricScore,
    /// Where the report says otherwise, in its own order.
    pub(crate) differences: Vec<Difference>,
}

/// Computes a report again: every metric, category, total and grade, and whether its parts fit one another.
///
/// # Errors
/// Nothing can be computed: no result, or tokens that are no count.
pub(crate) fn recount(report: &ScanReport) -> Result<Recount, RubricFault> {
    let score = rubric_score(&input(report))?;
    let tools: HashMap<&str, bool> = report.tools.iter().map(|tool| (tool.name.as_str(), tool.destructive)).collect();
    let mut found = Differences::default();
    parts::target(report, &mut found);
    judge::block(&report.judge, &mut found);
    parts::tools(report, &mut found);
    parts::pairs(report, &tools, &mut found);
    parts::tasks(report, &tools, &mut found);
    harness::passes(report, &tools, &mut found)?;
    numbers::economics(report, &mut found);
    numbers::score(&report.score, &score, &mut found);
    numbers::interval(report, &mut found)?;
    Ok(Recount { score, differences: found.into_list() })
}

/// Returns what a report's score is made of.
pub(crate) fn input(report: &ScanReport) -> ScoreInput<'_> {
    ScoreInput {
        baseline: &report.harness.baseline.results,
        tools: &report.tools,
        confusable_pairs: &report.confusable_pairs,
        definition_tokens: report.economics.definition_tokens,
        avg_response_tokens: report.economics.avg_response_tokens,
    }
}
