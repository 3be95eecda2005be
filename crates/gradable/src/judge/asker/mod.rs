//! Whom a prompted judge asks: a model behind an API, or a program that drives one.

mod api;
mod program;
mod question;
mod saved;

use async_trait::async_trait;
use mst_mcp::ListedTool;
use tokio_util::sync::CancellationToken;

pub(crate) use api::ApiAsker;
pub(crate) use program::{JudgeProgram, ProgramAsker, ProgramSetup};
pub(crate) use question::{AskFault, Question, Reply};
pub(crate) use saved::{ANSWERS_FILE, SavedAnswers};

use crate::judge::DefinitionTokens;

/// Something that answers questions.
#[async_trait]
pub(crate) trait Asker: Send + Sync {
    /// Returns what answers, as a report names it: `api:<provider>` or a program's name.
    fn cli(&self) -> String;

    /// Returns the model that is asked for; `None` when that is left to a program.
    fn asked_model(&self) -> Option<&str>;

    /// Makes sure that it can be asked, without asking: a program is there, a key is set.
    async fn ready(&self, cancel: &CancellationToken) -> Result<(), AskFault>;

    /// Asks. An answer that was cut off is a reply that says so; whether an answer can be read is the caller's affair.
    async fn ask(&self, question: &Question, cancel: &CancellationToken) -> Result<Reply, AskFault>;

    /// Counts a surface's definitions by the provider's endpoint; `None` where there is none.
    async fn count(
        &self,
        _tools: &[ListedTool],
        _cancel: &CancellationToken,
    ) -> Result<Option<DefinitionTokens>, AskFault> {
        Ok(None)
    }
}
