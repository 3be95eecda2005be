//! The variants side by side: each one's numbers, and what they say of it against the baseline.

use mst_measure::compare::SideCase;
use mst_measure::stats::{
    Assessment, HeadlineRate, PairedCase, PairedChange, Passes, TaggedCase, VariantAssessment, headline_rate, quantile,
};
use mst_model::{PairwiseSummary, VariantRecord, VariantSummary};
use serde_json::Value;

use super::outcome::{CaseState, Flip, Outcome};
use super::report::RunReport;
use super::tally::VariantTally;

/// One variant's numbers.
pub(super) struct Standing<'a> {
    pub(super) tally: &'a VariantTally,
    pub(super) record: Option<&'a VariantRecord>,
    pub(super) summary: Option<&'a VariantSummary>,
    pub(super) is_baseline: bool,
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) incomplete: usize,
    /// Complete cases that passed some trials and failed others.
    pub(super) flaky: usize,
    pub(super) headline: Option<HeadlineRate>,
    /// Against the baseline; absent of the baseline, and where the two are not to be compared.
    pub(super) against: Option<Against>,
    /// Why the two are not to be compared.
    pub(super) not_compared: Option<&'static str>,
    /// Half of the trials took at most this, in milliseconds.
    pub(super) median_ms: Option<f64>,
    /// 95 of 100 trials took at most this.
    pub(super) p95_ms: Option<f64>,
}

/// A variant against the baseline.
pub(super) struct Against {
    pub(super) assessed: VariantAssessment,
    pub(super) regressed: usize,
    pub(super) improved: usize,
}

impl Against {
    /// Returns the change of the headline cases.
    pub(super) fn change(&self) -> Option<&PairedChange> {
        self.assessed.capability.as_ref().or(self.assessed.regression.as_ref())
    }

    /// Returns how many regression cases broke.
    pub(super) fn broken(&self) -> usize {
        self.assessed.regression_cases.iter().filter(|case| case.broken).count()
    }

    pub(super) fn assessment(&self) -> Assessment {
        self.assessed.assessment
    }
}

impl Standing<'_> {
    /// Returns a metric of the summary.
    pub(super) fn metric(&self, key: &str) -> Option<f64> {
        self.summary?.metrics.get(key).and_then(Value::as_f64)
    }

    /// Returns the share of complete cases that passed.
    pub(super) fn case_rate(&self) -> Option<f64> {
        let complete = self.passed + self.failed;
        (complete > 0).then(|| self.passed as f64 / complete as f64)
    }

    /// Returns what pairwise judges' preferences come to.
    pub(super) fn pairwise(&self) -> &[PairwiseSummary] {
        self.summary.and_then(|summary| summary.pairwise.as_ref()).map_or(&[], |pairwise| &pairwise.summary)
    }

    /// Returns whether the offline baseline answered, which is no language model.
    pub(super) fn is_offline(&self) -> bool {
        self.record.is_some_and(|record| record.offline)
    }
}

/// Whether each case is tagged `regression`, and whether all are.
pub(super) struct Guards {
    of_case: Vec<bool>,
    pub(super) only: bool,
}

impl Guards {
    pub(super) fn of(report: &RunReport<'_>) -> Self {
        let of_case: Vec<bool> =
            (0..report.cases.len()).map(|case| SideCase::is_guard(report.cases.tags(case))).collect();
        Self { only: !of_case.is_empty() && of_case.iter().all(|is_guard| *is_guard), of_case }
    }

    fn is_headline(&self, case: usize) -> bool {
        self.of_case[case] == self.only
    }
}

