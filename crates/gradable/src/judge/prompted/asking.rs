//! Asking one question until its answer can be used: once more when it cannot, and not when it was cut off.

use std::pin::Pin;

use futures::{StreamExt as _, TryStreamExt as _};
use mst_model::ScanStage;

use super::evidence::evidence;
use super::stage::Stage;
use crate::judge::StageFault;
use crate::judge::asker::{AskFault, Question, Reply};

/// How much of an answer that cannot be used is shown, in characters.
const SHOWN: usize = 120;

/// A usable answer.
#[derive(Clone, Debug)]
pub(super) struct Usable<T> {
    /// What it says.
    pub(super) value: T,
    /// The tokens of its question and itself.
    pub(super) tokens: f64,
}

impl Stage<'_> {
    /// Asks a question. `read` says what the answer is, or why it is none.
    pub(super) async fn ask<T>(
        &self,
        item: &str,
        material: String,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Usable<T>, AskFault> {
        let mut question =
            Question { stage: self.stage, item: item.to_owned(), instructions: self.prompt().to_owned(), material };
        let complaint = match self.attempt(&question, &read).await? {
            Ok(usable) => return Ok(usable),
            Err(complaint) => complaint,
        };
        tracing::debug!(stage = self.stage.as_str(), item, complaint, "asked once more");
        // What is quoted of the answer may be the server's words again.
        let complained = evidence("complaint", &complaint.as_str().into());
        question.material.push_str("\nAn earlier answer could not be used; `complaint` says why. Answer as asked.\n");
        question.material.push_str(&complained);
        match self.attempt(&question, &read).await? {
            Ok(usable) => Ok(usable),
            Err(complaint) => Err(AskFault::Failed(format!(
                "the answer about {item} could not be used, nor when it was asked for once more: {complaint}"
            ))),
        }
    }

    /// Asks once. The inner error is an answer that came and is none.
    async fn attempt<T>(
        &self,
        question: &Question,
        read: &impl Fn(&str) -> Result<T, String>,
    ) -> Result<Result<Usable<T>, String>, AskFault> {
        let usable = |reply: &Reply, value: T| {
            self.heard(reply);
            let estimate = (question.bytes() + reply.text.len()) as f64 / 4.0;
            Usable { value, tokens: reply.tokens.map_or(estimate, |tokens| tokens as f64) }
        };
        if let Some(reply) = self.saved.and_then(|saved| saved.find(self.asker, question))
            && let Ok(value) = read(&reply.text)
        {
            return Ok(Ok(usable(&reply, value)));
        }
        let reply = self.asker.ask(question, self.cancel).await?;
        if reply.is_cut_off {
            let message =
                format!("the answer about {} was cut off at the output limit of {}", question.item, reply.model);
            return Err(AskFault::Failed(message));
        }
        match read(&reply.text) {
            Ok(value) => {
                if let Some(saved) = self.saved {
                    let lost = |error| AskFault::Failed(format!("an answer could not be kept: {error}"));
                    saved.keep(self.asker, question, &reply).map_err(lost)?;
                }
                Ok(Ok(usable(&reply, value)))
            }
            Err(complaint) => Ok(Err(format!("{complaint}; it begins {}", shown(&reply.text)))),
        }
    }

    /// Does pieces of work, so many at a time, and returns the results in their order.
    pub(super) async fn each<T>(&self, work: Vec<Work<'_, T>>) -> Result<Vec<T>, StageFault> {
        let results = futures::stream::iter(work).buffered(self.limits.concurrency.get());
        results.try_collect().await.map_err(|fault| stage_fault(self.stage, &fault))
    }
}

/// Work that asks.
pub(super) type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, AskFault>> + Send + 'a>>;

/// Returns the beginning of an answer, quoted.
fn shown(text: &str) -> String {
    let text = text.trim();
    let start: String = text.chars().take(SHOWN).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("{start:?}{more}")
}

/// Makes a fault of asking the fault of a stage.
pub(super) fn stage_fault(stage: ScanStage, fault: &AskFault) -> StageFault {
    StageFault { stage, is_auth: matches!(fault, AskFault::Auth(_)), reason: fault.to_string() }
}
