//! The judge that is a language model: what it is asked in each stage, and what counts as an answer.
//!
//! The prompts are files beside this module. An answer that cannot be used is never a finding and never the absence of one:
//! it is asked for once more, and then the stage has failed.

mod asking;
mod confusability;
mod defects;
mod evidence;
mod grouping;
mod likeness;
mod reading;
mod selection;
mod stage;
mod tasks;

use std::num::NonZeroUsize;
use std::sync::Arc;

use async_trait::async_trait;
use mst_model::{ConfusablePair, ScanStage, ScanTask};
use tokio_util::sync::CancellationToken;

use super::asker::{Asker, SavedAnswers};
use super::{Answered, Choice, DefinitionTokens, Judge, Pass, StageFault, ToolDefects};
use crate::surface::Surface;

/// A judge that asks a language model.
pub(crate) struct PromptedJudge {
    asker: Arc<dyn Asker>,
    limits: JudgeLimits,
    /// Where answers are kept until the report is there; nowhere beside a tape.
    saved: Option<SavedAnswers>,
}

/// How much a judge is asked at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JudgeLimits {
    /// How many questions are under way at a time.
    pub(crate) concurrency: NonZeroUsize,
    /// The most bytes of a prompt.
    pub(crate) room: usize,
}

impl PromptedJudge {
    /// Makes a judge.
    pub(crate) fn new(asker: Arc<dyn Asker>, limits: JudgeLimits, saved: Option<SavedAnswers>) -> Self {
        Self { asker, limits, saved }
    }
}

#[async_trait]
impl Judge for PromptedJudge {
    async fn ready(&self, cancel: &CancellationToken) -> Result<(), StageFault> {
        self.asker.ready(cancel).await.map_err(|fault| asking::stage_fault(ScanStage::ALL[0], &fault))
    }

    async fn tasks(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ScanTask>>, StageFault> {
        tasks::make(&self.stage(ScanStage::Tasks, cancel), surface).await
    }

    async fn defects(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ToolDefects>>, StageFault> {
        defects::find(&self.stage(ScanStage::Defects, cancel), surface).await
    }

    async fn confusable(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ConfusablePair>>, StageFault> {
        confusability::find(&self.stage(ScanStage::Confusability, cancel), surface).await
    }

    async fn select(&self, pass: &Pass<'_>, cancel: &CancellationToken) -> Result<Answered<Vec<Choice>>, StageFault> {
        selection::choose(&self.stage(ScanStage::Selection, cancel), pass).await
    }

    async fn definition_tokens(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Option<DefinitionTokens>, StageFault> {
        let counted = self.asker.count(&surface.tools, cancel).await;
        counted.map_err(|fault| asking::stage_fault(ScanStage::Selection, &fault))
    }

    fn done(&self) -> std::io::Result<()> {
        self.saved.as_ref().map_or(Ok(()), SavedAnswers::forget)
    }
}
