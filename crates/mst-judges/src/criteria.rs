//! The judge that checks a case's own criteria, a call each.

use async_trait::async_trait;
use mst_ext::{Judge, JudgeContext, JudgeDefinition, JudgeFault};
use mst_model::{Criterion, CriterionVerdict, JudgeInput, JudgeScore, SubScore};
use serde_json::{Map, Value, json};

use crate::ask::Models;
use crate::asking::ask_all;
use crate::options::Options;
use crate::prompt::{self, Shown};
use crate::question;
use crate::reading::{Choice, Said};
use crate::settings::{self, Settings};

/// How a criterion is asked about.
const QUESTION: &str = include_str!("../prompts/criterion.md");
/// What an id looks like.
const ID: &str = "^[A-Za-z0-9][A-Za-z0-9_.-]*$";

/// A criterion as an entry lists it.
#[derive(Clone, Debug, PartialEq)]
struct Asking {
    id: String,
    text: String,
    required: bool,
}

/// The judge.
pub(crate) struct CriteriaJudge {
    models: Models,
}

impl CriteriaJudge {
    pub(crate) fn new(models: Models) -> Self {
        Self { models }
    }
}

#[async_trait]
impl Judge for CriteriaJudge {
    fn definition(&self) -> JudgeDefinition {
        let own = json!({
            "criteria": {
                "type": "array",
                "minItems": 1,
                "description": "What the trial has to meet, each a thing that a person could check.",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["id", "text"],
                    "properties": {
                        "id": { "type": "string", "pattern": ID, "description": "Its id, unique in the list." },
                        "text": { "type": "string", "minLength": 1, "description": "What is to be met." },
                        "required": {
                            "type": "boolean",
                            "default": true,
                            "description": "Whether it decides the judge; otherwise it is only reported.",
                        },
                    },
                },
            },
        });
        JudgeDefinition {
            name: "criteria".to_owned(),
            description: "Whether the trial meets each criterion of a list".to_owned(),
            requires: Vec::new(),
            options: settings::schema(&own, &["criteria"]),
            version: Some(prompt::version(&[QUESTION])),
        }
    }

    fn parse(&self, options: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let (criteria, settings) = read(options)?;
        let criteria: Vec<Value> = criteria
            .into_iter()
            .map(|Asking { id, text, required }| json!({ "id": id, "text": text, "required": required }))
            .collect();
        let mut parsed = Map::new();
        parsed.insert("criteria".to_owned(), criteria.into());
        settings.write(&mut parsed);
        Ok(parsed)
    }

    /// Whether a criterion decides the judge changes nothing about how it is answered.
    fn criterion_options(&self, options: &Map<String, Value>, id: &str) -> Option<Map<String, Value>> {
        let mut criterion = options.get("criteria")?.as_array()?.iter().find(|one| one["id"] == id)?.clone();
        criterion.as_object_mut()?.shift_remove("required");
        let mut alone = options.clone();
        alone.insert("criteria".to_owned(), json!([criterion]));
        Some(alone)
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
        let (criteria, settings) = read(options).map_err(JudgeFault::Failed)?;
        let prompts: Vec<_> = criteria
            .iter()
            .map(|criterion| {
                let shown =
                    Shown { standard: Some(("criterion", criterion.text.trim())), calls: true, reference: true };
                prompt::question(QUESTION, input, &settings, &shown)
            })
            .collect();
        let (said, asked) = ask_all(&self.models, &prompts, &settings, context).await?;
        Ok(asked.into_score(together(criteria, said)))
    }
}

/// Every required criterion has to be met; without any, nothing can fail.
fn together(criteria: Vec<Asking>, said: Vec<Said>) -> JudgeScore {
    let mut score = JudgeScore::default();
    let (mut required, mut met, mut choice) = (0_usize, 0_usize, Choice::Yes);
    let mut lines = Vec::new();
    for (asking, said) in criteria.into_iter().zip(said) {
        let verdict = match said.choice {
            Choice::Yes => CriterionVerdict::Pass,
            Choice::No => CriterionVerdict::Fail,
            Choice::Unknown => CriterionVerdict::Unknown,
        };
        if asking.required {
            required += 1;
            match said.choice {
                Choice::Yes => met += 1,
                Choice::No => choice = Choice::No,
                Choice::Unknown if choice == Choice::Yes => choice = Choice::Unknown,
                Choice::Unknown => {}
            }
        }
        let word = match verdict {
            CriterionVerdict::Pass => "met",
            CriterionVerdict::Fail => "not met",
            CriterionVerdict::Unknown => "unknown",
        };
        lines.push(format!("{} ({word}): {}", asking.id, said.reasoning).trim_end_matches([' ', ':']).to_owned());
        let reasoning = Some(said.reasoning).filter(|text| !text.is_empty());
        if said.choice != Choice::Unknown {
            let is_met = said.choice == Choice::Yes;
            let part =
                SubScore { score: if is_met { 1.0 } else { 0.0 }, pass: Some(is_met), reasoning: reasoning.clone() };
            score.sub_scores.insert(asking.id.clone(), part);
        }
        score.criteria.push(Criterion {
            id: asking.id,
            text: Some(asking.text),
            required: (!asking.required).then_some(false),
            verdict,
            reasoning,
            identity: None,
        });
    }
    let own = question::score(choice, Some(lines.join("\n")));
    let share = if required == 0 { 1.0 } else { met as f64 / required as f64 };
    JudgeScore { score: Some(share), sub_scores: score.sub_scores, criteria: score.criteria, ..own }
}

