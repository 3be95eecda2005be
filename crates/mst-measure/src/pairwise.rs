//! What the preferences of a pairwise judge come to.

use std::collections::BTreeMap;

use mst_model::{
    CaseId, DimensionSummary, Pairwise, PairwiseCase, PairwiseSummary, Preference, Preferred, UnmatchedCases, Usage,
};

use crate::stats::wilson_of_share;

/// Two sides compared case by case, before anything is counted.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedSides {
    /// What was compared with.
    pub baseline: String,
    /// What was compared.
    pub candidate: String,
    /// Cases that only one side has.
    pub unmatched: UnmatchedCases,
    /// Cases whose trial had an error on one side.
    pub errored: Vec<CaseId>,
    /// The others, each with one preference a judge.
    pub cases: Vec<PairwiseCase>,
}

/// Joins the preferences of two sides with what they come to, judge by judge in the order of `judges`. Every case has one
/// preference a judge, in the same order.
pub fn pairwise(sides: ComparedSides, judges: &[&str]) -> Pairwise {
    let ComparedSides { baseline, candidate, unmatched, errored, cases } = sides;
    let of_judge = |at: usize| cases.iter().filter_map(move |case| case.preferences.get(at));
    let summary: Vec<PairwiseSummary> =
        judges.iter().enumerate().map(|(at, judge)| pairwise_summary(judge, of_judge(at))).collect();
    let mut usage: Option<Usage> = None;
    for one in summary.iter().filter_map(|judge| judge.usage.as_ref()) {
        usage.get_or_insert_default().add(one);
    }
    Pairwise { baseline, candidate, unmatched, errored, cases, summary, usage }
}

/// Counts the preferences of one judge. A case that was skipped or has no preference is counted apart, and in no rate.
pub fn pairwise_summary<'a>(judge: &str, preferences: impl IntoIterator<Item = &'a Preference>) -> PairwiseSummary {
    let mut total = Tally::default();
    let mut parts: BTreeMap<String, Tally> = BTreeMap::new();
    let mut usage: Option<Usage> = None;
    let (mut skipped, mut errors, mut in_both, mut consistent) = (0, 0, 0, 0);
    for one in preferences {
        if let Some(used) = &one.usage {
            usage.get_or_insert_default().add(used);
        }
        let Some(preference) = one.preference else {
            if one.skipped == Some(true) {
                skipped += 1;
            } else {
                errors += 1;
            }
            continue;
        };
        total.add(preference);
        in_both += usize::from(one.consistent.is_some());
        consistent += usize::from(one.consistent == Some(true));
        for (name, part) in &one.dimensions {
            parts.entry(name.clone()).or_default().add(part.preference);
        }
    }
    let rate = total.rate();
    PairwiseSummary {
        judge: judge.to_owned(),
        compared: total.compared(),
        candidate_wins: total.candidate,
        baseline_wins: total.baseline,
        ties: total.ties,
        skipped,
        errors,
        candidate_win_rate: rate,
        candidate_win_rate_ci: rate.and_then(|rate| wilson_of_share(rate, total.compared() as u64)),
        consistency: (in_both > 0).then(|| consistent as f64 / in_both as f64),
        dimensions: parts.into_iter().map(|(name, part)| (name, part.summary())).collect(),
        usage,
    }
}

/// Preferences, counted.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    candidate: usize,
    baseline: usize,
    ties: usize,
}

impl Tally {
    fn add(&mut self, preference: Preferred) {
        match preference {
            Preferred::Candidate => self.candidate += 1,
            Preferred::Baseline => self.baseline += 1,
            Preferred::Tie => self.ties += 1,
        }
    }

    fn compared(self) -> usize {
        self.candidate + self.baseline + self.ties
    }

    /// Returns wins and half the ties over all; `None` of nothing.
    fn rate(self) -> Option<f64> {
        let halves = 2 * self.candidate + self.ties;
        (self.compared() > 0).then(|| halves as f64 / (2 * self.compared()) as f64)
    }

    fn summary(self) -> DimensionSummary {
        DimensionSummary {
            compared: self.compared(),
            candidate_wins: self.candidate,
            baseline_wins: self.baseline,
            ties: self.ties,
            candidate_win_rate: self.rate(),
        }
    }
}
