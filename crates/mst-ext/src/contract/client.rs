//! The client under test: it runs one input and returns its transcript. It never repeats, judges or decides.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use mst_model::{CaseId, ClientRun, Evidence, Requirements, ServerConfig, ServerLabel, ToolMetadata, VariantName};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::signals::RunSignals;

/// A client under test.
#[async_trait]
pub trait Client: Send + Sync {
    /// Returns what the client is, as plain data.
    fn definition(&self) -> ClientDefinition;

    /// Opens the client for several trials with fixed options and servers.
    ///
    /// A run-only client is wrapped in [`crate::OneShot`], so that the collection loop knows sessions alone.
    async fn open(
        &self,
        options: ClientSessionOptions,
        context: ClientContext,
    ) -> Result<Box<dyn ClientSession>, ClientOpenError>;
}

/// A client that has been opened. Its operations are called one at a time, and `close` on every path.
#[async_trait]
pub trait ClientSession: Send {
    /// Runs one trial. Never fails: what broke is the result's ending.
    ///
    /// When `cancel` ends, the client stops at once and returns what it has.
    async fn run(&mut self, trial: &ClientTrial, cancel: &CancellationToken) -> SessionResult;

    /// Returns the client to a fresh state without sending a prompt.
    async fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Releases the client.
    async fn close(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// What a client is and what it honours.
#[derive(Clone, Debug)]
pub struct ClientDefinition {
    /// Its name as configs write it.
    pub name: String,
    /// What product it is, in one line.
    pub description: String,
    /// JSON Schema (draft 2020-12) of its options, `model` included; unknown keys are refused by it.
    pub options: Value,
    /// How far its transcripts can be trusted.
    pub evidence: Evidence,
    /// Whether it presents a variant's tool metadata itself.
    pub tool_metadata: bool,
    /// Whether each of its trials takes one session with each server from the pool that it shares with the run, so that
    /// sessions can be made ahead of need.
    pub pooled_sessions: bool,
    /// Whether it reports what each trial cost, so that a budget needs no price for its models.
    pub reports_cost: bool,
    /// Whether it starts a program that can report of itself over OpenTelemetry: each trial's `env` then leads what the
    /// program reports to the run.
    pub reports_telemetry: bool,
    /// The most trials it runs at once; no limit when absent.
    pub max_concurrency: Option<u32>,
    /// What a machine needs to run it.
    pub requirements: Requirements,
}

/// A server with its label.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedServer {
    /// The label.
    pub label: ServerLabel,
    /// The entry.
    pub config: ServerConfig,
}

/// What is fixed for a session.
#[derive(Clone, Debug)]
pub struct ClientSessionOptions {
    /// The client's options, checked against its schema, `model` included, defaults filled in.
    pub options: Map<String, Value>,
    /// The servers the client connects to, in the config's order.
    pub servers: Vec<NamedServer>,
}

/// What surrounds a session.
#[derive(Clone, Debug)]
pub struct ClientContext {
    /// The variant.
    pub variant: VariantName,
    /// The batch, by a name that is unique in the run: its trials are those that share a shared server session.
    pub batch: String,
    /// The variant's tool metadata.
    pub tools: ToolMetadata,
    /// The tools that each server listed when it was checked; a server without an entry was not checked.
    pub ready_tools: BTreeMap<ServerLabel, BTreeSet<String>>,
    /// Where the session tells the run that a provider throttles.
    pub signals: RunSignals,
}

/// One trial to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientTrial {
    /// The case.
    pub case_id: CaseId,
    /// The trial, from 0.
    pub trial: u32,
    /// The prompt, with the variant's input template applied.
    pub prompt: String,
    /// Variables that a program which is started for this trial gets over its environment.
    pub env: BTreeMap<String, String>,
}

/// What a session returns for one trial.
#[derive(Clone, Debug)]
pub struct SessionResult {
    /// The attempt.
    pub result: ClientRun,
    /// What the session needs next.
    pub continuation: Continuation,
}

/// What a session needs before it can run another trial. Says nothing about pass or fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// Nothing.
    Continue,
    /// A reset.
    Reset,
    /// It can run no other.
    Stop,
}

/// A client that could not be opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ClientOpenError {
    /// It is not to be had now; its trials are infrastructure failures and the run goes on.
    #[error("{0}")]
    Unavailable(String),
    /// Its options or the setup are wrong; the run stops.
    #[error("{0}")]
    Setup(String),
    /// A key is missing or unusable; the run stops.
    #[error("{0}")]
    Credentials(String),
}
