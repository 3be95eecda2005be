//! The comparisons of a run: as many at once as trials are collected at once, each saved as it comes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures::stream::{self, StreamExt as _};
use mst_grading::judge::{Cancelled, JudgePlace, judge_case};
use mst_grading::pairwise::{BoundPairwiseJudge, compare_case};
use mst_measure::{ComparedSides, pairwise};
use mst_model::{
    CaseId, Pairwise, PairwiseCase, PairwiseInput, Preference, PreferenceRecord, RUN_FORMAT, UnmatchedCases,
};
use mst_store::{JudgeCacheKey, StoreError};
use tokio::task::JoinSet;

use super::evidence::{Evidence, last_trial};
use crate::attempt::Place;
use crate::dispatch::{Dispatcher, synced_or_error};
use crate::event::RunEvent;
use crate::joining::cases_in_order;
use crate::rooms::Piece;
use crate::spent::Spent;

/// What the comparisons of a run came to.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// By the variant's index in the plan.
    by_variant: BTreeMap<usize, Pairwise>,
}

impl Compared {
    /// Returns a variant's comparison with the baseline.
    pub(crate) fn of(&self, variant: usize) -> Option<&Pairwise> {
        self.by_variant.get(&variant)
    }

    /// Returns whether a case that was to be compared has no preference, so that a resume would ask for it.
    pub(crate) fn lacks_preference(&self) -> bool {
        let cases = self.by_variant.values().flat_map(|pairwise| &pairwise.cases);
        cases.flat_map(|case| &case.preferences).any(|preference| preference.error.is_some())
    }
}

/// A question: one judge about one case of a variant.
#[derive(Clone, Copy)]
struct Question {
    judge: usize,
    /// The candidate's last trial, and the baseline's.
    ours: Place,
    theirs: Place,
}

/// What came of a question.
enum Answer {
    /// A preference, or why there is none; `is_new` when it is not the stored one.
    Preference { preference: Box<Preference>, is_new: bool },
    /// One of the trials had an error: nothing is compared.
    Errored,
}

impl Dispatcher {
    /// Has every variant compared with the baseline, unless the plan compares nothing. The run's trials are saved and graded.
    ///
    /// A preference of an earlier part of the run stays when it has no error, its judge is the same, and neither trial was
    /// collected again. A run that stops asks no more; what was not asked is an error of the judge, for a resume to ask.
    pub(crate) async fn compare(&mut self) -> Result<Compared, StoreError> {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        if !plan.compares() || !collection.options.grade {
            return Ok(Compared::default());
        }
        let held = std::mem::take(&mut self.held);
        let reader = self.writer().reader()?;
        let evidence = Evidence { collection: &collection, reader: &reader, held: &held };
        let sides = Sides::of(&collection.bound.plan);
        let judges = collection.pairwise.as_slice();
        let questions: Vec<Question> = sides
            .pairs
            .iter()
            .flat_map(|(ours, theirs)| (0..judges.len()).map(|judge| Question { judge, ours: *ours, theirs: *theirs }))
            .collect();
        self.tell(&RunEvent::Comparing { comparisons: questions.len() });
        let asked = stream::iter(&questions).map(|question| async move {
            let answer = Asking { evidence, judge: &judges[question.judge], question: *question }.answer().await;
            (question, answer)
        });
        let mut answers = std::pin::pin!(asked.buffer_unordered(plan.concurrency.max(1) as usize));
        let mut preferences: HashMap<(usize, usize, usize, usize), Preference> = HashMap::new();
        let mut syncing = JoinSet::new();
        while let Some((question, answer)) = answers.next().await {
            let Question { judge, ours, .. } = *question;
            let preference = match answer? {
                Answer::Errored => {
                    // What an earlier part of the run compared is there no more.
                    let (variant, case) = (&plan.variants[ours.variant].name, &ours.planned(plan).id);
                    self.writer().remove_preference(&judges[judge].name().into(), variant, case)?;
                    continue;
                }
                Answer::Preference { preference, is_new: false } => *preference,
                Answer::Preference { preference, is_new: true } => self.save_preference(*preference, ours)?,
            };
            preferences.insert((ours.variant, ours.batch, ours.case, judge), preference);
            while let Some(synced) = syncing.try_join_next() {
                synced_or_error(synced)?;
            }
            let now = collection.deps.clock.now();
            if syncing.is_empty()
                && let Some(due) = self.writer().due_sync(now)
            {
                syncing.spawn_blocking(move || due.sync());
            }
        }
        while let Some(synced) = syncing.join_next().await {
            synced_or_error(synced)?;
        }
        self.tell_of_cache();
        let of_case = |place: &Place| -> Vec<Preference> {
            let (variant, batch, case) = (place.variant, place.batch, place.case);
            (0..judges.len()).filter_map(|judge| preferences.remove(&(variant, batch, case, judge))).collect()
        };
        let names: Vec<&str> = judges.iter().map(BoundPairwiseJudge::name).collect();
        let by_variant = sides.joined(plan, of_case, &names);
        Ok(Compared { by_variant })
    }

