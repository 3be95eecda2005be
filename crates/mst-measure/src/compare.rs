//! Two sides of a comparison, joined case by case.

use std::collections::HashMap;

use indexmap::IndexMap;
use mst_model::CaseId;
use num_traits::ToPrimitive as _;

use crate::stats::{
    Answer, Answers, Assessment, Comparison, NoiseShares, PairedCase, Passes, REGRESSION, RegressionCase, Simulation,
    TaggedCase, VariantAssessment, benjamini_hochberg, fisher_fell, mean, noise_shares,
};

/// One case on one side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideCase {
    /// Whether it passed; `None` when it is incomplete.
    pub pass: Option<bool>,
    /// Whether it is tagged `regression`.
    pub is_regression: bool,
    /// The verdicts of its counted trials: one value (1 pass, 0 fail) each, or those of a judge's reps.
    pub trials: Vec<Answers>,
    /// How its counted trials ended.
    pub passes: Passes,
    /// The identities of the judges that scored it, as numbers of the caller's, sorted; empty when none did.
    pub judges: Vec<u32>,
    /// A number for what was asked and expected.
    pub question: u64,
}

impl SideCase {
    /// Returns a case's tag.
    pub fn is_guard(tags: &[String]) -> bool {
        tags.iter().any(|tag| tag == REGRESSION)
    }
}

/// A variant's cases by id, in the run's order.
pub type Side = IndexMap<CaseId, SideCase>;

/// A case that passed on one side and failed on the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// The case.
    pub id: CaseId,
    /// The one-sided p of Fisher's exact test that its passes changed this way.
    pub p: f64,
    /// The same adjusted by Benjamini and Hochberg's method over all compared cases.
    pub adjusted: f64,
}

/// A candidate's cases against a baseline's.
#[derive(Clone, Debug)]
pub struct CaseComparison {
    /// The headline cases' change and what it answers by itself.
    pub headline: Comparison,
    /// Whether the headline cases are those tagged `regression`: every case is.
    pub guards_only: bool,
    /// What all cases say together, broken regression cases too.
    pub whole: VariantAssessment,
    /// Regression cases that broke.
    pub broken: Vec<(CaseId, RegressionCase)>,
    /// Cases that passed and fail now.
    pub regressed: Vec<Flip>,
    /// Cases that failed and pass now.
    pub improved: Vec<Flip>,
    /// Cases of the candidate alone.
    pub added: Vec<CaseId>,
    /// Cases of the baseline alone.
    pub removed: Vec<CaseId>,
    /// Cases whose input or expectations differ.
    pub edited: Vec<CaseId>,
    /// Cases of both that are incomplete on a side, and so left out.
    pub incomplete: Vec<CaseId>,
    /// Cases whose judges have other identities on the two sides.
    pub rejudged: Vec<CaseId>,
    /// Where the noise of the change comes from.
    pub noise: Option<NoiseShares>,
}

impl CaseComparison {
    /// Joins two sides by their cases' ids; `None` when they have no case in common. `margin` is a share above 0.
    pub fn of(baseline: &Side, candidate: &Side, margin: f64, simulation: Simulation) -> Option<Self> {
        let absent = |side: &Side, other: &Side| -> Vec<CaseId> {
            side.keys().filter(|id| !other.contains_key(*id)).cloned().collect()
        };
        let both: Vec<(&CaseId, &SideCase, &SideCase)> =
            candidate.iter().filter_map(|(id, new)| Some((id, baseline.get(id)?, new))).collect();
        if both.is_empty() {
            return None;
        }
        let named = |keep: fn(&SideCase, &SideCase) -> bool| -> Vec<CaseId> {
            both.iter().filter(|(_, old, new)| keep(old, new)).map(|(id, ..)| (*id).clone()).collect()
        };
        let whole: Vec<_> =
            both.iter().copied().filter(|(_, old, new)| old.pass.is_some() && new.pass.is_some()).collect();
        // What a case is for, the candidate's tags say: they are today's.
        let tagged: Vec<TaggedCase> = whole
            .iter()
            .map(|(_, old, new)| TaggedCase {
                case: PairedCase { baseline: old.passes, candidate: new.passes },
                is_regression: new.is_regression,
            })
            .collect();
        let guards_only = both.iter().all(|(_, _, new)| new.is_regression);
        let is_headline = |case: &SideCase| case.is_regression == guards_only;
        let headline: Vec<PairedCase> =
            tagged.iter().filter(|tagged| tagged.is_regression == guards_only).map(|tagged| tagged.case).collect();
        let noise: Vec<_> = whole
            .iter()
            .filter(|(_, _, new)| is_headline(new))
            .map(|(_, old, new)| vec![old.trials.clone(), new.trials.clone()])
            .collect();
        let assessed = VariantAssessment::of(&tagged, 1);
        let guards = whole.iter().filter(|(_, _, new)| new.is_regression);
        let broken = guards
            .zip(&assessed.regression_cases)
            .filter(|(_, case)| case.broken)
            .map(|((id, ..), case)| ((*id).clone(), *case))
            .collect();
        let pairs: Vec<PairedCase> = tagged.iter().map(|tagged| tagged.case).collect();
        let flips = |from: bool, p: Vec<f64>| -> Vec<Flip> {
            let adjusted = benjamini_hochberg(&p);
            whole
                .iter()
                .zip(p.into_iter().zip(adjusted))
                .filter(|((_, old, new), _)| old.pass == Some(from) && new.pass == Some(!from))
                .map(|((id, ..), (p, adjusted))| Flip { id: (*id).clone(), p, adjusted })
                .collect()
        };
        let swapped: Vec<PairedCase> =
            pairs.iter().map(|pair| PairedCase { baseline: pair.candidate, candidate: pair.baseline }).collect();
        Some(Self {
            headline: Comparison::of(&headline, margin, simulation),
            guards_only,
            broken,
            regressed: flips(true, fell(&pairs)),
            improved: flips(false, fell(&swapped)),
            added: absent(candidate, baseline),
            removed: absent(baseline, candidate),
            edited: named(|old, new| old.question != new.question),
            incomplete: named(|old, new| old.pass.is_none() || new.pass.is_none()),
            // A trial that its client failed is shown to no judge.
            rejudged: named(|old, new| !old.judges.is_empty() && !new.judges.is_empty() && old.judges != new.judges),
            noise: noise_shares(&noise),
            whole: assessed,
        })
    }

