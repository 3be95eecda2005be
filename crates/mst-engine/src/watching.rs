//! `--stop-when decided`: the candidate's cases run in an order that was fixed before, the comparison with the baseline is
//! looked at while they finish, and no further trial starts once a look has decided.

use std::collections::{HashMap, HashSet};

use mst_config::Plan;
use mst_measure::TrialVerdict;
use mst_measure::compare::SideCase;
use mst_measure::stats::{Assessment, LEVEL, PairedCase, Passes, Watch};
use mst_model::{CaseId, LookRecord, Seed, Selection, SequentialRecord, VariantName, sha256_hex};

use crate::attempt::Place;
use crate::dispatch::Dispatcher;
use crate::error::RunError;

/// What `selection.stoppedWhen` and `sequential.stopsWhen` say.
const DECIDED: &str = "decided";

/// How many digits of the order's seed are kept.
const SEED_DIGITS: usize = 32;

/// A candidate that is watched.
pub(crate) struct Watching {
    watch: Watch,
    candidate: VariantName,
    seed: String,
    /// The place in the order of each headline case, by its variant, batch and index.
    order: HashMap<(usize, usize, usize), usize>,
    /// The baseline's cases and the candidate's, in the order.
    sides: [Vec<Count>; 2],
    /// How many cases, from the first, are finished on both sides.
    finished: usize,
}

/// How far a case is on a side.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    wanted: u32,
    seen: u32,
    passes: Passes,
}

impl Count {
    fn is_finished(self) -> bool {
        self.wanted > 0 && self.seen >= self.wanted
    }

    /// Returns what counts; `None` of a case that lacks a verdict.
    fn passes(self) -> Option<Passes> {
        (self.passes.counted == u64::from(self.wanted)).then_some(self.passes)
    }
}

impl Watching {
    /// Puts the cases of a plan of two variants into an order that ignores results, and begins to watch.
    ///
    /// # Errors
    /// A plan that cannot be watched: other than two variants, pairwise judges, or no case in common.
    pub(crate) fn begin(plan: &mut Plan, seed: Seed) -> Result<Self, RunError> {
        let refuse = |why: &str| Err(RunError::Usage(format!("--stop-when decided: {why}")));
        if plan.variants.len() != 2 {
            let count = plan.variants.len();
            return refuse(&format!(
                "it watches one candidate beside the baseline, so that it takes two variants; this run has {count}"
            ));
        }
        if !plan.pairwise_judges.is_empty() {
            return refuse("pairwise judges compare every case, and a run that stops early has some");
        }
        let seed = sha256_hex(&seed.0)[..SEED_DIGITS].to_owned();
        let rank = |id: &CaseId| sha256_hex(format!("{seed}{id}").as_bytes());
        for batch in plan.variants.iter_mut().flat_map(|variant| &mut variant.batches) {
            batch.cases.sort_by_cached_key(|case| rank(&case.id));
        }
        let mut ids: Vec<CaseId> = headline(plan);
        ids.sort_by_cached_key(rank);
        if ids.is_empty() {
            return refuse("the variants have no case in common");
        }
        let places: HashMap<&CaseId, usize> = ids.iter().enumerate().map(|(at, id)| (id, at)).collect();
        let mut order = HashMap::new();
        let mut sides = [vec![Count::default(); ids.len()], vec![Count::default(); ids.len()]];
        for (variant, planned) in plan.variants.iter().enumerate() {
            for (batch, planned) in planned.batches.iter().enumerate() {
                for (case, planned) in planned.cases.iter().enumerate() {
                    let Some(at) = places.get(&planned.id) else { continue };
                    order.insert((variant, batch, case), *at);
                    sides[variant][*at].wanted = planned.trials;
                }
            }
        }
        let watch = Watch::new(ids.len());
        Ok(Self { watch, candidate: plan.variants[1].name.clone(), seed, order, sides, finished: 0 })
    }