    /// Saves a preference, without secrets. Returns it so.
    fn save_preference(&mut self, preference: Preference, ours: Place) -> Result<Preference, StoreError> {
        let collection = Arc::clone(&self.collection);
        let plan = &collection.bound.plan;
        let record = collection
            .scrubber
            .scrub(PreferenceRecord {
                format: RUN_FORMAT.to_owned(),
                kind: "preference".to_owned(),
                run_id: self.writer().record().run_id.clone(),
                judge: preference.judge.clone(),
                variant: plan.variants[ours.variant].name.clone(),
                baseline: plan.baseline.clone(),
                case_id: ours.planned(plan).id.clone(),
                preference,
            })
            .into_inner();
        self.writer().save_preference(&record)?;
        Ok(record.preference)
    }
}

/// The cases of each variant beside those of the baseline.
struct Sides {
    /// The last trials of the cases that both have: the candidate's and the baseline's, in the candidate's order.
    pairs: Vec<(Place, Place)>,
    /// The cases that one side lacks, by the candidate's index.
    unmatched: BTreeMap<usize, UnmatchedCases>,
}

impl Sides {
    fn of(plan: &mst_config::Plan) -> Self {
        let places = |variant: usize| {
            let cases = cases_in_order(plan, variant).into_iter();
            cases.map(move |(batch, case)| last_trial(plan, Place { variant, batch, case, trial: 0 }))
        };
        let id = |place: Place| &place.planned(plan).id;
        let baseline: HashMap<&CaseId, Place> = places(0).map(|place| (id(place), place)).collect();
        let (mut pairs, mut unmatched) = (Vec::new(), BTreeMap::new());
        for variant in 1..plan.variants.len() {
            let mut lacks = UnmatchedCases::default();
            let mut matched = std::collections::HashSet::new();
            for ours in places(variant) {
                match baseline.get(id(ours)) {
                    Some(theirs) => {
                        matched.insert(id(ours));
                        pairs.push((ours, *theirs));
                    }
                    None => lacks.candidate_only.push(id(ours).clone()),
                }
            }
            lacks.baseline_only.extend(places(0).map(id).filter(|id| !matched.contains(id)).cloned());
            unmatched.insert(variant, lacks);
        }
        Self { pairs, unmatched }
    }

    /// Joins the preferences of each variant's cases. A case without any was not compared.
    fn joined(
        self,
        plan: &mst_config::Plan,
        mut of_case: impl FnMut(&Place) -> Vec<Preference>,
        judges: &[&str],
    ) -> BTreeMap<usize, Pairwise> {
        let mut sides: BTreeMap<usize, ComparedSides> = BTreeMap::new();
        for (variant, unmatched) in self.unmatched {
            let candidate = plan.variants[variant].name.to_string();
            let (errored, cases) = (Vec::new(), Vec::new());
            let baseline = plan.baseline.to_string();
            sides.insert(variant, ComparedSides { baseline, candidate, unmatched, errored, cases });
        }
        for (ours, _) in &self.pairs {
            let Some(side) = sides.get_mut(&ours.variant) else { continue };
            let (id, preferences) = (ours.planned(plan).id.clone(), of_case(ours));
            if preferences.is_empty() {
                side.errored.push(id);
            } else {
                side.cases.push(PairwiseCase { id, preferences });
            }
        }
        sides.into_iter().map(|(variant, side)| (variant, pairwise(side, judges))).collect()
    }
}

