//! A command that prints a gateway's token.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use mst_model::Clock;
use tokio::process::Command;

use super::AUTH_COMMAND;
use super::token::{Made, TokenCell};
use crate::failure::Failure;

/// The variable that says how long a token is used, in milliseconds.
const TTL: &str = "MST_LLM_AUTH_COMMAND_TTL_MS";
const DEFAULT_TTL_MS: u64 = 300_000;

/// How long the command may take.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// A command whose output is a token, run through `sh -c` with the settings' environment.
pub(crate) struct AuthCommand {
    command: String,
    env: Arc<BTreeMap<String, String>>,
    ttl_ms: u64,
    token: TokenCell,
}

impl AuthCommand {
    pub(crate) fn new(command: String, env: Arc<BTreeMap<String, String>>) -> Self {
        let ttl_ms = env.get(TTL).and_then(|text| text.trim().parse().ok()).unwrap_or(DEFAULT_TTL_MS);
        Self { command, env, ttl_ms, token: TokenCell::default() }
    }

    pub(crate) fn is(&self, command: &str, env: &BTreeMap<String, String>) -> bool {
        self.command == command && *self.env == *env
    }

    pub(super) async fn token(&self, clock: &dyn Clock) -> Result<String, Failure> {
        self.token.get(clock, self.run()).await
    }

    pub(super) async fn forget(&self) {
        self.token.forget().await;
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        self.token.seen()
    }

    /// Runs the command. What it prints is never shown, not even when it fails.
    async fn run(&self) -> Result<Made, Failure> {
        let failed = |what: String| Failure::Auth { detail: format!("{AUTH_COMMAND} {what}") };
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.command).env_clear().envs(self.env.iter());
        command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(TIME_LIMIT, command.output())
            .await
            .map_err(|_| failed(format!("took longer than {} s", TIME_LIMIT.as_secs())))?
            .map_err(|error| failed(format!("could not be started ({})", error.kind())))?;
        if !output.status.success() {
            return Err(failed(format!("ended with {}", output.status)));
        }
        let token = std::str::from_utf8(&output.stdout).map(str::trim).unwrap_or_default();
        if token.is_empty() {
            return Err(failed("printed no token".to_owned()));
        }
        Ok(Made { value: token.to_owned(), lives_ms: self.ttl_ms })
    }
}

impl fmt::Debug for AuthCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthCommand").field("ttl_ms", &self.ttl_ms).finish_non_exhaustive()
    }
}
