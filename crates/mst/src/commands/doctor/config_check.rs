//! What an eval config needs: servers that start, clients that open, a directory that takes files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use mst_cli::{CliError, ExitClass, wait_for};
use mst_config::{LoadRequest, Loaded, SelectionFlags, load};
use mst_engine::{JudgeCheck, RunError, check_judges, scrubber};
use mst_ext::{ClientContext, ClientOpenError, ClientSessionOptions, Registry};
use mst_mcp::{McpError, Probed, ServerPool};
use mst_model::{Clock, Scrubber, ServerConfig, ServerLabel, WriteMode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::DoctorArgs;
use crate::commands::target::servers_of;
use crate::{builtins, error};

/// An eval that was loaded.
pub(crate) struct ConfigCheck {
    loaded: Loaded,
}

/// What a config was found to need and have.
pub(crate) struct Checked {
    pub(crate) class: ExitClass,
    pub(crate) report: Value,
}

impl ConfigCheck {
    /// Loads the config with its datasets.
    pub(crate) fn load(path: &Path, args: &DoctorArgs, clock: &Arc<dyn Clock>) -> Result<Self, CliError> {
        let request = LoadRequest {
            config_path: path.to_owned(),
            root_dir: args.root_dir.clone(),
            output_dir: args.output_dir.clone(),
            selection: SelectionFlags::default(),
            // No trial is run here.
            allow_live_writes: true,
            catalog: builtins::catalog(Arc::clone(clock)),
        };
        Ok(Self { loaded: load(&request).map_err(error::diagnostics)? })
    }

    /// Starts each server, opens each client and tries the output directory.
    pub(crate) fn run(self, variables: &BTreeMap<String, String>, clock: &Arc<dyn Clock>) -> Result<Checked, CliError> {
        let mut classes = Vec::new();
        let output = self.output(&mut classes);
        let variables = Arc::new(variables.clone());
        let program = std::env::current_exe().ok();
        let pool = Arc::new(builtins::pool(&variables, program.as_deref(), None));
        let registry = Arc::new(builtins::registry(Arc::clone(&pool), &variables, Arc::clone(clock), None));
        let (loaded, pool, registry) = (&self.loaded, &pool, &registry);
        let (servers, clients, judges) = wait_for(|cancel| async move {
            let servers = probe(&servers_of(loaded), pool, &cancel).await;
            let clients = open(loaded, registry).await;
            let judges = check_judges(&loaded.plan, Arc::clone(registry)).await;
            pool.close_all().await;
            (servers, clients, judges)
        })?;
        let secrets = scrubber(&self.loaded.plan, &variables);
        let servers: Vec<Value> = servers
            .into_iter()
            .map(|(label, found)| {
                let live = self.loaded.plan.writes.get(&label) == Some(&WriteMode::Live);
                let mut shown = server(&label, found, &secrets, &mut classes);
                if live {
                    shown["needsFlag"] = json!("--allow-live-writes");
                }
                shown
            })
            .collect();
        let clients: Vec<Value> =
            clients.into_iter().map(|(client, found)| opened(client, found, &mut classes)).collect();
        let judges: Vec<Value> =
            judges.map_err(error::run)?.into_iter().map(|check| judge(check, &mut classes)).collect();
        let class = ExitClass::first(classes);
        let mut report =
            json!({ "name": self.loaded.plan.name, "servers": servers, "clients": clients, "output": output });
        if !judges.is_empty() {
            report["judges"] = judges.into();
        }
        Ok(Checked { class, report })
    }

    /// Tries to write where the run's directory would be, without making it: in the nearest folder that is there.
    fn output(&self, classes: &mut Vec<ExitClass>) -> Value {
        let directory = std::path::absolute(&self.loaded.output_dir).unwrap_or_else(|_| self.loaded.output_dir.clone());
        let nearest = directory.ancestors().find(|folder| folder.exists());
        let tried = match nearest {
            None => Err("no folder of its path is there".to_owned()),
            Some(folder) if !folder.is_dir() => Err(format!("{} is no directory", folder.display())),
            Some(folder) => tempfile::Builder::new()
                .prefix(".mst-doctor-")
                .tempfile_in(folder)
                .map(drop)
                .map_err(|error| format!("{} cannot be written: {}", folder.display(), error.kind())),
        };
        let mut output = json!({ "directory": directory.display().to_string(), "writable": tried.is_ok() });
        if let Err(problem) = tried {
            classes.push(ExitClass::Machine);
            output["problem"] = json!(problem);
        }
        output
    }
}

/// Checks every server once, all at a time; the result is in the config's order.
async fn probe(
    servers: &indexmap::IndexMap<ServerLabel, ServerConfig>,
    pool: &Arc<ServerPool>,
    cancel: &CancellationToken,
) -> Vec<(ServerLabel, Result<Probed, McpError>)> {
    let mut probing = tokio::task::JoinSet::new();
    for (at, (label, config)) in servers.iter().enumerate() {
        let (pool, label, config, cancel) = (Arc::clone(pool), label.clone(), config.clone(), cancel.clone());
        probing.spawn(async move {
            let found = pool.probe(&label, &config, &cancel).await;
            (at, label, found)
        });
    }
    let mut found = probing.join_all().await;
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().map(|(_, label, found)| (label, found)).collect()
}

fn server(
    label: &ServerLabel,
    found: Result<Probed, McpError>,
    secrets: &Scrubber,
    classes: &mut Vec<ExitClass>,
) -> Value {
    match found {
        Ok(ready) => json!({
            "label": label,
            "ready": true,
            "tools": ready.surface.tools.len(),
            "protocolVersion": ready.observation.protocol_version,
            "warnings": ready.observation.warnings.iter().map(|warning| secrets.text(warning)).collect::<Vec<_>>(),
        }),
        Err(fault) => {
            let class = error::server(&fault, secrets).class;
            classes.push(class);
            json!({ "label": label, "ready": false, "class": class.name(), "reason": secrets.text(&fault.to_string()) })
        }
    }
}

/// What a client of the plan is, by what tells it from others.
type Named = (String, Option<String>);

/// Opens and closes each client of the plan, which tells a missing key without any request.
async fn open(loaded: &Loaded, registry: &Registry) -> Vec<(Named, Result<(), ClientOpenError>)> {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for variant in &loaded.plan.variants {
        for client in variant.batches.iter().map(|batch| &batch.client) {
            if seen.contains(&client) {
                continue;
            }
            seen.push(client);
            let options = ClientSessionOptions { options: client.options.clone(), servers: Vec::new() };
            let context = ClientContext {
                variant: variant.name.clone(),
                batch: "check".to_owned(),
                tools: variant.tools.clone(),
                ready_tools: BTreeMap::<ServerLabel, BTreeSet<String>>::new(),
                signals: mst_ext::RunSignals::default(),
            };
            let opened = match registry.client(&client.name) {
                None => Err(ClientOpenError::Setup(format!("there is no client {:?} in this version", client.name))),
                Some(client) => match client.open(options, context).await {
                    Ok(mut session) => session.close().await.map_err(ClientOpenError::Setup),
                    Err(fault) => Err(fault),
                },
            };
            found.push(((client.name.clone(), client.priced_model.clone()), opened));
        }
    }
    found
}

fn judge(check: JudgeCheck, classes: &mut Vec<ExitClass>) -> Value {
    let mut value = json!({ "judge": check.name, "models": check.models, "ready": check.fault.is_none() });
    if check.is_pairwise {
        value["kind"] = json!("pairwise");
    }
    if let Some(fault) = check.fault {
        let reason = match &fault {
            RunError::JudgeNotReady { reason, .. } => reason.clone(),
            other => other.to_string(),
        };
        let class = error::run(fault).class;
        classes.push(class);
        value["class"] = json!(class.name());
        value["reason"] = json!(reason);
    }
    value
}

fn opened((name, model): Named, found: Result<(), ClientOpenError>, classes: &mut Vec<ExitClass>) -> Value {
    let mut value = json!({ "client": name, "ready": found.is_ok() });
    if let Some(model) = model {
        value["model"] = json!(model);
    }
    if let Err(fault) = found {
        let class = match &fault {
            ClientOpenError::Credentials(_) => ExitClass::Authentication,
            ClientOpenError::Setup(_) => ExitClass::Usage,
            ClientOpenError::Unavailable(_) => ExitClass::Incomplete,
        };
        classes.push(class);
        value["class"] = json!(class.name());
        value["reason"] = json!(fault.to_string());
    }
    value
}
