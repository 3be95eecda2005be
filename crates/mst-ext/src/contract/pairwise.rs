//! The pairwise judge: it reads two trials of one case and says which is better.

use async_trait::async_trait;
use mst_model::{PairwiseAnswer, PairwiseInput};
use serde_json::{Map, Value};

use super::judge::{JudgeContext, JudgeDefinition, JudgeFault};

/// A pairwise judge.
#[async_trait]
pub trait PairwiseJudge: Send + Sync {
    /// Returns what the judge is, as plain data.
    fn definition(&self) -> JudgeDefinition;

    /// Returns options as they decide: checked, with every default filled in, so that an option left out hashes as the same
    /// value written out.
    ///
    /// # Errors
    /// What is wrong with them, beyond what their schema says.
    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String>;

    /// Returns whether it is asked in both orders, so that following the order cannot decide. One that takes care of that
    /// itself says no.
    fn swaps_positions(&self) -> bool {
        true
    }

    /// Returns the settings of its plugin that it can compare by; `None` where the plugin takes none. They are part of its
    /// identity.
    fn settings(&self) -> Option<Value> {
        None
    }

    /// Checks that the judge can run at all with these parsed options. Never calls a model.
    ///
    /// # Errors
    /// Why it cannot.
    async fn preflight(&self, _options: &Map<String, Value>) -> Result<(), JudgeFault> {
        Ok(())
    }

    /// Compares two trials, once, in the order they are given.
    ///
    /// # Errors
    /// When there is no preference.
    async fn compare(
        &self,
        input: &PairwiseInput,
        options: &Map<String, Value>,
        context: &JudgeContext,
    ) -> Result<PairwiseAnswer, JudgeFault>;
}