/// Returns every variant's numbers, in the run's order.
pub(super) fn standings<'a>(report: &'a RunReport<'_>) -> Vec<Standing<'a>> {
    let guards = Guards::of(report);
    let baseline = report.baseline();
    let variants: Vec<(&VariantTally, Option<&VariantRecord>)> = report
        .variants
        .iter()
        .map(|tally| (tally, report.record.variants.iter().find(|record| record.name == tally.name)))
        .collect();
    let reasons: Vec<Option<&'static str>> = (0..variants.len())
        .map(|at| (at != baseline).then(|| not_compared(report, variants[baseline].1, variants[at].1)).flatten())
        .collect();
    let tried = (0..variants.len()).filter(|at| *at != baseline && reasons[*at].is_none()).count().max(1) as u32;
    variants
        .iter()
        .zip(reasons)
        .enumerate()
        .map(|(at, ((tally, record), reason))| {
            let is_baseline = at == baseline;
            let of_cases = |state: CaseState| outcomes(report, tally).filter(|(_, one)| one.state == state).count();
            let headline: Vec<Passes> = outcomes(report, tally)
                .filter(|(case, one)| one.state != CaseState::Incomplete && guards.is_headline(*case))
                .map(|(_, one)| one.passes())
                .collect();
            Standing {
                tally,
                record: *record,
                summary: report.summary.and_then(|all| all.variants.iter().find(|one| one.name == tally.name)),
                is_baseline,
                passed: of_cases(CaseState::Passed),
                failed: of_cases(CaseState::Failed),
                incomplete: of_cases(CaseState::Incomplete),
                flaky: outcomes(report, tally).filter(|(_, one)| one.is_flaky()).count(),
                headline: headline_rate(&headline),
                against: (!is_baseline && reason.is_none() && is_graded(report))
                    .then(|| against(report, &guards, tally, variants[baseline].0, tried)),
                not_compared: reason,
                median_ms: quantile(&tally.times, 0.5),
                p95_ms: quantile(&tally.times, 0.95),
            }
        })
        .collect()
}

/// Returns whether graders gave verdicts at all.
pub(super) fn is_graded(report: &RunReport<'_>) -> bool {
    report.record.phases.grade != mst_model::Phase::Skipped
}

fn outcomes<'a>(report: &'a RunReport<'_>, tally: &'a VariantTally) -> impl Iterator<Item = (usize, Outcome)> + 'a {
    (0..report.cases.len()).filter_map(|case| Some((case, tally.outcome(case, &report.outcomes)?)))
}

/// Returns why two variants' rates are not to be compared.
fn not_compared(
    report: &RunReport<'_>,
    baseline: Option<&VariantRecord>,
    candidate: Option<&VariantRecord>,
) -> Option<&'static str> {
    let (baseline, candidate) = (baseline?, candidate?);
    if baseline.offline != candidate.offline {
        return Some("one of the two is the offline baseline, which is not a language model");
    }
    let identities = |variant: &VariantRecord| {
        let own = format!("variant:{}", variant.name);
        let listed = report.record.judges.iter().filter(|judge| judge.level == "config" || judge.level == own);
        listed.map(|judge| judge.identity.as_str()).collect::<std::collections::BTreeSet<_>>()
    };
    (identities(baseline) != identities(candidate))
        .then_some("their judges differ, so that the rates are of two measures")
}

fn against(
    report: &RunReport<'_>,
    guards: &Guards,
    candidate: &VariantTally,
    baseline: &VariantTally,
    tried: u32,
) -> Against {
    let mut cases = Vec::new();
    let (mut regressed, mut improved) = (0, 0);
    for (case, new) in outcomes(report, candidate) {
        let Some(old) = baseline.outcome(case, &report.outcomes) else { continue };
        if old.state == CaseState::Incomplete || new.state == CaseState::Incomplete {
            continue;
        }
        cases.push(TaggedCase {
            case: PairedCase { baseline: old.passes(), candidate: new.passes() },
            is_regression: guards.of_case[case],
        });
        match Flip::of(old, new) {
            Some(Flip::Regressed) => regressed += 1,
            Some(Flip::Improved) => improved += 1,
            None => {}
        }
    }
    Against { assessed: VariantAssessment::of(&cases, tried), regressed, improved }
}
