//! Sessions ahead of need: what the pool of servers is told of the trials that are to come.

use mst_config::Plan;
use mst_mcp::Expected;
use tokio_util::sync::CancellationToken;

use crate::deps::RunDeps;
use crate::kept::KeptTrials;
use crate::work::BatchWork;

/// Has the pool make sessions for a variant's trials, on clients that take theirs from it.
///
/// For the first variant this is done before its servers are checked: they start beside the check, and nothing but the
/// handshake and the listing is sent before a trial takes one.
pub(crate) fn expect_variant(
    plan: &Plan,
    variant: usize,
    kept: &KeptTrials,
    (deps, cancel): (&RunDeps, &CancellationToken),
) {
    let planned = &plan.variants[variant];
    for (index, batch) in planned.batches.iter().enumerate() {
        if deps.registry.client(&batch.client.name).is_some_and(|client| client.definition().pooled_sessions) {
            deps.pool.expect(Expected {
                batch: &batch_name(plan, variant, index),
                servers: &planned.servers,
                trials: BatchWork::new(plan, variant, index, kept).len(),
                at_once: plan.concurrency.max(1) as usize,
                cancel,
            });
        }
    }
}

/// Returns a batch's name, unique in the run.
pub(crate) fn batch_name(plan: &Plan, variant: usize, batch: usize) -> String {
    format!("{}/{batch}", plan.variants[variant].name)
}