/// A question that is being answered.
struct Asking<'a> {
    evidence: Evidence<'a>,
    judge: &'a BoundPairwiseJudge,
    question: Question,
}

impl Asking<'_> {
    async fn answer(self) -> Result<Answer, StoreError> {
        let Question { ours, theirs, .. } = self.question;
        let collection = self.evidence.collection;
        let plan = &collection.bound.plan;
        let earlier = self.earlier()?;
        let is_kept = collection.kept.contains(ours) && collection.kept.contains(theirs);
        if let Some(kept) = earlier.as_ref().filter(|earlier| is_kept && self.stays(earlier)) {
            return Ok(Answer::Preference { preference: Box::new(kept.clone()), is_new: false });
        }
        let (Some(baseline), Some(candidate)) = (self.evidence.trial(theirs)?, self.evidence.trial(ours)?) else {
            return Ok(Answer::Errored);
        };
        let input = PairwiseInput { case: judge_case(&ours.case(plan), None), baseline, candidate };
        let mut preference = self.preference(&input).await;
        // What an attempt without a preference cost was paid for all the same.
        if let Some(paid) = earlier.and_then(|earlier| earlier.usage) {
            preference.usage.get_or_insert_default().add(&paid);
        }
        Ok(Answer::Preference { preference: Box::new(preference), is_new: true })
    }

    /// Takes the preference from the cache, or asks: unless the run stops, or its budget has no room for it.
    async fn preference(&self, input: &PairwiseInput) -> Preference {
        let collection = self.evidence.collection;
        let plan = &collection.bound.plan;
        let Question { judge, ours, .. } = self.question;
        let identity = self.judge.identity();
        let cache = collection.judges.cache().map(|cache| (cache, JudgeCacheKey::new(identity, input)));
        let recalled = cache.as_ref().and_then(|(cache, key)| cache.recall::<Preference>(identity, key));
        if let Some(found) = recalled {
            return found;
        }
        let (stop, piece) = (&collection.stop, Piece::comparison(ours, judge));
        match stop.starting.run_until_cancelled(collection.rooms.leave(piece)).await {
            Some(true) if !stop.starting.is_cancelled() => {}
            Some(false) => return self.unasked("the run's budget was reached before it was asked"),
            _ => return self.stopped(),
        }
        let case_id = &ours.planned(plan).id;
        let place = JudgePlace { variant: &plan.variants[ours.variant].name, case_id, trial: ours.trial };
        let asked = compare_case(self.judge, input, place, &stop.running).await;
        let preference = asked.unwrap_or_else(|Cancelled| self.stopped());
        collection.rooms.settle(piece, Spent::of_comparison(&preference));
        if let Some((cache, key)) = &cache {
            cache.keep(identity, key, &preference);
        }
        preference
    }

    /// Reads the preference of an earlier part of the run.
    fn earlier(&self) -> Result<Option<Preference>, StoreError> {
        let collection = self.evidence.collection;
        if collection.kept.is_empty() {
            return Ok(None);
        }
        let plan = &collection.bound.plan;
        let ours = self.question.ours;
        let (variant, case_id) = (&plan.variants[ours.variant].name, &ours.planned(plan).id);
        let found = self.evidence.reader.find_preference(&self.judge.name().into(), variant, case_id)?;
        Ok(found.filter(|record| record.baseline == plan.baseline).map(|record| record.preference))
    }

    fn stays(&self, earlier: &Preference) -> bool {
        earlier.error.is_none() && earlier.judge_identity.as_deref() == Some(self.judge.identity())
    }

    fn stopped(&self) -> Preference {
        self.unasked("the run was stopped before it was asked")
    }

    fn unasked(&self, why: &str) -> Preference {
        Preference {
            judge: self.judge.name().to_owned(),
            error: Some(why.to_owned()),
            judge_identity: Some(self.judge.identity().to_owned()),
            ..Preference::default()
        }
    }
}
