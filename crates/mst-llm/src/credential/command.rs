//! A command that prints a gateway's token.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use mst_model::Clock;
use process_wrap::tokio::{CommandWrap, KillOnDrop};

use super::AUTH_COMMAND;
use super::token::{Made, TokenCell};
use crate::failure::Failure;

/// The variable that says how long a token is used, in milliseconds.
pub(super) const TTL: &str = "MST_LLM_AUTH_COMMAND_TTL_MS";
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
        let mut command = CommandWrap::with_new("sh", |command| {
            command.arg("-c").arg(&self.command).env_clear().envs(self.env.iter());
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        command.wrap(KillOnDrop);
        let child = command.spawn().map_err(|error| failed(format!("could not be started ({})", error.kind())))?;
        let mut group = Group::of(child.id());
        let output = tokio::time::timeout(TIME_LIMIT, Box::into_pin(child.wait_with_output()))
            .await
            .map_err(|_| failed(format!("took longer than {} s", TIME_LIMIT.as_secs())))?
            .map_err(|error| failed(format!("could not be waited for ({})", error.kind())))?;
        group.disarm();
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

/// The command's process group, killed when nobody waits for the token any more.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    #[cfg_attr(not(unix), expect(unused_variables, reason = "process groups are Unix's"))]
    fn of(id: Option<u32>) -> Self {
        Self {
            #[cfg(unix)]
            leader: id.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())),
        }
    }

    fn disarm(&mut self) {
        #[cfg(unix)]
        {
            self.leader = None;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader {
            // A group that is gone already needs no killing.
            let _gone = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

impl fmt::Debug for AuthCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthCommand").field("ttl_ms", &self.ttl_ms).finish_non_exhaustive()
    }
}
