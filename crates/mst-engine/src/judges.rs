//! The judges of a run: bound to code and checked before anything is spent, and asked about each trial behind its
//! assertions.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use mst_config::{Plan, PlannedVariant};
use mst_ext::{JudgeFault, Registry};
use mst_grading::Graded;
use mst_grading::judge::{BoundJudge, Cancelled, JudgePlace, judge_grader, judge_input, judge_trial, skip_of_errored};
use mst_measure::client_errored;
use mst_model::{
    EvalCase, GraderName, GraderScore, JudgeEntry, JudgeSetting, ModelPrice, RecordedJudge, Scrubbed, TrialRecord,
    content_hash, judges_of,
};
use mst_store::JudgeCacheKey;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::attempt::Place;
use crate::error::RunError;
use crate::kin::Kin;
use crate::pairwise::{PairwiseJudges, check_pairwise_judges};
use crate::spent::Spent;
use crate::verdict_cache::VerdictCache;

/// How many bound judges are kept at hand. More of them are bound again when they are needed: each case may have its own.
const AT_HAND: usize = 256;

/// Judges bound to code.
pub(crate) struct Judges {
    registry: Arc<Registry>,
    /// What the models that they ask cost.
    pricing: IndexMap<String, ModelPrice>,
    /// By what is bound.
    at_hand: Mutex<HashMap<String, Arc<BoundJudge>>>,
    /// What judges said before, when the user keeps it.
    cache: Option<VerdictCache>,
}

/// What a plan's judges are, found before it runs.
pub(crate) struct PlanJudges {
    /// One of each that has to be checked apart.
    distinct: Vec<Arc<BoundJudge>>,
    /// What the user should know of them.
    pub(crate) warnings: Vec<String>,
}

impl PlanJudges {
    /// Returns the models whose price is not known; of a judge that names none, the judge.
    pub(crate) fn unpriced<'a>(
        &'a self,
        pricing: &'a IndexMap<String, ModelPrice>,
    ) -> impl Iterator<Item = String> + 'a {
        self.distinct.iter().filter(|judge| judge.calls_model()).flat_map(|judge| {
            let models = judge.models();
            let nameless = models.is_empty().then(|| format!("the model of judge {:?}", judge.name()));
            let models = models.into_iter().filter(|model| !pricing.contains_key(*model));
            models.map(|model| format!("{model:?}")).chain(nameless).collect::<Vec<_>>()
        })
    }
}

impl Judges {
    pub(crate) fn new(registry: Arc<Registry>, plan: &Plan) -> Self {
        Self { registry, pricing: plan.pricing.clone(), at_hand: Mutex::new(HashMap::new()), cache: None }
    }

    /// Has verdicts kept in and taken from a cache.
    pub(crate) fn with_cache(self, cache: Option<VerdictCache>) -> Self {
        Self { cache, ..self }
    }

    /// Returns the cache of verdicts, when there is one.
    pub(crate) fn cache(&self) -> Option<&VerdictCache> {
        self.cache.as_ref()
    }

