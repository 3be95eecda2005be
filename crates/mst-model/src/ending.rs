//! How an attempt ended. An ending is a value, never an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an attempt ended: as a trial, graded as usual, or because something around the client broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Ending {
    /// The client ran; the attempt counts, even when the client reported an error.
    Trial,
    /// Something around the client broke; the attempt counts for nothing.
    Infrastructure {
        /// What broke.
        broke: Broke,
        /// Whether collecting the trial again can help.
        retryable: bool,
        /// What happened, for people. Never read to decide anything.
        reason: String,
    },
}

/// What broke around a client. A closed set: an unknown value fails the read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Broke {
    /// The client application.
    ClientApp,
    /// The workspace it ran in.
    Workspace,
    /// The network.
    Network,
    /// The model's provider.
    Provider,
    /// The collection of the trial.
    Collection,
    /// A deadline that was not the case's own timeout.
    Deadline,
    /// The setup: a server that is not ready, a rejected key.
    Setup,
}

impl Ending {
    /// Returns whether the attempt counts for nothing.
    pub fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Infrastructure { .. })
    }

    /// Returns whether the attempt failed in a way that collecting it again can help.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Infrastructure { retryable: true, .. })
    }

    /// Makes a retryable infrastructure failure.
    pub fn retryable(broke: Broke, reason: impl Into<String>) -> Self {
        Self::Infrastructure { broke, retryable: true, reason: reason.into() }
    }

    /// Makes an infrastructure failure that a retry cannot help.
    pub fn permanent(broke: Broke, reason: impl Into<String>) -> Self {
        Self::Infrastructure { broke, retryable: false, reason: reason.into() }
    }
}
