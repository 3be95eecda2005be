//! What `run.json` says of a run, from its plan.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use mst_config::{Plan, PlannedClient, PlannedVariant};
use mst_model::{
    MstVersion, Phase, Phases, Provider, RUN_FORMAT, RecordedServer, ReplayRecord, RunId, RunRecord, RunnerRecord,
    ServerReadiness, Timestamp, VariantRecord,
};
use mst_store::{OptionKey, record_server};

use crate::bind::BoundPlan;
use crate::deps::RunDeps;

/// Makes the record of a run that begins.
pub(crate) fn run_record(plan: &Plan, run_id: RunId, created_at: Timestamp, version: &str, grade: bool) -> RunRecord {
    RunRecord {
        format: RUN_FORMAT.to_owned(),
        kind: "run".to_owned(),
        run_id,
        eval_name: plan.name.clone(),
        config_id: plan.name.clone(),
        content_hash: plan.content_hash.clone(),
        created_at,
        finished_at: None,
        mst: MstVersion { version: version.to_owned() },
        baseline: Some(plan.baseline.clone()),
        variants: Vec::new(),
        datasets: plan.datasets.iter().map(|dataset| dataset.record.clone()).collect(),
        partial: plan.partial,
        selection: plan.selection.clone(),
        redact_stored_responses: plan.redact_stored_responses,
        option_key: None,
        graded_from: None,
        judges: Vec::new(),
        plugins: None,
        simulate_writes: None,
        runner: RunnerRecord { name: "local".to_owned(), shards: 1 },
        phases: Phases { collect: Phase::Partial, grade: if grade { Phase::Partial } else { Phase::Skipped } },
        replayed: None,
        throttling: IndexMap::new(),
        sequential: None,
        notes: offline_note(plan).into_iter().collect(),
    }
}

/// Makes the record of a variant's setup, without anything that can hold a secret.
pub(crate) fn variant_record(
    bound: &BoundPlan,
    variant: &PlannedVariant,
    key: &OptionKey,
    readiness: Vec<ServerReadiness>,
    deps: &RunDeps,
) -> VariantRecord {
    let mut options = variant.client.options.clone();
    options.shift_remove("model");
    // Where no server was asked, nobody knows.
    let modes = variant.servers.keys().map(|label| Some((label.clone(), *bound.modes.get(label)?)));
    VariantRecord {
        name: variant.name.clone(),
        description: variant.description.clone(),
        servers: Some(recorded_servers(variant, &deps.env)),
        client: Some(variant.client.name.clone()),
        model: variant.client.model.clone(),
        client_options: (!options.is_empty()).then(|| key.record_options(&options)),
        tools: (!variant.tools.is_empty()).then(|| variant.tools.clone()),
        input_template: variant.input_template.clone(),
        judges: judge_names(variant),
        write_modes: modes.collect(),
        readiness,
        offline: is_offline(variant),
    }
}

/// Makes the record of a variant whose trials are graded and not collected: what collected them is what it was, whatever the
/// config says today.
pub(crate) fn stored_variant(
    stored: Option<&RunRecord>,
    bound: &BoundPlan,
    variant: &PlannedVariant,
    key: &OptionKey,
    deps: &RunDeps,
) -> VariantRecord {
    match stored.iter().flat_map(|record| &record.variants).find(|stored| stored.name == variant.name) {
        Some(stored) => VariantRecord { judges: judge_names(variant), ..stored.clone() },
        None => variant_record(bound, variant, key, Vec::new(), deps),
    }
}

/// Returns the names of the judges that a variant's cases have from its list; `None` when it has none.
pub(crate) fn judge_names(variant: &PlannedVariant) -> Option<Vec<String>> {
    let names: Vec<String> = variant.judges.iter().map(|judge| judge.name.clone()).collect();
    (!names.is_empty()).then_some(names)
}

/// Returns a variant's servers as recorded.
pub(crate) fn recorded_servers(variant: &PlannedVariant, env: &BTreeMap<String, String>) -> Vec<RecordedServer> {
    let home = env.get("HOME").map(String::as_str);
    variant.servers.iter().map(|(label, config)| record_server(label, config, home)).collect()
}

/// Returns whether any of a variant's trials run on the offline baseline.
pub(crate) fn is_offline(variant: &PlannedVariant) -> bool {
    variant.batches.iter().map(|batch| &batch.client).chain([&variant.client]).any(is_offline_client)
}

/// Returns whether a client's trials run on the offline baseline.
pub(crate) fn is_offline_client(client: &PlannedClient) -> bool {
    let provider = client.options.get("provider").and_then(|provider| provider.as_str());
    let inferred = client.priced_model.as_deref().and_then(Provider::infer);
    provider.map_or(inferred == Some(Provider::Offline), |provider| provider == Provider::Offline.as_str())
}

/// Returns what every reader of a replayed run must know.
pub(crate) fn replay_note(replay: &ReplayRecord) -> String {
    let ReplayRecord { tape, recorded_at, recorded_with, .. } = replay;
    format!(
        "replayed from the tape {tape:?}, recorded at {recorded_at} with mst {recorded_with}: no model and no server was asked"
    )
}

/// Returns what every reader of an offline run must know.
fn offline_note(plan: &Plan) -> Option<String> {
    plan.variants.iter().any(is_offline).then(|| {
        "answered by the offline baseline (lexical-1), which is not a language model: do not compare these scores with a \
         language model's"
            .to_owned()
    })
}