    /// Binds a setting, unless it is at hand.
    pub(crate) fn bind(&self, setting: &JudgeSetting) -> Result<Arc<BoundJudge>, RunError> {
        let key = key_of(setting);
        let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bound) = at_hand.get(&key) {
            return Ok(Arc::clone(bound));
        }
        let judge = self.registry.judge(&setting.judge);
        let judge = judge.ok_or_else(|| RunError::UnknownJudge(setting.judge.clone()))?;
        let bound = Arc::new(BoundJudge::bind(setting, judge)?.priced(&self.pricing));
        if at_hand.len() < AT_HAND {
            at_hand.insert(key, Arc::clone(&bound));
        }
        Ok(bound)
    }

    /// Binds every judge of a plan.
    ///
    /// # Errors
    /// The first that cannot be bound.
    pub(crate) fn bind_plan(&self, plan: &Plan) -> Result<PlanJudges, RunError> {
        let mut found = PlanJudges { distinct: Vec::new(), warnings: Vec::new() };
        if !plan.has_judges {
            return Ok(found);
        }
        let (mut bound, mut checks, mut kin) = (HashSet::new(), HashSet::new(), Kin::default());
        for variant in &plan.variants {
            for batch in &variant.batches {
                let model = batch.client.priced_model.as_deref();
                let mut is_list_bound = false;
                for planned in &batch.cases {
                    let case = plan.datasets[batch.dataset].cases.get(planned.case);
                    // Cases that say nothing of judges have the list's, which are bound once.
                    if case.judges.is_empty() && std::mem::replace(&mut is_list_bound, true) {
                        continue;
                    }
                    for setting in judges_of(&case, &variant.judges) {
                        if !bound.insert(content_hash(&(model, key_of(&setting)))) {
                            continue;
                        }
                        let judge = self.bind(&setting)?;
                        if let Some(model) = model {
                            kin.add(judge.name(), judge.models(), model);
                        }
                        if checks.insert(judge.preflight_key()) {
                            found.distinct.push(judge);
                        }
                    }
                }
            }
        }
        found.warnings.extend(kin.warnings());
        Ok(found)
    }

    /// Returns the names and models of the judges that a variant's cases have from its list.
    pub(crate) fn named(&self, variant: &PlannedVariant) -> Vec<(String, Vec<String>)> {
        let bound = variant.judges.iter().filter_map(|entry| self.bind(&entry.clone().alone()).ok());
        bound.map(|judge| (judge.name().to_owned(), judge.models().into_iter().map(str::to_owned).collect())).collect()
    }

    /// Returns the models that a case's judges ask, where models have prices.
    pub(crate) fn models_of(&self, case: &EvalCase, variant: &PlannedVariant) -> Vec<String> {
        if self.pricing.is_empty() {
            return Vec::new();
        }
        let bound = judges_of(case, &variant.judges).into_iter().filter_map(|setting| self.bind(&setting).ok());
        bound.flat_map(|judge| judge.models().into_iter().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// Returns what `run.json` says of the judges that the config and the variants list, and then of pairwise judges.
    ///
    /// An entry that cases complete is none by itself, and is left out.
    pub(crate) fn recorded(&self, plan: &Plan) -> Vec<RecordedJudge> {
        let inherited = plan.variants.iter().find(|variant| !variant.own_judges);
        let config = inherited.map(|variant| ("config".to_owned(), &variant.judges));
        let own = plan.variants.iter().filter(|variant| variant.own_judges);
        let own = own.map(|variant| (format!("variant:{}", variant.name), &variant.judges));
        let lists = config.into_iter().chain(own);
        let listed = lists.flat_map(|(level, list)| list.iter().filter_map(move |entry| self.record(&level, entry)));
        let pairwise = PairwiseJudges::bind(plan, &self.registry).ok();
        listed.chain(pairwise.iter().flat_map(PairwiseJudges::recorded)).collect()
    }

    fn record(&self, level: &str, entry: &JudgeEntry) -> Option<RecordedJudge> {
        let bound = self.bind(&entry.clone().alone()).ok()?;
        Some(RecordedJudge {
            judge: entry.judge.clone(),
            name: Some(entry.name.clone()),
            level: level.to_owned(),
            options_hash: bound.options_hash(),
            identity: bound.identity().to_owned(),
            version: bound.version().map(str::to_owned),
            unversioned: bound.is_unversioned().then_some(true),
        })
    }

    /// Has each judge of a case asked about a trial, one after the other, and adds what they say.
    ///
    /// A verdict that the trial has from the very same judge stays. A trial that is cut off keeps what it has; the judges
    /// that were not heard are its grading error, so that a resume asks them. Beside what they say stands what that used.
    pub(crate) async fn ask(&self, trial: Unjudged<'_>, cancel: &CancellationToken) -> (Graded, Spent) {
        let Unjudged { plan, place, case, record, mut graded, earlier } = trial;
        let mut spent = Spent::default();
        let variant = &plan.variants[place.variant];
        for setting in judges_of(case, &variant.judges) {
            let before = earlier.get(&judge_grader(&setting.name));
            let score = match self.bind(&setting) {
                // The plan's judges were bound before; one that cannot be any more has no verdict.
                Err(error) => GraderScore::no_verdict(error.to_string()),
                Ok(judge) => {
                    let place = JudgePlace { variant: &variant.name, case_id: &case.id, trial: place.trial };
                    let asked =
                        Asked { judge: &judge, setting: &setting, case, record, before, cache: self.cache.as_ref() };
                    asked.score(place, cancel, &mut spent).await
                }
            };
            graded.add_judge(&setting.name, score);
        }
        (graded, spent)
    }

    /// Returns whether a model has to be asked about a trial.
    pub(crate) fn are_to_be_asked(&self, trial: &Unjudged<'_>) -> bool {
        let Unjudged { plan, place, case, record, earlier, .. } = trial;
        judges_of(case, &plan.variants[place.variant].judges).iter().any(|setting| {
            let before = earlier.get(&judge_grader(&setting.name));
            self.bind(setting).is_ok_and(|judge| {
                let asked = Asked { judge: &judge, setting, case, record, before, cache: None };
                judge.calls_model() && asked.kept().is_none() && !client_errored(record.get())
            })
        })
    }
}

/// A trial behind its assertions.
pub(crate) struct Unjudged<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) place: Place,
    pub(crate) case: &'a EvalCase,
    /// The record in full, before response redaction.
    pub(crate) record: &'a Scrubbed<TrialRecord>,
    /// What the assertions say.
    pub(crate) graded: Graded,
    /// The scores that it has from an earlier part of the run.
    pub(crate) earlier: &'a IndexMap<GraderName, GraderScore>,
}

/// A judge that is to say something of a trial.
struct Asked<'a> {
    judge: &'a BoundJudge,
    setting: &'a JudgeSetting,
    case: &'a EvalCase,
    record: &'a Scrubbed<TrialRecord>,
    before: Option<&'a GraderScore>,
    cache: Option<&'a VerdictCache>,
}

