//! The judges' table: what each said over all trials, and how far it can be trusted.

use mst_measure::{JudgeRow, VerdictCounts, is_same_family};

use super::comparison::Standing;
use super::report::RunReport;
use crate::text::measured::average;
use crate::text::number::{grouped, percent};
use crate::text::{Line, Shown};

/// A judge, or one of its criteria, in a variant.
pub(super) struct JudgeView {
    pub(super) name: Shown,
    pub(super) variant: Shown,
    pub(super) rate: Option<String>,
    pub(super) counts: String,
    pub(super) unknown: usize,
    pub(super) errors: usize,
    pub(super) skipped: usize,
    pub(super) score: Option<String>,
    pub(super) models: Vec<Shown>,
    pub(super) same_family: bool,
    pub(super) unsteady: usize,
    pub(super) members: Vec<Line>,
    pub(super) alpha: Option<String>,
    pub(super) identity: Line,
}

/// A pairwise judge in a variant.
pub(super) struct PairwiseView {
    pub(super) judge: Shown,
    pub(super) variant: Shown,
    pub(super) wins: usize,
    pub(super) ties: usize,
    pub(super) losses: usize,
    pub(super) rate: Option<String>,
    pub(super) range: Option<String>,
    pub(super) consistency: Option<String>,
    pub(super) aside: Option<String>,
    /// Its dimensions, each with the candidate's win rate.
    pub(super) dimensions: Vec<Line>,
}

/// Returns a row a variant and judge, those of one judge together.
pub(super) fn judges(report: &RunReport<'_>, standings: &[Standing<'_>]) -> Vec<JudgeView> {
    let mut rows: Vec<(String, JudgeView)> = Vec::new();
    for standing in standings {
        for row in standing.tally.judges.rows() {
            let view = view(report, standing, &row);
            let after = rows.iter().rposition(|(name, _)| *name == row.name);
            rows.insert(after.map_or(rows.len(), |at| at + 1), (row.name, view));
        }
    }
    rows.into_iter().map(|(_, view)| view).collect()
}

fn view(report: &RunReport<'_>, standing: &Standing<'_>, row: &JudgeRow) -> JudgeView {
    let client = standing.record.and_then(|record| record.model.as_deref());
    JudgeView {
        name: Shown::line(&row.name),
        variant: Shown::line(standing.tally.name.as_str()),
        rate: row.counts.pass_rate().map(percent),
        counts: counts(row.counts),
        unknown: row.counts.unknown,
        errors: row.counts.errors,
        skipped: row.counts.skipped,
        score: row.mean_score.map(|score| format!("{score:.2}")),
        models: row.models.iter().map(|model| Shown::line(model)).collect(),
        same_family: client.is_some_and(|client| row.models.iter().any(|model| is_same_family(client, model))),
        unsteady: row.high_variance,
        members: row
            .members
            .iter()
            .map(|member| {
                let model = member.model.as_deref().unwrap_or("a member");
                Line::of_code(model).words(format!(": {}", counts(member.counts)))
            })
            .collect(),
        alpha: row.agreement.map(|alpha| format!("{alpha:.2}")),
        identity: identity(report, row),
    }
}

fn counts(counts: VerdictCounts) -> String {
    format!("{} yes, {} no", grouped(&counts.passed.to_string()), grouped(&counts.failed.to_string()))
}

fn identity(report: &RunReport<'_>, row: &JudgeRow) -> Line {
    let short = |identity: &str| identity.chars().take(8).collect::<String>();
    let recorded = report.record.judges.iter().find(|judge| row.identities.contains(&judge.identity));
    let version = recorded.and_then(|judge| judge.version.as_deref());
    let mut line = match row.identities.as_slice() {
        [] => Line::new("not recorded"),
        [only] => Line::of_code(&short(only)),
        [first, rest @ ..] => {
            Line::of_code(&short(first)).words(format!(" and {} more: cases set it differently", rest.len()))
        }
    };
    if let Some(version) = version {
        line = line.words(", version ").code(version);
    }
    if row.is_unversioned { line.words(", no version: a change of its code does not show") } else { line }
}

/// Returns a row a variant and pairwise judge.
pub(super) fn pairwise(standings: &[Standing<'_>]) -> Vec<PairwiseView> {
    let mut rows = Vec::new();
    for standing in standings {
        for one in standing.pairwise() {
            let aside = [(one.skipped, "skipped"), (one.errors, "without an answer")];
            let aside: Vec<String> =
                aside.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
            let dimension = |(name, dimension): (&String, &mst_model::DimensionSummary)| {
                let rate = dimension.candidate_win_rate?;
                Some(Line::of_code(name).words(format!(" {}", percent(rate))))
            };
            rows.push(PairwiseView {
                judge: Shown::line(&one.judge),
                variant: Shown::line(standing.tally.name.as_str()),
                wins: one.candidate_wins,
                ties: one.ties,
                losses: one.baseline_wins,
                rate: one.candidate_win_rate.map(percent),
                range: one
                    .candidate_win_rate_ci
                    .map(|range| crate::text::measured::share_range(range.lower, range.upper)),
                consistency: one.consistency.map(percent),
                aside: (!aside.is_empty()).then(|| aside.join(", ")),
                dimensions: one.dimensions.iter().filter_map(dimension).collect(),
            });
        }
    }
    rows
}

/// Returns a count of something per trial.
pub(super) fn per_trial(value: Option<f64>) -> Option<String> {
    value.map(average)
}
