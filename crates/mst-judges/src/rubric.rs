//! The judge that scores an answer by a rubric.

use async_trait::async_trait;
use mst_ext::{Judge, JudgeContext, JudgeDefinition, JudgeFault};
use mst_model::{JudgeInput, JudgeScore};
use serde_json::{Map, Value, json};

use crate::ask::Models;
use crate::asking::unreadable;
use crate::options::Options;
use crate::prompt::{self, Shown};
use crate::reading;
use crate::settings::{self, Settings};

/// What the judge is asked to do.
const TASK: &str = include_str!("../prompts/rubric.md");

/// A rubric of ours.
struct Known {
    name: &'static str,
    text: &'static str,
    /// Whether what it asks can only be seen beside the tool results.
    needs_calls: bool,
}

/// The rubrics of ours, in the order that schemas list them.
const KNOWN: [Known; 5] = [
    Known { name: "correctness", text: include_str!("../prompts/rubrics/correctness.md"), needs_calls: false },
    Known { name: "completeness", text: include_str!("../prompts/rubrics/completeness.md"), needs_calls: false },
    Known { name: "groundedness", text: include_str!("../prompts/rubrics/groundedness.md"), needs_calls: true },
    Known {
        name: "instruction-following",
        text: include_str!("../prompts/rubrics/instruction-following.md"),
        needs_calls: false,
    },
    Known { name: "conciseness", text: include_str!("../prompts/rubrics/conciseness.md"), needs_calls: false },
];

/// Which rubric an entry names.
#[derive(Clone, Debug, PartialEq)]
enum Rubric {
    Known(usize),
    Custom(String),
}

/// The judge.
pub(crate) struct RubricJudge {
    models: Models,
}

impl RubricJudge {
    pub(crate) fn new(models: Models) -> Self {
        Self { models }
    }
}

#[async_trait]
impl Judge for RubricJudge {
    fn definition(&self) -> JudgeDefinition {
        let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        let own = json!({
            "rubric": {
                "description": "A built-in rubric by name, or one of your own as `{ \"text\" }`.",
                "anyOf": [
                    { "type": "string", "enum": names },
                    {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["text"],
                        "properties": { "text": { "type": "string", "minLength": 1, "description": "The rubric's text." } },
                    },
                ],
            },
        });
        let texts: Vec<&str> = [TASK].into_iter().chain(KNOWN.iter().map(|known| known.text)).collect();
        JudgeDefinition {
            name: "rubric".to_owned(),
            description: "A score from 0 to 1 for the answer by a rubric, built in or your own".to_owned(),
            requires: Vec::new(),
            options: settings::schema(&own, &["rubric"]),
            version: Some(prompt::version(&texts)),
        }
    }

    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let (rubric, settings) = read(options)?;
        let value = match rubric {
            Rubric::Known(at) => json!(KNOWN[at].name),
            Rubric::Custom(text) => json!({ "text": text }),
        };
        let mut parsed = Map::new();
        parsed.insert("rubric".to_owned(), value);
        settings.write(&mut parsed);
        Ok(parsed)
    }

    async fn preflight(&self, options: &Map<String, Value>) -> Result<(), JudgeFault> {
        let (_, settings) = read(options).map_err(JudgeFault::Failed)?;
        self.models.check(&settings)
    }

    async fn evaluate(
        &self,
        input: &JudgeInput,
        options: &Map<String, Value>,
        context: &JudgeContext,
    ) -> Result<JudgeScore, JudgeFault> {
        let (rubric, settings) = read(options).map_err(JudgeFault::Failed)?;
        let (text, calls) = match &rubric {
            Rubric::Known(at) => (KNOWN[*at].text, KNOWN[*at].needs_calls),
            Rubric::Custom(text) => (text.as_str(), false),
        };
        let shown = Shown { standard: Some(("rubric", text.trim())), calls, reference: true };
        let prompt = prompt::rubric(TASK, input, &settings, &shown);
        let answer = self.models.ask(&prompt, &settings, context).await?;
        let rated = match reading::rated(&answer) {
            Ok(rated) => rated,
            Err(unread) => return Err(answer.asked.blame(unreadable(&unread, &settings, false))),
        };
        Ok(answer.asked.into_score(JudgeScore {
            score: Some(rated.score),
            pass: rated.pass,
            reasoning: Some(rated.reasoning).filter(|text| !text.is_empty()),
            ..JudgeScore::default()
        }))
    }
}

fn read(options: &Map<String, Value>) -> Result<(Rubric, Settings), String> {
    let mut options = Options::new(options);
    let rubric = rubric(options.take("rubric"))?;
    let settings = Settings::take(&mut options)?;
    options.finish()?;
    Ok((rubric, settings))
}

fn rubric(value: Option<Value>) -> Result<Rubric, String> {
    let names = || KNOWN.map(|known| known.name).join(", ");
    match value {
        None => Err(format!("\"rubric\" is missing: one of {}, or {{ \"text\" }}", names())),
        Some(Value::String(name)) => {
            let found = KNOWN.iter().position(|known| known.name == name);
            found.map(Rubric::Known).ok_or_else(|| format!("{name:?} is not a built-in rubric; known: {}", names()))
        }
        Some(Value::Object(object)) => {
            let mut options = Options::new(&object);
            let text = options.text("text").map_err(|why| format!("rubric: {why}"))?;
            options.finish().map_err(|why| format!("rubric: {why}"))?;
            text.map(Rubric::Custom).ok_or_else(|| "rubric: \"text\" is missing".to_owned())
        }
        Some(_) => Err(format!("\"rubric\" has to be one of {}, or {{ \"text\" }}", names())),
    }
}
