//! One stage under way: whom it asks, within what limits, and who answered.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use mst_model::{ScanStage, StageJudge, sha256_hex};
use tokio_util::sync::CancellationToken;

use super::{JudgeLimits, PromptedJudge};
use crate::judge::Answered;
use crate::judge::asker::{Asker, Reply, SavedAnswers};

/// The bytes of marks and of what is said about the material, at the most.
const BESIDE: usize = 600;

/// One stage under way.
pub(super) struct Stage<'a> {
    pub(super) stage: ScanStage,
    pub(super) asker: &'a dyn Asker,
    pub(super) limits: JudgeLimits,
    pub(super) saved: Option<&'a SavedAnswers>,
    pub(super) cancel: &'a CancellationToken,
    voices: Mutex<BTreeSet<Voice>>,
}

/// Who gave an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Voice {
    model: String,
    version: String,
}

impl PromptedJudge {
    /// Begins a stage.
    pub(super) fn stage<'a>(&'a self, stage: ScanStage, cancel: &'a CancellationToken) -> Stage<'a> {
        let (asker, saved, limits) = (self.asker.as_ref(), self.saved.as_ref(), self.limits);
        Stage { stage, asker, limits, saved, cancel, voices: Mutex::default() }
    }
}

impl Stage<'_> {
    /// Returns what the stage asks: its prompt's file.
    pub(super) fn prompt(&self) -> &'static str {
        match self.stage {
            ScanStage::Tasks => include_str!("../prompts/tasks.md"),
            ScanStage::Defects => include_str!("../prompts/defects.md"),
            ScanStage::Confusability => include_str!("../prompts/confusability.md"),
            ScanStage::Selection => include_str!("../prompts/selection.md"),
        }
    }

    /// Returns how many bytes of material fit beside the prompt, the marks and what is said about it.
    pub(super) fn room(&self) -> usize {
        self.limits.room.saturating_sub(self.prompt().len() + BESIDE)
    }

    /// Notes who gave an answer that is used.
    pub(super) fn heard(&self, reply: &Reply) {
        let voice = Voice { model: reply.model.clone(), version: reply.version.clone() };
        self.voices.lock().unwrap_or_else(PoisonError::into_inner).insert(voice);
    }

    /// Ends the stage: its answer, and who really gave it. Where several models or versions answered, all are named, so that
    /// the stage passes for none of them alone.
    pub(super) fn answered<T>(&self, value: T) -> Answered<T> {
        let voices = self.voices.lock().unwrap_or_else(PoisonError::into_inner);
        let all = |of: fn(&Voice) -> &str| {
            let names: BTreeSet<&str> = voices.iter().map(of).collect();
            names.into_iter().collect::<Vec<_>>().join(" + ")
        };
        let judge = StageJudge {
            cli: self.asker.cli(),
            cli_version: all(|voice| &voice.version),
            model: all(|voice| &voice.model),
            prompt_version: self.stage.prompt_version().to_owned(),
            prompt_hash: Some(sha256_hex(self.prompt().as_bytes())),
        };
        Answered { value, judge }
    }
}