    /// Takes a graded trial in. Returns whether a look has decided before every case was finished.
    fn note(&mut self, place: Place, verdict: TrialVerdict) -> bool {
        let Some(at) = self.order.get(&(place.variant, place.batch, place.case)).copied() else { return false };
        let count = &mut self.sides[place.variant][at];
        count.seen += 1;
        count.passes.counted += u64::from(verdict.is_counted());
        count.passes.passed += u64::from(verdict == TrialVerdict::Passed);
        let [baseline, candidate] = &self.sides;
        let both = |at: usize| baseline[at].is_finished() && candidate[at].is_finished();
        while self.finished < baseline.len() && both(self.finished) {
            self.finished += 1;
        }
        if self.watch.next_look().is_some_and(|cases| self.finished >= cases) {
            let sides = baseline.iter().zip(candidate).take(self.finished);
            let pairs: Vec<Option<PairedCase>> = sides
                .map(|(old, new)| Some(PairedCase { baseline: old.passes()?, candidate: new.passes()? }))
                .collect();
            return self.watch.look(&pairs).is_some() && self.finished < baseline.len();
        }
        false
    }

    fn record(&self) -> SequentialRecord {
        let looks = self.watch.taken().iter().map(|taken| LookRecord {
            cases: taken.change.cases,
            fraction: taken.look.fraction,
            bound: taken.look.p,
            spent: taken.look.spent,
            mean: taken.change.mean.unwrap_or_default(),
            p_better: taken.change.p_better,
            p_worse: taken.change.p_worse,
        });
        let assessment = match self.watch.decided() {
            Some(Assessment::Worse) => "worse",
            Some(Assessment::Better) => "better",
            Some(Assessment::Unclear) | None => "unclear",
        };
        SequentialRecord {
            stops_when: DECIDED.to_owned(),
            candidate: self.candidate.clone(),
            seed: self.seed.clone(),
            level: LEVEL,
            planned: self.sides[0].len(),
            assessment: assessment.to_owned(),
            looks: looks.collect(),
        }
    }
}

impl Dispatcher {
    /// Takes a graded trial into the comparison that is watched, if one is, and stops the collecting once it is decided.
    pub(crate) fn watch(&mut self, place: Place, verdict: TrialVerdict) {
        if self.watching.as_mut().is_some_and(|watching| watching.note(place, verdict)) {
            self.collection.decided.cancel();
        }
    }

    /// Returns what the run says of the comparison that was watched, and the selection of one that was stopped.
    pub(crate) fn watched(&self, selection: Option<Selection>) -> (Option<SequentialRecord>, Option<Selection>) {
        let record = self.watching.as_ref().map(Watching::record);
        if !self.collection.decided.is_cancelled() {
            return (record, selection);
        }
        let stopped = Selection { stopped_when: Some(DECIDED.to_owned()), ..selection.unwrap_or_default() };
        (record, Some(stopped))
    }
}

/// Returns the headline cases that both variants have: those not tagged `regression`, or all when every case is.
fn headline(plan: &Plan) -> Vec<CaseId> {
    let cases = |variant: usize| {
        let batches = plan.variants[variant].batches.iter();
        batches.flat_map(|batch| batch.cases.iter().map(move |case| (batch.dataset, case)))
    };
    let baseline: HashSet<&CaseId> = cases(0).map(|(_, case)| &case.id).collect();
    let both = cases(1).filter(|(_, case)| baseline.contains(&case.id));
    let tagged: Vec<(&CaseId, bool)> = both
        .map(|(dataset, case)| {
            let tags = plan.datasets[dataset].cases.get(case.case).tags;
            (&case.id, SideCase::is_guard(&tags))
        })
        .collect();
    let guards_only = tagged.iter().all(|(_, guard)| *guard);
    tagged.into_iter().filter(|(_, guard)| *guard == guards_only).map(|(id, _)| id.clone()).collect()
}
