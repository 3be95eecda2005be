//! What is to be started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How a program is started: without a shell, and with nothing in its environment but what is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program: a path, or a name that is looked up in the `PATH` of `env`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its working directory; ours when absent.
    pub cwd: Option<PathBuf>,
    /// Its whole environment.
    pub env: BTreeMap<String, String>,
    /// Its stdin.
    pub stdin: Stream,
    /// Its stdout.
    pub stdout: Stream,
    /// Its stderr.
    pub stderr: Stream,
}

/// Where a stream of a program leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stream {
    /// To us.
    #[default]
    Piped,
    /// Nowhere.
    Null,
}
