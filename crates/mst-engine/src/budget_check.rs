//! What a budget cannot be held on, found before anything is spent.

use std::sync::Arc;

use mst_config::{Plan, PlannedBatch};
use mst_ext::Registry;

use crate::budget_limit::Budget;
use crate::error::RunError;
use crate::judges::{Judges, PlanJudges};
use crate::pairwise::PairwiseJudges;
use crate::record::is_offline_client;

/// Why a run cannot have its budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetFault {
    /// The run drops answers, so that it could not be resumed after its budget stopped it.
    #[error(
        "a budget needs \"redactStoredResponses\": false: a run that drops answers cannot be resumed where its budget stops it"
    )]
    Redacted,
    /// The run replays a tape, which costs nothing and cannot be resumed.
    #[error("a replayed run has no budget: it asks no model, and it cannot be resumed")]
    Replayed,
    /// Some models have no price.
    #[error(
        "--max-cost-usd needs the cost of every model: \"pricing\" has no price for {}, and who asks it reports no cost",
        .models.join(", ")
    )]
    Unpriced {
        /// The models; where none is named, the client or judge that asks one.
        models: Vec<String>,
    },
}

/// Checks that a plan can have a budget, as a run does before it begins. Calls no model. `grade` is whether judges are asked.
///
/// # Errors
/// Why it cannot, or the first judge that cannot be bound.
pub fn check_budget(plan: &Plan, registry: &Arc<Registry>, budget: &Budget, grade: bool) -> Result<(), RunError> {
    if budget.is_none() {
        return Ok(());
    }
    let judges = Judges::new(Arc::clone(registry), plan).bind_plan(plan)?;
    let pairwise = PairwiseJudges::bind(plan, registry)?;
    check_run(plan, registry, budget, grade.then_some((&judges, &pairwise)))
}

/// The judges of a run, those of trials and those of pairs.
type Asked<'a> = (&'a PlanJudges, &'a PairwiseJudges);

/// Checks a run that collects, and asks the judges that are given.
pub(crate) fn check_run(
    plan: &Plan,
    registry: &Registry,
    budget: &Budget,
    judges: Option<Asked<'_>>,
) -> Result<(), RunError> {
    if !budget.is_none() && plan.redact_stored_responses {
        return Err(BudgetFault::Redacted.into());
    }
    let batches = plan.variants.iter().flat_map(|variant| &variant.batches);
    check_prices(plan, budget, batches.filter_map(|batch| unpriced_client(plan, registry, batch)), judges)
}

/// Checks a run whose stored trials are judged again.
pub(crate) fn check_regrade(plan: &Plan, budget: &Budget, judges: Asked<'_>) -> Result<(), RunError> {
    check_prices(plan, budget, std::iter::empty(), Some(judges))
}

fn check_prices(
    plan: &Plan,
    budget: &Budget,
    clients: impl Iterator<Item = String>,
    judges: Option<Asked<'_>>,
) -> Result<(), RunError> {
    if budget.cost_usd.is_none() {
        return Ok(());
    }
    let mut models: Vec<String> = Vec::new();
    let judges =
        judges.into_iter().flat_map(|(judges, pairwise)| judges.unpriced(&plan.pricing).chain(pairwise.unpriced(plan)));
    for model in clients.chain(judges) {
        if !models.contains(&model) {
            models.push(model);
        }
    }
    if models.is_empty() { Ok(()) } else { Err(BudgetFault::Unpriced { models }.into()) }
}

/// Returns the model of a batch whose cost nobody would know.
fn unpriced_client(plan: &Plan, registry: &Registry, batch: &PlannedBatch) -> Option<String> {
    let client = &batch.client;
    let reports = registry.client(&client.name).is_some_and(|client| client.definition().reports_cost);
    if reports || is_offline_client(client) {
        return None;
    }
    match &client.priced_model {
        Some(model) if plan.pricing.contains_key(model) => None,
        Some(model) => Some(format!("{model:?}")),
        None => Some(format!("the model of client {:?} (\"model\" is not set)", client.name)),
    }
}
