//! Write modes: every server of every variant has one before the run starts, or the run does not start.

use std::collections::BTreeMap;
use std::sync::Mutex;

use futures::future::join_all;
use indexmap::IndexMap;
use mst_config::{Plan, PlannedVariant};
use mst_mcp::{McpError, Probed, ToolSurface};
use mst_model::{ServerConfig, ServerLabel, WriteMode};
use tokio_util::sync::CancellationToken;

use crate::deps::RunDeps;
use crate::error::RunError;

/// A plan whose servers all have a write mode.
pub struct BoundPlan {
    /// The plan.
    pub plan: Plan,
    /// Each server's write mode, by label. The variants of an eval share one server map.
    pub modes: IndexMap<ServerLabel, WriteMode>,
    /// What the check of each server found. The first batch that uses a server takes it as its first readiness
    /// check, so that a server is not started twice for one answer.
    first_checks: Mutex<BTreeMap<ServerLabel, Result<Probed, McpError>>>,
}

impl BoundPlan {
    /// Lists the tools of each server, and refuses a read-only one that lists a write tool and tool metadata for a tool that
    /// is not there.
    ///
    /// A server that cannot be listed now is left to the readiness check of its first batch.
    pub async fn bind(plan: Plan, deps: &RunDeps, cancel: &CancellationToken) -> Result<Self, RunError> {
        let servers: IndexMap<ServerLabel, ServerConfig> =
            plan.variants.iter().flat_map(|variant| variant.servers.clone()).collect();
        let modes: IndexMap<ServerLabel, WriteMode> = servers
            .keys()
            .map(|label| (label.clone(), plan.writes.get(label).copied().unwrap_or(WriteMode::ReadOnly)))
            .collect();
        let checks = servers
            .iter()
            .filter(|(label, _)| modes[*label] == WriteMode::ReadOnly)
            .map(|(label, config)| async { (label.clone(), deps.pool.probe(label, config, cancel).await) });
        let first_checks: BTreeMap<_, _> = join_all(checks).await.into_iter().collect();
        let writing: Vec<(ServerLabel, Vec<String>)> = first_checks
            .iter()
            .filter(|(label, _)| modes[*label] == WriteMode::ReadOnly)
            .filter_map(|(label, check)| Some((label, check.as_ref().ok()?)))
            .map(|(label, probed)| (label.clone(), write_tools(&probed.surface)))
            .filter(|(_, tools)| !tools.is_empty())
            .collect();
        if !writing.is_empty() {
            return Err(RunError::WriteTools { servers: writing });
        }
        for variant in &plan.variants {
            check_tool_metadata(variant, &first_checks)?;
        }
        Ok(Self { plan, modes, first_checks: Mutex::new(first_checks) })
    }

    /// Makes a plan whose servers are never spoken to: that of a run which is graded again.
    pub(crate) fn without_servers(plan: Plan) -> Self {
        Self { plan, modes: IndexMap::new(), first_checks: Mutex::default() }
    }

    /// Takes what the first check of a server found; `None` when it was taken before or never made.
    pub(crate) fn take_first_check(&self, label: &ServerLabel) -> Option<Result<Probed, McpError>> {
        self.first_checks.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(label)
    }
}

/// Refuses tool metadata whose key names no listed tool or several, and a name that two tools would share. Says nothing
/// while a server of the variant could not be listed.
fn check_tool_metadata(
    variant: &PlannedVariant,
    checks: &BTreeMap<ServerLabel, Result<Probed, McpError>>,
) -> Result<(), RunError> {
    let mut known: Vec<(&ServerLabel, &str)> = Vec::new();
    for label in variant.servers.keys() {
        let Some(Ok(probed)) = checks.get(label) else { return Ok(()) };
        known.extend(probed.surface.tools.iter().map(|tool| (label, tool.name())));
    }
    let refuse = |key: &str, problem: String| {
        let known = known.iter().map(|(_, tool)| (*tool).to_owned()).collect();
        Err(RunError::ToolMetadata { variant: variant.name.clone(), key: key.to_owned(), problem, known })
    };
    for key in variant.tools.keys() {
        if known.iter().any(|(label, tool)| format!("{label}.{tool}") == *key) {
            continue;
        }
        match known.iter().filter(|(_, tool)| tool == key).count() {
            0 => return refuse(key, "names a tool that none of its servers lists".to_owned()),
            1 => {}
            count => return refuse(key, format!("names a tool of {count} servers; write server.tool")),
        }
    }
    let mut presented = BTreeMap::new();
    for (label, tool) in &known {
        let key = format!("{label}.{tool}");
        let key = if variant.tools.contains_key(&key) { key } else { (*tool).to_owned() };
        let name = variant.tools.get(&key).and_then(|patch| patch.name.as_deref()).unwrap_or(tool);
        if let Some(other) = presented.insert((*label, name), *tool) {
            let key = if name == *tool { other } else { key.as_str() };
            return refuse(
                key,
                format!("would give {other:?} and {tool:?} of {:?} the one name {name:?}", label.as_str()),
            );
        }
    }
    Ok(())
}

/// Returns the names of a surface's tools that are not read-only.
pub(crate) fn write_tools(surface: &ToolSurface) -> Vec<String> {
    surface.tools.iter().filter(|tool| !tool.is_read_only()).map(|tool| tool.name().to_owned()).collect()
}
