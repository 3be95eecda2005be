//! A run-only client as a session.

use std::sync::Arc;

use async_trait::async_trait;
use mst_model::ClientRun;
use tokio_util::sync::CancellationToken;

use super::client::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSession, ClientSessionOptions, ClientTrial,
    Continuation, SessionResult,
};

/// A client that keeps nothing between trials.
#[async_trait]
pub trait RunOnlyClient: Send + Sync {
    /// Returns what the client is, as plain data.
    fn definition(&self) -> ClientDefinition;

    /// Checks options and credentials before the first trial. Touches no server and no network.
    fn check(&self, options: &ClientSessionOptions) -> Result<(), ClientOpenError>;

    /// Runs one input. Never fails: what broke is the result's ending.
    async fn run(
        &self,
        trial: &ClientTrial,
        options: &ClientSessionOptions,
        context: &ClientContext,
        cancel: &CancellationToken,
    ) -> ClientRun;
}

/// Wraps a run-only client in sessions that keep nothing.
pub struct OneShot<C>(Arc<C>);

impl<C: RunOnlyClient> OneShot<C> {
    /// Wraps a client.
    pub fn new(client: C) -> Self {
        Self(Arc::new(client))
    }
}

#[async_trait]
impl<C: RunOnlyClient + 'static> Client for OneShot<C> {
    fn definition(&self) -> ClientDefinition {
        self.0.definition()
    }

    async fn open(
        &self,
        options: ClientSessionOptions,
        context: ClientContext,
    ) -> Result<Box<dyn ClientSession>, ClientOpenError> {
        self.0.check(&options)?;
        Ok(Box::new(OneShotSession { client: Arc::clone(&self.0), options, context }))
    }
}

struct OneShotSession<C> {
    client: Arc<C>,
    options: ClientSessionOptions,
    context: ClientContext,
}

#[async_trait]
impl<C: RunOnlyClient> ClientSession for OneShotSession<C> {
    async fn run(&mut self, trial: &ClientTrial, cancel: &CancellationToken) -> SessionResult {
        let result = self.client.run(trial, &self.options, &self.context, cancel).await;
        SessionResult { result, continuation: Continuation::Continue }
    }
}
