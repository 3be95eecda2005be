//! The list of judges.

use std::collections::BTreeMap;
use std::sync::Arc;

use mst_ext::{Judge, PairwiseJudge};
use mst_llm::LlmConnector;

use crate::ask::Models;
use crate::criteria::CriteriaJudge;
use crate::preference::PreferenceJudge;
use crate::question::QuestionJudge;
use crate::rubric::RubricJudge;
use crate::tool_use::ToolUseJudge;

/// What the judges work with.
#[derive(Clone, Debug)]
pub struct JudgeDeps {
    /// The connections to providers, with the run's tape before them when there is one.
    pub llm: LlmConnector,
    /// The environment that keys and endpoints are read from.
    pub env: Arc<BTreeMap<String, String>>,
}

/// Returns the built-in judges, in the order that listings show them.
pub fn built_in(deps: JudgeDeps) -> Vec<Arc<dyn Judge>> {
    let models = Models::new(deps.llm, deps.env);
    vec![
        Arc::new(RubricJudge::new(models.clone())),
        Arc::new(QuestionJudge::task_completion(models.clone())),
        Arc::new(QuestionJudge::grounded_in_tools(models.clone())),
        Arc::new(ToolUseJudge::new(models.clone())),
        Arc::new(CriteriaJudge::new(models)),
    ]
}

/// Returns the built-in pairwise judges.
pub fn built_in_pairwise(deps: JudgeDeps) -> Vec<Arc<dyn PairwiseJudge>> {
    vec![Arc::new(PreferenceJudge::new(Models::new(deps.llm, deps.env)))]
}
