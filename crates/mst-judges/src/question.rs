//! Judges that answer one question about a trial with yes, no or unknown.

use async_trait::async_trait;
use mst_ext::{Judge, JudgeContext, JudgeDefinition, JudgeFault};
use mst_model::{Evidence, JudgeInput, JudgeScore};
use serde_json::{Map, Value, json};

use crate::ask::Models;
use crate::asking::ask;
use crate::options::Options;
use crate::prompt::{self, Shown};
use crate::reading::Choice;
use crate::settings::{self, Settings};

/// A judge of one question.
pub(crate) struct QuestionJudge {
    models: Models,
    name: &'static str,
    description: &'static str,
    text: &'static str,
    /// Whether it sees the reference answer.
    reference: bool,
}

impl QuestionJudge {
    /// Makes the judge that asks whether the request was done.
    pub(crate) fn task_completion(models: Models) -> Self {
        Self {
            models,
            name: "task-completion",
            description: "Whether the assistant did what was asked, as its tool calls show",
            text: include_str!("../prompts/task-completion.md"),
            reference: true,
        }
    }

    /// Makes the judge that asks whether every claim has a tool result behind it.
    pub(crate) fn grounded_in_tools(models: Models) -> Self {
        Self {
            models,
            name: "grounded-in-tools",
            description: "Whether every claim of the answer is supported by a tool result",
            text: include_str!("../prompts/grounded-in-tools.md"),
            reference: false,
        }
    }
}

#[async_trait]
impl Judge for QuestionJudge {
    fn definition(&self) -> JudgeDefinition {
        JudgeDefinition {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            requires: Vec::new(),
            options: settings::schema(&json!({}), &[]),
            version: Some(prompt::version(&[self.text])),
        }
    }

    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut parsed = Map::new();
        read(options)?.write(&mut parsed);
        Ok(parsed)
    }

    async fn preflight(&self, options: &Map<String, Value>) -> Result<(), JudgeFault> {
        self.models.check(&read(options).map_err(JudgeFault::Failed)?)
    }

    async fn evaluate(
        &self,
        input: &JudgeInput,
        options: &Map<String, Value>,
        context: &JudgeContext,
    ) -> Result<JudgeScore, JudgeFault> {
        let settings = read(options).map_err(JudgeFault::Failed)?;
        if let Some(score) = without_record(input) {
            return Ok(score);
        }
        let shown = Shown { standard: None, calls: true, reference: self.reference };
        let prompt = prompt::question(self.text, input, &settings, &shown);
        let (said, asked) = ask(&self.models, &prompt, &settings, context).await?;
        Ok(asked.into_score(score(said.choice, Some(said.reasoning))))
    }
}

/// Reads the options of a judge that has only the shared ones.
pub(crate) fn read(options: &Map<String, Value>) -> Result<Settings, String> {
    let mut options = Options::new(options);
    let settings = Settings::take(&mut options)?;
    options.finish()?;
    Ok(settings)
}

/// Returns the verdict on a trial whose calls nobody recorded: unknown, and no model is asked.
pub(crate) fn without_record(input: &JudgeInput) -> Option<JudgeScore> {
    (input.trial.evidence == Some(Evidence::None)).then(|| {
        let why = "The client does not report its tool calls (evidence none), so there is no record to judge by.";
        score(Choice::Unknown, Some(why.to_owned()))
    })
}

/// Returns an answer as a score.
pub(crate) fn score(choice: Choice, reasoning: Option<String>) -> JudgeScore {
    JudgeScore {
        score: (choice != Choice::Unknown).then_some(if choice == Choice::Yes { 1.0 } else { 0.0 }),
        pass: (choice != Choice::Unknown).then_some(choice == Choice::Yes),
        unknown: choice == Choice::Unknown,
        reasoning: reasoning.filter(|text| !text.is_empty()),
        ..JudgeScore::default()
    }
}
