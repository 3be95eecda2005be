//! The offline judge: rules and the lexical selector, in place of a model.
//!
//! It needs no network and no key and gives the same answers every time. What it finds is a baseline: its scores are never
//! compared with those of a language model. Its rules stand in `docs/gradable.md`; a change of any of them needs a new
//! version of the stage.

mod confusable;
mod defects;
mod selection;
mod strangers;
mod suggestion;
mod tasks;
mod verbs;
mod vocabulary;

use async_trait::async_trait;
use mst_model::{ConfusablePair, ScanStage, ScanTask, StageJudge};
use tokio_util::sync::CancellationToken;

use super::{Answered, Choice, Judge, Pass, StageFault, ToolDefects};
use crate::surface::Surface;

/// What stands for the program in a judge block.
pub(crate) const CLI: &str = "offline";

/// The offline judge.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OfflineJudge;

impl OfflineJudge {
    /// Makes the judge.
    pub(crate) fn new() -> Self {
        Self
    }
}

fn answered<T>(stage: ScanStage, value: T, cancel: &CancellationToken) -> Result<Answered<T>, StageFault> {
    if cancel.is_cancelled() {
        return Err(StageFault { stage, is_auth: false, reason: "interrupted".to_owned() });
    }
    let judge = StageJudge {
        cli: CLI.to_owned(),
        cli_version: env!("CARGO_PKG_VERSION").to_owned(),
        model: mst_llm::OFFLINE_MODEL.to_owned(),
        prompt_version: stage.prompt_version().to_owned(),
        prompt_hash: None,
    };
    Ok(Answered { value, judge })
}

#[async_trait]
impl Judge for OfflineJudge {
    fn is_slow(&self) -> bool {
        false
    }

    async fn tasks(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ScanTask>>, StageFault> {
        answered(ScanStage::Tasks, tasks::tasks(surface), cancel)
    }

    async fn defects(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ToolDefects>>, StageFault> {
        answered(ScanStage::Defects, surface.tools.iter().filter_map(defects::defects).collect(), cancel)
    }

    async fn confusable(
        &self,
        surface: &Surface,
        cancel: &CancellationToken,
    ) -> Result<Answered<Vec<ConfusablePair>>, StageFault> {
        answered(ScanStage::Confusability, confusable::pairs(&surface.tools), cancel)
    }

    async fn select(&self, pass: &Pass<'_>, cancel: &CancellationToken) -> Result<Answered<Vec<Choice>>, StageFault> {
        answered(ScanStage::Selection, selection::choices(pass), cancel)
    }
}