fn read(options: &Map<String, Value>) -> Result<(Vec<Asking>, Settings), String> {
    let mut options = Options::new(options);
    let criteria = criteria(options.take("criteria"))?;
    let settings = Settings::take(&mut options)?;
    options.finish()?;
    Ok((criteria, settings))
}

fn criteria(value: Option<Value>) -> Result<Vec<Asking>, String> {
    let Some(Value::Array(list)) = value else {
        return Err("\"criteria\" has to be a list of { \"id\", \"text\", \"required\"? }".to_owned());
    };
    if list.is_empty() {
        return Err("\"criteria\" is empty".to_owned());
    }
    let mut criteria: Vec<Asking> = Vec::new();
    for (value, at) in list.into_iter().zip(0..) {
        let criterion = criterion(&value).map_err(|why| format!("criteria[{at}]: {why}"))?;
        if criteria.iter().any(|known| known.id == criterion.id) {
            return Err(format!("criteria[{at}]: the id {:?} is there twice", criterion.id));
        }
        criteria.push(criterion);
    }
    Ok(criteria)
}

fn criterion(value: &Value) -> Result<Asking, String> {
    let mut options = Options::new(value.as_object().ok_or("not an object")?);
    let id = options.text("id")?.ok_or("\"id\" is missing")?;
    if !is_id(&id) {
        return Err(format!("the id {id:?} does not match {ID}"));
    }
    let text = options.text("text")?.ok_or("\"text\" is missing")?;
    let required = match options.take("required") {
        None => true,
        Some(Value::Bool(required)) => required,
        Some(_) => return Err("\"required\" has to be true or false".to_owned()),
    };
    options.finish()?;
    Ok(Asking { id, text, required })
}

fn is_id(id: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric();
    id.bytes().next().is_some_and(is_word) && id.bytes().all(|byte| is_word(byte) || b"_.-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_and_unique() {
        for (list, want) in [
            (json!([{ "id": "a", "text": "t" }, { "id": "0.b_c-D", "text": "t", "required": false }]), Ok("a 0.b_c-D")),
            (
                json!([{ "id": "a#b", "text": "t" }]),
                Err("criteria[0]: the id \"a#b\" does not match ^[A-Za-z0-9][A-Za-z0-9_.-]*$"),
            ),
            (
                json!([{ "id": "-a", "text": "t" }]),
                Err("criteria[0]: the id \"-a\" does not match ^[A-Za-z0-9][A-Za-z0-9_.-]*$"),
            ),
            (
                json!([{ "id": "a", "text": "t" }, { "id": "a", "text": "u" }]),
                Err("criteria[1]: the id \"a\" is there twice"),
            ),
            (json!([{ "id": "a" }]), Err("criteria[0]: \"text\" is missing")),
            (json!([{ "id": "a", "text": " " }]), Err("criteria[0]: \"text\" has to be a text that is not blank")),
            (json!([{ "id": "a", "text": "t", "weight": 2 }]), Err("criteria[0]: unknown option \"weight\"")),
            (
                json!([{ "id": "a", "text": "t", "required": 1 }]),
                Err("criteria[0]: \"required\" has to be true or false"),
            ),
            (json!([]), Err("\"criteria\" is empty")),
            (json!({}), Err("\"criteria\" has to be a list of { \"id\", \"text\", \"required\"? }")),
        ] {
            let got = criteria(Some(list.clone()))
                .map(|list| list.iter().map(|one| one.id.as_str()).collect::<Vec<_>>().join(" "));
            assert_eq!(got.as_deref().map_err(String::as_str), want, "{list}");
        }
    }

    #[test]
    fn required_criteria_decide_and_others_are_only_reported() {
        use Choice::{No, Unknown, Yes};
        for (criteria, score, pass, names, reasoning) in [
            (vec![(Yes, true), (No, false)], 1.0, Some(true), "0 1", "0 (met): r\n1 (not met): r"),
            (vec![(Yes, true), (No, true)], 0.5, Some(false), "0 1", "0 (met): r\n1 (not met): r"),
            (
                vec![(Unknown, true), (No, true), (Unknown, true)],
                0.0,
                Some(false),
                "1",
                "0 (unknown): r\n1 (not met): r\n2 (unknown): r",
            ),
            (vec![(Unknown, true), (Yes, true)], 0.5, None, "1", "0 (unknown): r\n1 (met): r"),
            (vec![(Unknown, false), (Yes, true)], 1.0, Some(true), "1", "0 (unknown): r\n1 (met): r"),
            (vec![(No, false)], 1.0, Some(true), "0", "0 (not met): r"),
        ] {
            let (asking, said) = criteria
                .into_iter()
                .zip(0..)
                .map(|((choice, required), n)| {
                    let asking = Asking { id: format!("{n}"), text: "t".to_owned(), required };
                    (asking, Said { choice, reasoning: "r".to_owned() })
                })
                .unzip();
            let got = together(asking, said);
            assert_eq!((got.score, got.pass, got.unknown), (Some(score), pass, pass.is_none()), "{reasoning}");
            assert_eq!(got.sub_scores.keys().map(String::as_str).collect::<Vec<_>>().join(" "), names);
            assert_eq!(got.reasoning.as_deref(), Some(reasoning));
        }
    }
}
