//! What a connection needs beside the server's entry.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use mst_model::{AccessAuth, ServerConfig, ServerLabel, Tape};
use mst_process::Launcher;

/// A server by its label and entry, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct NamedServerRef<'a> {
    /// The label.
    pub label: &'a ServerLabel,
    /// The entry.
    pub config: &'a ServerConfig,
}

/// What a connection needs beside the server's entry.
#[derive(Clone, Debug, Default)]
pub struct ConnectOptions {
    /// The environment and the secrets file. A stdio server gets the safe variables of it (all with `inheritEnv`), and
    /// `auth.accessTokenEnv` is looked up in it.
    pub base_env: BTreeMap<String, String>,
    /// A bearer token that replaces the entry's own.
    pub bearer: Option<String>,
    /// The version that is given to servers as the client's.
    pub client_version: String,
    /// The folder that a relative `cwd` and relative TLS paths are taken from, and the working directory of servers
    /// without a `cwd`.
    pub default_cwd: Option<PathBuf>,
    /// What stands between a connection and its server. With one no session is started ahead of need.
    pub tape: Option<Tape>,
    /// Starts the programs of stdio servers.
    pub launcher: Launcher,
}

/// The name that is given to servers as the client's.
pub(crate) const CLIENT_NAME: &str = "mst";

/// How long connecting and listing may take together when the entry does not say.
const WHOLE: Duration = Duration::from_secs(30);
/// The longest time that is counted: a year is for ever, and a point in time can still be told.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// A server's times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// From the start to the end of the handshake.
    pub(crate) connect: Duration,
    /// From the start to the end of the listing.
    pub(crate) whole: Duration,
    /// One request that is no call.
    pub(crate) request: Duration,
    /// One call.
    pub(crate) call: Duration,
}

impl Limits {
    /// Returns the times of an entry: 30 s in all, and `connectTimeoutMs` + 30 s when that is longer than 30 s.
    pub(crate) fn of(config: &ServerConfig) -> Self {
        let millis = |value: Option<u64>| value.map(|millis| Duration::from_millis(millis).min(LONGEST));
        let connect = millis(config.connect_timeout_ms());
        Self {
            connect: connect.unwrap_or(WHOLE),
            whole: connect.filter(|connect| *connect > WHOLE).map_or(WHOLE, |connect| connect + WHOLE),
            request: millis(config.request_timeout_ms()).unwrap_or(WHOLE),
            call: millis(config.call_timeout_ms()).unwrap_or(WHOLE),
        }
    }
}

/// Returns the bearer token that an entry gives, or the variable that should hold one and does not.
pub fn access_token(auth: &AccessAuth, env: &BTreeMap<String, String>) -> Result<Option<String>, String> {
    if let Some(token) = &auth.access_token {
        return Ok(Some(token.clone()));
    }
    let Some(variable) = &auth.access_token_env else { return Ok(None) };
    env.get(variable).filter(|token| !token.is_empty()).cloned().map(Some).ok_or_else(|| variable.clone())
}