    /// Returns whether the candidate is worse: by all its cases, else by what the headline cases allow.
    ///
    /// Rates by different judges say nothing of the candidate, so that `is_rejudged` leaves no answer.
    pub fn answer(&self, is_rejudged: bool) -> Answer {
        if is_rejudged {
            Answer::CannotTell
        } else if self.whole.assessment == Assessment::Worse {
            Answer::Worse
        } else {
            self.headline.answer
        }
    }
}

/// Returns each case's p that it fell. Most cases of a run are alike, so that equal ones are tested once.
fn fell(cases: &[PairedCase]) -> Vec<f64> {
    let mut known: HashMap<PairedCase, f64> = HashMap::new();
    cases.iter().map(|case| *known.entry(*case).or_insert_with(|| fisher_fell(*case).to_f64().unwrap_or(1.0))).collect()
}

/// Returns a side's share of complete cases that passed, and the mean share of its cases' passed trials (0 to 1 each).
pub fn side_rates(side: &Side) -> (Option<f64>, Option<f64>) {
    let passes = side.values().filter_map(|case| case.pass).map(|pass| f64::from(u8::from(pass)));
    (mean(passes), mean(side.values().filter_map(|case| case.passes.share())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(passed: u64, counted: u64) -> SideCase {
        SideCase {
            pass: (counted > 0).then_some(passed == counted),
            passes: Passes { passed, counted },
            trials: (0..counted).map(|trial| vec![f64::from(u8::from(trial < passed))]).collect(),
            ..SideCase::default()
        }
    }

    fn side(cases: impl IntoIterator<Item = (&'static str, SideCase)>) -> Side {
        cases.into_iter().map(|(id, case)| (CaseId::from(id), case)).collect()
    }

    fn compare(old: &Side, new: &Side) -> CaseComparison {
        CaseComparison::of(old, new, 0.05, Simulation { draws: 50, seed: 1 }).expect("cases in common")
    }

    const IDS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

    #[test]
    fn the_answer_follows_headline_cases_unless_a_guard_breaks() {
        let all = |passed: u64| side(IDS.map(|id| (id, case(passed, 5))));
        let guard = |passed: u64| SideCase { is_regression: true, ..case(passed, 5) };
        let with_guard = |mut cases: Side, passed: u64| {
            cases.insert(CaseId::from("guard"), guard(passed));
            cases
        };
        let few = |passed: u64| side(IDS[..5].iter().map(|id| (*id, case(passed, 5))));
        for (old, new, want, missing) in [
            (all(5), all(0), Answer::Worse, 0),
            (all(0), all(5), Answer::NotWorse, 0),
            (all(5), all(5), Answer::NotWorse, 6),
            (few(5), few(0), Answer::CannotTell, 1),
            (with_guard(all(5), 5), with_guard(all(5), 0), Answer::Worse, 6),
            (with_guard(all(0), 5), with_guard(all(5), 5), Answer::NotWorse, 0),
        ] {
            let got = compare(&old, &new);
            assert_eq!((got.answer(false), got.headline.change.missing_differing), (want, missing), "{old:?} {new:?}");
            assert_eq!(got.answer(true), Answer::CannotTell, "other judges leave no answer");
        }
        let guards = |passed: u64| side(IDS.map(|id| (id, guard(passed))));
        let got = compare(&guards(5), &guards(0));
        assert!(got.guards_only && got.broken.len() == 8, "{got:?}");
    }

    #[test]
    fn cases_are_joined_by_id_and_each_list_says_why() {
        let judged = |judges: &[u32], passed| SideCase { judges: judges.to_vec(), ..case(passed, 2) };
        let old = side([("gone", case(1, 1)), ("fell", case(1, 1)), ("open", case(1, 1)), ("judge", judged(&[1], 2))]);
        let edited = SideCase { question: 7, ..case(0, 1) };
        let new = side([("judge", judged(&[2], 2)), ("new", case(1, 1)), ("fell", edited), ("open", case(0, 0))]);
        let got = compare(&old, &new);
        let ids = |ids: &[&str]| ids.iter().map(|id| CaseId::from(*id)).collect::<Vec<_>>();
        assert_eq!((got.added, got.removed, got.edited), (ids(&["new"]), ids(&["gone"]), ids(&["fell"])));
        assert_eq!((got.incomplete, got.rejudged), (ids(&["open"]), ids(&["judge"])));
        assert_eq!(got.regressed, [Flip { id: "fell".into(), p: 0.5, adjusted: 1.0 }]);
        assert_eq!((got.improved.len(), got.headline.change.cases), (0, 2));
        assert!(CaseComparison::of(&old, &Side::new(), 0.05, Simulation::seeded(1)).is_none());
        assert_eq!(side_rates(&new), (Some(2.0 / 3.0), Some(2.0 / 3.0)));
    }
}
