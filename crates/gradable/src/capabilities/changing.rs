//! What makes changes safe: trying them first, and repeating them without doing them twice.

use mst_model::{CapabilityFinding, CapabilityState};
use serde_json::Value;

use super::facts::Facts;
use super::{finding, state_of};

const NOTHING_CHANGES: &str = "no tool changes anything, as far as its declaration shows";

/// A parameter that makes a call a rehearsal, on the tools that change something.
pub(super) fn dry_run(facts: &Facts<'_>) -> CapabilityFinding {
    let name = "dry_run_support";
    let changing = facts.changing();
    if changing.is_empty() {
        return finding(name, CapabilityState::Absent, [], NOTHING_CHANGES);
    }
    let parameters = [
        "dryrun",
        "validateonly",
        "preview",
        "previewonly",
        "simulate",
        "simulateonly",
        "checkonly",
        "planonly",
        "whatif",
        "testmode",
        "noop",
    ];
    let having: Vec<String> = changing.iter().filter_map(|tool| tool.parameter_named(&parameters)).collect();
    let reason = format!("{} of {} tools that change something can be tried first", having.len(), changing.len());
    finding(name, state_of(having.len(), changing.len()), having, reason)
}

/// A parameter that makes a repeated call do nothing more, or a hint that repeating does no harm, on the tools that change
/// something. A hint alone is part of it: it names no key.
pub(super) fn idempotency(facts: &Facts<'_>) -> CapabilityFinding {
    let name = "idempotency_keys";
    let changing = facts.changing();
    if changing.is_empty() {
        return finding(name, CapabilityState::Absent, [], NOTHING_CHANGES);
    }
    let parameters = [
        "idempotencykey",
        "idempotencytoken",
        "idempotentkey",
        "requestid",
        "clientrequestid",
        "clienttoken",
        "clientrequesttoken",
        "dedupekey",
        "deduplicationid",
        "operationid",
    ];
    let having: Vec<String> = changing.iter().filter_map(|tool| tool.parameter_named(&parameters)).collect();
    if !having.is_empty() {
        let reason = format!("{} of {} tools that change something take a key", having.len(), changing.len());
        return finding(name, state_of(having.len(), changing.len()), having, reason);
    }
    let hinted: Vec<String> = changing
        .iter()
        .filter(|tool| {
            let annotations = tool.tool.raw().get("annotations");
            annotations.and_then(|annotations| annotations.get("idempotentHint")) == Some(&Value::Bool(true))
        })
        .map(|tool| tool.tool.name().to_owned())
        .collect();
    let (state, reason) = if hinted.is_empty() {
        (CapabilityState::Absent, "no tool takes a key".to_owned())
    } else {
        let reason = format!(
            "{} of {} tools that change something say that repeating does no harm; none takes a key",
            hinted.len(),
            changing.len()
        );
        (CapabilityState::Partial, reason)
    };
    finding(name, state, hinted, reason)
}