impl Asked<'_> {
    /// Returns the verdict that the trial has from the very same judge.
    fn kept(&self) -> Option<&GraderScore> {
        let is_same = |score: &&GraderScore| score.judge_identity.as_deref() == Some(self.judge.identity());
        self.before.filter(is_same).filter(|score| score.error.is_none())
    }

    async fn score(&self, place: JudgePlace<'_>, cancel: &CancellationToken, spent: &mut Spent) -> GraderScore {
        if let Some(kept) = self.kept() {
            return kept.clone();
        }
        if client_errored(self.record.get())
            && let Some(skipped) = skip_of_errored(self.judge)
        {
            return skipped;
        }
        let stopped = || GraderScore {
            judge_name: Some(self.setting.name.clone()),
            judge_identity: Some(self.judge.identity().to_owned()),
            ..GraderScore::no_verdict("the run was stopped before it was asked")
        };
        if cancel.is_cancelled() {
            return stopped();
        }
        let mut score = self.verdict(place, cancel).await.unwrap_or_else(|Cancelled| stopped());
        spent.add_judge(&score, self.judge.calls_model());
        // What an attempt without a verdict cost was paid for all the same.
        if let Some(paid) = self.before.and_then(|before| before.usage.as_ref()) {
            score.usage.get_or_insert_default().add(paid);
        }
        score
    }

    /// Takes the verdict from the cache, or asks.
    async fn verdict(&self, place: JudgePlace<'_>, cancel: &CancellationToken) -> Result<GraderScore, Cancelled> {
        let input = judge_input(self.case, self.setting, self.record);
        let Some(cache) = self.cache else { return judge_trial(self.judge, &input, place, cancel).await };
        let identity = self.judge.identity();
        let key = JudgeCacheKey::new(identity, &input);
        if let Some(found) = cache.recall::<GraderScore>(identity, &key) {
            // Two judges that differ in their names alone are the same judge.
            return Ok(GraderScore { judge_name: Some(self.judge.name().to_owned()), ..found });
        }
        let score = judge_trial(self.judge, &input, place, cancel).await?;
        // One that was not asked, for want of an input, would be no cheaper the next time.
        if !score.skipped.unwrap_or_default() || score.usage.is_some() {
            cache.keep(identity, &key, &score);
        }
        Ok(score)
    }
}

/// Checks once what each distinct setting needs to judge at all. Calls no model.
///
/// # Errors
/// The first judge that could not.
pub(crate) async fn preflight(judges: &PlanJudges) -> Result<(), RunError> {
    for judge in &judges.distinct {
        check(judge).await?;
    }
    Ok(())
}

async fn check(judge: &BoundJudge) -> Result<(), RunError> {
    judge.preflight().await.map_err(|fault| RunError::JudgeNotReady {
        judge: judge.name().to_owned(),
        is_credential: matches!(fault, JudgeFault::Credentials(_)),
        reason: fault.to_string(),
    })
}

/// A judge of a plan, and whether it could judge.
#[derive(Debug)]
pub struct JudgeCheck {
    /// Its name in results.
    pub name: String,
    /// Whether it compares variants instead of grading trials.
    pub is_pairwise: bool,
    /// The models that it asks.
    pub models: Vec<String>,
    /// Why it could not.
    pub fault: Option<RunError>,
}

/// Binds every judge of a plan, and checks what each distinct setting needs. Calls no model.
///
/// # Errors
/// The first judge that cannot be bound.
pub async fn check_judges(plan: &Plan, registry: Arc<Registry>) -> Result<Vec<JudgeCheck>, RunError> {
    let pairwise = check_pairwise_judges(plan, &registry).await?;
    let found = Judges::new(registry, plan).bind_plan(plan)?;
    let mut checks = Vec::with_capacity(found.distinct.len());
    for judge in &found.distinct {
        let models = judge.models().into_iter().map(str::to_owned).collect();
        let (name, fault) = (judge.name().to_owned(), check(judge).await.err());
        checks.push(JudgeCheck { name, is_pairwise: false, models, fault });
    }
    checks.extend(pairwise);
    Ok(checks)
}

/// Returns the variables that judges of a plan take their keys from by name.
pub(crate) fn key_variables(plan: &Plan) -> BTreeSet<String> {
    let named = |options: &Map<String, Value>| options.get("apiKeyEnvVar")?.as_str().map(str::to_owned);
    let mut found: BTreeSet<String> = plan.pairwise_judges.iter().filter_map(|one| named(&one.options)).collect();
    if !plan.has_judges {
        return found;
    }
    let mut add = |entry: &JudgeEntry| {
        let all = [&entry.options].into_iter().chain(&entry.jury);
        found.extend(all.filter_map(named));
    };
    plan.variants.iter().flat_map(|variant| &variant.judges).for_each(&mut add);
    for case in plan.datasets.iter().flat_map(|dataset| dataset.cases.iter()) {
        case.judges.iter().filter_map(JudgeEntry::read).for_each(|entry| add(&entry));
    }
    found
}

/// Returns what two settings that bind to the same judge have in common: all but the reference.
fn key_of(setting: &JudgeSetting) -> String {
    let JudgeSetting { judge, name, threshold, reps, reference: _, options, jury } = setting;
    content_hash(&(judge, name, threshold, reps, options, jury))
}
