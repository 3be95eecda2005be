//! The built-ins, wired: what this binary registers.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mst_clients::{ApiDeps, api_client, unavailable_clients};
use mst_ext::Registry;
use mst_judges::{JudgeDeps, built_in, built_in_pairwise};
use mst_llm::LlmConnector;
use mst_mcp::{ConnectOptions, ServerPool};
use mst_measure::metric_entries;
use mst_model::{Catalog, Clock, Tape};
use mst_process::{GuardianProgram, Launcher};
use mst_store::{FileResultStore, unavailable_result_stores};

/// Returns what configs may name, as plain data. Starts nothing.
pub(crate) fn catalog(clock: Arc<dyn Clock>) -> Catalog {
    let pool = Arc::new(ServerPool::new(ConnectOptions::default()));
    registry(pool, &Arc::new(BTreeMap::new()), clock, None).catalog()
}

/// Returns the built-ins bound to an environment.
pub(crate) fn registry(
    pool: Arc<ServerPool>,
    env: &Arc<BTreeMap<String, String>>,
    clock: Arc<dyn Clock>,
    tape: Option<Tape>,
) -> Registry {
    let mut registry = Registry::new();
    let llm = LlmConnector::new(env, Arc::clone(&clock)).with_tape(tape);
    registry.add_client(api_client(ApiDeps { pool, llm: llm.clone(), clock, env: Arc::clone(env) }));
    let judges = JudgeDeps { llm, env: Arc::clone(env) };
    for judge in built_in_pairwise(judges.clone()) {
        registry.add_pairwise_judge(judge);
    }
    for judge in built_in(judges) {
        registry.add_judge(judge);
    }
    for entry in unavailable_clients().into_iter().chain(metric_entries()) {
        registry.add_entry(entry);
    }
    add_result_stores(&mut registry);
    registry
}

/// Returns the kinds of result store alone, for commands that ask no model and start no server.
pub(crate) fn result_stores() -> Registry {
    let mut registry = Registry::new();
    add_result_stores(&mut registry);
    registry
}

fn add_result_stores(registry: &mut Registry) {
    registry.add_result_store(Arc::new(FileResultStore));
    for entry in unavailable_result_stores() {
        registry.add_entry(entry);
    }
}

/// Returns the pool of a run's connections.
///
/// A stdio server's PATH ends with the folder that holds this program, so that an eval can name `mst demo-server` without
/// an installation.
pub(crate) fn pool(env: &BTreeMap<String, String>, program: Option<&Path>, tape: Option<Tape>) -> ServerPool {
    let mut base_env = env.clone();
    if let Some(folder) = program.and_then(Path::parent) {
        let path = base_env.entry("PATH".to_owned()).or_default();
        let separator = if cfg!(windows) { ';' } else { ':' };
        if !path.is_empty() {
            path.push(separator);
        }
        path.push_str(&folder.display().to_string());
    }
    ServerPool::new(ConnectOptions {
        base_env,
        bearer: None,
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        default_cwd: None,
        tape,
        launcher: launcher(),
    })
}

/// Returns what starts a run's programs: the guardian is this program again, even when its file has been replaced since.
pub(crate) fn launcher() -> Launcher {
    Launcher::guarded(GuardianProgram { path: "/proc/self/exe".into(), args: vec![crate::args::GUARDIAN.to_owned()] })
}
