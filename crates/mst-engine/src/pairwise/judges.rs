//! The pairwise judges of a plan, bound to code.

use mst_config::Plan;
use mst_ext::{JudgeFault, Registry};
use mst_grading::pairwise::BoundPairwiseJudge;
use mst_model::RecordedJudge;

use crate::error::RunError;
use crate::event::{Observer, RunEvent};
use crate::judges::JudgeCheck;
use crate::kin::Kin;

/// The pairwise judges of a plan, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairwiseJudges {
    bound: Vec<BoundPairwiseJudge>,
}

impl PairwiseJudges {
    /// Binds every pairwise judge of a plan.
    ///
    /// # Errors
    /// The first that cannot be bound.
    pub(crate) fn bind(plan: &Plan, registry: &Registry) -> Result<Self, RunError> {
        let bound = plan.pairwise_judges.iter().map(|setting| {
            let judge = registry.pairwise_judge(&setting.judge);
            let judge = judge.ok_or_else(|| RunError::UnknownJudge(setting.judge.clone()))?;
            Ok(BoundPairwiseJudge::bind(setting, judge)?.priced(&plan.pricing))
        });
        Ok(Self { bound: bound.collect::<Result<_, RunError>>()? })
    }

    /// Returns them.
    pub(crate) fn as_slice(&self) -> &[BoundPairwiseJudge] {
        &self.bound
    }

    /// Returns the models whose price is not known, of those that compare variants of the plan; of a judge that names none,
    /// the judge.
    pub(crate) fn unpriced(&self, plan: &Plan) -> impl Iterator<Item = String> {
        let asked = self.bound.iter().filter(|_| plan.compares());
        asked.filter_map(|judge| match judge.model() {
            Some(model) if plan.pricing.contains_key(model) => None,
            Some(model) => Some(format!("{model:?}")),
            None => Some(format!("the model of judge {:?}", judge.name())),
        })
    }

    /// Returns what `run.json` says of them.
    pub(crate) fn recorded(&self) -> impl Iterator<Item = RecordedJudge> {
        self.bound.iter().map(|judge| RecordedJudge {
            judge: judge.name().to_owned(),
            name: Some(judge.name().to_owned()),
            level: "pairwise".to_owned(),
            options_hash: judge.options_hash(),
            identity: judge.identity().to_owned(),
            version: judge.version().map(str::to_owned),
            unversioned: judge.is_unversioned().then_some(true),
        })
    }

    /// Returns the names and models of those that compare variants of the plan.
    pub(crate) fn named(&self, plan: &Plan) -> impl Iterator<Item = (String, Vec<String>)> {
        let asked = self.bound.iter().filter(|_| plan.compares());
        asked.map(|judge| (judge.name().to_owned(), judge.model().into_iter().map(str::to_owned).collect()))
    }

    /// Tells, before anything is spent, what the user should know of the judges that will be asked. Calls no model.
    ///
    /// A judge that cannot judge does not stop the run: its trials are worth having without preferences, and a resume asks
    /// for those.
    pub(crate) async fn announce(&self, plan: &Plan, preflights: bool, observer: &mut dyn Observer) {
        if !plan.compares() {
            return;
        }
        let mut kin = Kin::default();
        let batches = plan.variants.iter().flat_map(|variant| &variant.batches);
        for client in batches.filter_map(|batch| batch.client.priced_model.as_deref()) {
            for judge in &self.bound {
                kin.add(judge.name(), judge.model().into_iter().collect(), client);
            }
        }
        let mut messages: Vec<String> = kin.warnings().collect();
        for judge in &self.bound {
            if let Some(fault) = if preflights { judge.preflight().await.err() } else { None } {
                messages.push(format!(
                    "the pairwise judge {:?} cannot compare: {fault}; the run goes on without its preferences",
                    judge.name()
                ));
            }
        }
        for message in messages {
            observer.event(&RunEvent::Warning { message });
        }
    }
}

/// Binds every pairwise judge of a plan, and checks what each needs. Calls no model.
///
/// # Errors
/// The first judge that cannot be bound.
pub(crate) async fn check_pairwise_judges(plan: &Plan, registry: &Registry) -> Result<Vec<JudgeCheck>, RunError> {
    let judges = PairwiseJudges::bind(plan, registry)?;
    let mut checks = Vec::with_capacity(judges.bound.len());
    for judge in &judges.bound {
        let fault = judge.preflight().await.err().map(|fault| RunError::JudgeNotReady {
            judge: judge.name().to_owned(),
            is_credential: matches!(fault, JudgeFault::Credentials(_)),
            reason: fault.to_string(),
        });
        let models = judge.model().into_iter().map(str::to_owned).collect();
        checks.push(JudgeCheck { name: judge.name().to_owned(), is_pairwise: true, models, fault });
    }
    Ok(checks)
}
