//! Response sizes: what a server's tools answered in a run of `mst`.

use std::collections::BTreeSet;
use std::path::Path;

use mst_cli::{CliError, ExitClass, usage};
use mst_measure::rubric::ResponseSizes;
use mst_model::{Event, ResponseSource};
use mst_store::{RunLayout, RunReader, StoreError};

use crate::surface::Surface;

/// What the tools of a run answered.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    sizes: ResponseSizes,
    /// The tools that answered.
    tools: BTreeSet<String>,
}

impl Responses {
    /// Returns the sizes as those of a surface.
    ///
    /// # Errors
    /// None of the tools is one of the surface: the run is of another server.
    pub(crate) fn of(self, surface: &Surface) -> Result<ResponseSizes, String> {
        if surface.tools.iter().any(|tool| self.tools.contains(tool.name())) {
            return Ok(self.sizes);
        }
        let shown: Vec<&str> = self.tools.iter().map(String::as_str).take(3).collect();
        Err(format!(
            "--responses: the run {} is of another server: the tools that answered in it ({}{}) are not listed here",
            self.sizes.source.run_id,
            shown.join(", "),
            if self.tools.len() > shown.len() { ", …" } else { "" }
        ))
    }
}

/// Reads the sizes of the answers in a run's directory.
///
/// Every answer of an MCP server counts, failures too: a model reads them all. Where the run has several servers, `server`
/// says which one is meant.
///
/// # Errors
/// The directory is no run, the run was stored redacted, `server` is needed or names none, or no tool answered.
pub(crate) fn response_sizes(run: &Path, server: Option<&str>) -> Result<Responses, CliError> {
    let folder = std::path::absolute(run).map_err(|error| usage(format!("--responses: {}: {error}", run.display())))?;
    let reader = RunReader::open(RunLayout::new(folder)).map_err(|error| unreadable(&error))?;
    let id = reader.id().as_str().to_owned();
    if reader.record().view().redact_stored_responses {
        let message = format!("--responses: the run {id} was stored redacted, without what tools answered");
        return Err(usage(message).with_hint("collect a run with \"redactStoredResponses\": false"));
    }
    let mut counted = Counted::default();
    for path in reader.trial_paths().map_err(|error| unreadable(&error))? {
        let trial = reader.trial_at(&path).map_err(|error| unreadable(&error))?;
        let events =
            trial.view().transcript.as_ref().map(|transcript| transcript.events.as_slice()).unwrap_or_default();
        counted.trial(events, server);
    }
    counted.sizes(id, server)
}

fn unreadable(error: &StoreError) -> CliError {
    CliError::new(ExitClass::Usage, format!("--responses: {error}"))
}

/// What was counted so far.
#[derive(Default)]
struct Counted {
    bytes: u64,
    trials: u64,
    results: u64,
    /// Servers that answered, in the order they did first.
    servers: Vec<String>,
    tools: BTreeSet<String>,
}

impl Counted {
    fn trial(&mut self, events: &[Event], server: Option<&str>) {
        self.trials += 1;
        for event in events.iter().filter(|event| event.is_mcp_call()) {
            let (Some(label), Some(output)) = (&event.server, &event.output) else { continue };
            let label = label.to_string();
            let counts = server.is_none_or(|server| server == label);
            if !self.servers.contains(&label) {
                self.servers.push(label);
            }
            if counts {
                self.bytes += output.len() as u64;
                self.results += 1;
                self.tools.insert(event.name.clone());
            }
        }
    }

    fn sizes(self, run: String, server: Option<&str>) -> Result<Responses, CliError> {
        let names = || self.servers.join(", ");
        match server {
            None if self.servers.len() > 1 => {
                let message = format!("--responses: the run {run} has answers of several servers: {}", names());
                return Err(usage(message).with_hint("say which with --responses-server"));
            }
            Some(server) if !self.servers.iter().any(|known| known == server) => {
                let message = format!("--responses-server: no server {server:?} answered in the run {run}");
                let error = usage(message);
                return Err(if self.servers.is_empty() {
                    error
                } else {
                    error.with_hint(format!("these did: {}", names()))
                });
            }
            _ => {}
        }
        if self.results == 0 {
            return Err(usage(format!("--responses: no tool answered in the run {run}")));
        }
        let source = ResponseSource { run_id: run, trials: self.trials, results: self.results };
        Ok(Responses { sizes: ResponseSizes { bytes: self.bytes, source }, tools: self.tools })
    }
}
