//! One trial: its connections, its deadline, and what is returned however it ends.

use std::time::Duration;

use futures::future::join_all;
use mst_ext::{ClientContext, ClientSessionOptions, ClientTrial};
use mst_llm::Llm;
use mst_model::{Broke, ClientRun, Clock};
use tokio_util::sync::CancellationToken;

use super::conversation::Conversation;
use super::offers::Offers;
use super::options::ApiOptions;
use super::recording::Recording;
use super::stop::Stop;
use super::tool_server::{Connector, ToolServer};

/// How long what is cancelled gets to end by itself before it is dropped.
const GRACE: Duration = Duration::from_millis(500);

/// What a trial runs with.
pub(super) struct TrialRun<'a> {
    /// Who answers.
    pub(super) llm: &'a dyn Llm,
    /// Connects to servers.
    pub(super) connector: &'a dyn Connector,
    /// The offers made so far.
    pub(super) offers: &'a Offers,
    /// The client's options.
    pub(super) options: &'a ApiOptions,
    /// The session's servers.
    pub(super) session: &'a ClientSessionOptions,
    /// What surrounds the session.
    pub(super) context: &'a ClientContext,
    /// The time.
    pub(super) clock: &'a dyn Clock,
}

impl TrialRun<'_> {
    /// Runs the trial. Connections are given back on every path.
    pub(super) async fn run(&self, trial: &ClientTrial, cancel: &CancellationToken) -> ClientRun {
        // A provider that throttles is waited for before the trial's time and timeout begin.
        self.llm.ready(cancel).await;
        let started = self.clock.now();
        let mut servers = Vec::new();
        let mut recording = Recording::default();
        let stop = self.bounded(trial, cancel, (&mut servers, &mut recording)).await;
        let completed = self.clock.now();
        let seen = servers.iter().map(|server| server.observation()).collect();
        join_all(servers.into_iter().map(ToolServer::release)).await;
        let (error, ending, cause) = match stop {
            Ok(()) => (None, None, None),
            Err(stop) => {
                let cause = stop.cause();
                let (error, ending) = stop.into_ending();
                (error, Some(ending), cause)
            }
        };
        let why = error.as_deref().unwrap_or("the trial ended");
        let mut run = recording.into_run((started, completed), why, seen);
        if let Some(cause) = cause {
            run.diagnostics.details.insert("cause".to_owned(), cause.into());
        }
        ClientRun { error, ending, ..run }
    }

    /// Works under the trial's own timeout and the caller's cancellation.
    async fn bounded(
        &self,
        trial: &ClientTrial,
        cancel: &CancellationToken,
        (servers, recording): (&mut Vec<Box<dyn ToolServer>>, &mut Recording),
    ) -> Result<(), Stop> {
        let token = cancel.child_token();
        let work = self.work(trial, &token, (servers, recording));
        tokio::pin!(work);
        let cut = tokio::select! {
            biased;
            done = &mut work => return done,
            () = cancel.cancelled() => Stop::Cancelled,
            timeout = expiry(self.options.timeout) => {
                Stop::Trial(format!("the trial's timeout ({timeout} ms) was reached"))
            }
        };
        token.cancel();
        // What it still records in this time is kept; how it ends is decided.
        drop(tokio::time::timeout(GRACE, work).await);
        Err(cut)
    }

    async fn work(
        &self,
        trial: &ClientTrial,
        cancel: &CancellationToken,
        (servers, recording): (&mut Vec<Box<dyn ToolServer>>, &mut Recording),
    ) -> Result<(), Stop> {
        self.connect(servers, cancel).await?;
        let conversation = Conversation {
            llm: self.llm,
            options: self.options,
            context: self.context,
            offers: self.offers,
            servers,
            clock: self.clock,
            cancel,
        };
        conversation.run(&trial.prompt, recording).await
    }

    /// Connects to every server at once. Those that connect are kept even when another fails, to be given back.
    async fn connect(&self, servers: &mut Vec<Box<dyn ToolServer>>, cancel: &CancellationToken) -> Result<(), Stop> {
        let taken = join_all(self.session.servers.iter().map(|server| self.connector.take(server, cancel))).await;
        let mut failed = Vec::new();
        for result in taken {
            match result {
                Ok(server) => servers.push(server),
                Err(unconnected) => failed.push(unconnected),
            }
        }
        if failed.is_empty() {
            return Ok(());
        }
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let is_off_tape = failed.iter().any(|unconnected| unconnected.is_off_tape);
        // A refused credential stays refused.
        let refused = failed.iter().any(|unconnected| unconnected.is_authentication);
        let reason = failed.into_iter().map(|unconnected| unconnected.reason).collect::<Vec<_>>().join("; ");
        if is_off_tape {
            return Err(Stop::off_tape(reason));
        }
        let cause = Some(if refused { "authentication" } else { "server" });
        Err(Stop::Infrastructure { broke: Broke::Setup, retryable: !refused, reason, cause })
    }
}

/// Waits for a timeout in milliseconds and returns it; for ever without one.
async fn expiry(timeout: Option<u64>) -> u64 {
    match timeout {
        Some(timeout) => {
            tokio::time::sleep(Duration::from_millis(timeout)).await;
            timeout
        }
        None => std::future::pending().await,
    }
}
