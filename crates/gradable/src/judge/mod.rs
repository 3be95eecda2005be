//! Who judges a surface: the offline rules, or a model behind an API or a program.
//!
//! A judge answers four stages. It never sees a server, only the declared surface, and what the surface says is data to it.

mod asker;
mod flags;
pub(crate) mod offline;
mod prompted;
pub(crate) mod sample;

use async_trait::async_trait;
use mst_mcp::ListedTool;
use mst_model::{ConfusablePair, Defect, ScanStage, ScanTask, StageJudge};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub(crate) use asker::ANSWERS_FILE;
pub(crate) use flags::{JudgeArgs, JudgeDeps};

use crate::surface::Surface;

/// Something that judges a surface.
#[async_trait]
pub(crate) trait Judge: Send + Sync {
    /// Makes sure that the judge can be asked, before a server is reached and anything is spent: a key is set, a program is
    /// there.
    async fn ready(&self, _cancel: &CancellationToken) -> Result<(), StageFault> {
        Ok(())
    }

    /// Returns whether its stages take long enough to be told one by one in a log.
    fn is_slow(&self) -> bool {
        true
    }

    /// Makes tasks from a surface: for each tool of [`sample::sampled`] at least one that it fits, and some that no tool
    /// fits. Whether a task is destructive is for the caller to say, by its expected tool.
    async fn tasks(&self, surface: &Surface, cancel: &CancellationToken)
    -> Result<Answered<Vec<ScanTask>>, StageFault>;

    /// Finds each tool's description defects, with a description to consider for each defective tool.
    async fn defects(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ToolDefects>>, StageFault>;

    /// Finds pairs of tools that a model may take for one another.
    async fn confusable(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ConfusablePair>>, StageFault>;

    /// Says for each task which tool it would call, with what arguments, and whether it would ask the user first.
    async fn select(&self, pass: &Pass<'_>, cancel: &CancellationToken) -> Result<Answered<Vec<Choice>>, StageFault>;

    /// Counts the tokens of a surface's definitions, as a whole and tool by tool, by the provider's own endpoint; `None`
    /// where there is none, and the caller estimates.
    async fn definition_tokens(
        &self,
        _surface: &Surface,
        _cancel: &CancellationToken,
    ) -> Result<Option<DefinitionTokens>, StageFault> {
        Ok(None)
    }

    /// Lets go of the answers that were kept in case the scan fails. To be called once the report is written.
    ///
    /// # Errors
    /// When they cannot be removed.
    fn done(&self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A stage's answer, and who really gave it.
#[derive(Clone, Debug)]
pub(crate) struct Answered<T> {
    /// The answer.
    pub(crate) value: T,
    /// Who answered, with version, as the stage itself saw it.
    pub(crate) judge: StageJudge,
}

/// One tool's description defects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolDefects {
    /// The tool.
    pub(crate) tool: String,
    /// What is wrong, each type at most once.
    pub(crate) defects: Vec<Defect>,
    /// A description to consider in place of its own; absent without a defect.
    pub(crate) suggested_description: Option<String>,
}

/// One pass of the selection stage over all tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    /// `baseline` or `after_rewrite`.
    pub(crate) name: &'a str,
    /// The server's instructions.
    pub(crate) instructions: Option<&'a str>,
    /// The tools as the model is to see them.
    pub(crate) tools: &'a [ListedTool],
    /// The tasks.
    pub(crate) tasks: &'a [ScanTask],
}

/// What a judge would do with a task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    /// The tool, as the judge named it; `None` for none.
    pub(crate) tool: Option<String>,
    /// The arguments, as it gave them.
    pub(crate) arguments: Option<Value>,
    /// Whether it said plainly that it would ask the user first.
    pub(crate) confirmed: bool,
    /// The tokens of the prompts and answers of this task.
    pub(crate) tokens: f64,
}

/// Definition tokens as a provider counted them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DefinitionTokens {
    /// The whole surface.
    pub(crate) whole: u64,
    /// Tool by tool, in the surface's order.
    pub(crate) tools: Vec<u64>,
}

/// A stage that gave no usable answer. The scan is then failed, and never scored.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct StageFault {
    /// Which stage.
    pub(crate) stage: ScanStage,
    /// Whether no credentials or rejected ones were the cause.
    pub(crate) is_auth: bool,
    /// Why, for a person; without secrets.
    pub(crate) reason: String,
}
