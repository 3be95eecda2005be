//! The judge: it reads one trial and says how good it is. It never sees a server, a client or a threshold.

use async_trait::async_trait;
use mst_model::{JudgeInput, JudgeScore, TapeScope, Usage};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// A judge.
#[async_trait]
pub trait Judge: Send + Sync {
    /// Returns what the judge is, as plain data.
    fn definition(&self) -> JudgeDefinition;

    /// Returns options as they decide: checked, with every default filled in, so that an option left out hashes as the same
    /// value written out.
    ///
    /// # Errors
    /// What is wrong with them, beyond what their schema says.
    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String>;

    /// Returns the options that decide one criterion alone, before they are parsed; `None` when all of them do.
    fn criterion_options(&self, _options: &Map<String, Value>, _id: &str) -> Option<Map<String, Value>> {
        None
    }

    /// Returns the settings of its plugin that it can grade by; `None` where the plugin takes none. They are part of its
    /// identity.
    fn settings(&self) -> Option<Value> {
        None
    }

    /// Returns whether it asks a model, which is not done for a trial whose client had an error.
    fn calls_model(&self) -> bool {
        true
    }

    /// Checks that the judge can run at all with these parsed options, such as that its credential is there. Never calls a
    /// model. Runs once per distinct setting before anything is spent.
    ///
    /// # Errors
    /// Why it cannot.
    async fn preflight(&self, _options: &Map<String, Value>) -> Result<(), JudgeFault> {
        Ok(())
    }

    /// Judges one trial, once.
    ///
    /// # Errors
    /// When there is no verdict.
    async fn evaluate(
        &self,
        input: &JudgeInput,
        options: &Map<String, Value>,
        context: &JudgeContext,
    ) -> Result<JudgeScore, JudgeFault>;
}

/// What a judge is.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeDefinition {
    /// Its name as configs write it.
    pub name: String,
    /// What it asks, in one line.
    pub description: String,
    /// Dotted paths of the input that it needs, such as `case.expected.criteria`: without one of them it is not called.
    pub requires: Vec<String>,
    /// JSON Schema (draft 2020-12) of its own options; unknown keys are refused by it.
    pub options: Value,
    /// Changes whenever the judge could grade differently with the same options; absent when nothing would show a change.
    pub version: Option<String>,
}

/// What surrounds one call of a judge.
#[derive(Clone, Debug)]
pub struct JudgeContext {
    /// What its model calls belong to on a tape.
    pub scope: TapeScope,
    /// Ends when the verdict is no longer wanted.
    pub cancel: CancellationToken,
}

/// Why there is no verdict. It says nothing about the trial.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JudgeFault {
    /// The run ends.
    #[error("cancelled")]
    Cancelled,
    /// A credential is missing or was refused.
    #[error("{0}")]
    Credentials(String),
    /// Answers came, were paid for, and cannot be used: unreadable ones, or one that was cut off.
    #[error("{why}")]
    Unusable {
        /// What is wrong with them.
        why: String,
        /// What they cost, with that of the calls before them.
        usage: Box<Usage>,
    },
    /// Anything else: a rejected call, an answer that cannot be read, a score out of range.
    #[error("{0}")]
    Failed(String),
}
