//! The judge that says which of two trials is better.

use async_trait::async_trait;
use mst_ext::{JudgeContext, JudgeDefinition, JudgeFault, PairwiseJudge};
use mst_model::{PairwiseAnswer, PairwiseInput};
use serde_json::{Map, Value, json};

use crate::ask::Models;
use crate::asking::ask_for;
use crate::options::Options;
use crate::prompt;
use crate::reading;
use crate::settings::{self, Settings};

/// What it is asked.
const QUESTION: &str = include_str!("../prompts/preference.md");

/// The judge.
pub(crate) struct PreferenceJudge {
    models: Models,
}

impl PreferenceJudge {
    pub(crate) fn new(models: Models) -> Self {
        Self { models }
    }
}

#[async_trait]
impl PairwiseJudge for PreferenceJudge {
    fn definition(&self) -> JudgeDefinition {
        let own = json!({
            "reference": {
                "type": "boolean",
                "default": true,
                "description": "Whether the judge sees the case's reference answer.",
            },
        });
        JudgeDefinition {
            name: "preference".to_owned(),
            description: "Which of two assistants did better what was asked".to_owned(),
            requires: Vec::new(),
            options: settings::schema(&own, &[]),
            version: Some(prompt::version(&[prompt::RULES_PREFERENCE, QUESTION])),
        }
    }

    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let (reference, settings) = read(options)?;
        let mut parsed = Map::new();
        parsed.insert("reference".to_owned(), reference.into());
        settings.write(&mut parsed);
        Ok(parsed)
    }

    async fn preflight(&self, options: &Map<String, Value>) -> Result<(), JudgeFault> {
        let (_, settings) = read(options).map_err(JudgeFault::Failed)?;
        self.models.check(&settings)
    }

    async fn compare(
        &self,
        input: &PairwiseInput,
        options: &Map<String, Value>,
        context: &JudgeContext,
    ) -> Result<PairwiseAnswer, JudgeFault> {
        let (reference, settings) = read(options).map_err(JudgeFault::Failed)?;
        let prompt = prompt::comparison(QUESTION, input, &settings, reference);
        let (favoured, asked) = ask_for(reading::favoured, &self.models, &prompt, &settings, context).await?;
        Ok(asked.into_answer(PairwiseAnswer {
            preference: Some(favoured.preference),
            reasoning: Some(favoured.reasoning).filter(|text| !text.is_empty()),
            ..PairwiseAnswer::default()
        }))
    }
}

fn read(options: &Map<String, Value>) -> Result<(bool, Settings), String> {
    let mut options = Options::new(options);
    let reference = match options.take("reference") {
        None => true,
        Some(Value::Bool(reference)) => reference,
        Some(_) => return Err("\"reference\" has to be true or false".to_owned()),
    };
    let settings = Settings::take(&mut options)?;
    options.finish()?;
    Ok((reference, settings))
}
