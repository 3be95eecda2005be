//! The judge of how tools were used: four questions, a call each.

use std::collections::BTreeMap;

use async_trait::async_trait;
use mst_ext::{Judge, JudgeContext, JudgeDefinition, JudgeFault};
use mst_model::{JudgeInput, JudgeScore, SubScore};
use serde_json::{Map, Value, json};

use crate::ask::Models;
use crate::asking::ask_all;
use crate::prompt::{self, Shown};
use crate::question::{self, read, without_record};
use crate::reading::{Choice, Said};
use crate::settings;

/// The questions: a sub-score's name, and what is asked.
const QUESTIONS: [(&str, &str); 4] = [
    ("tool-choice", include_str!("../prompts/tool-choice.md")),
    ("arguments", include_str!("../prompts/arguments.md")),
    ("needed-calls", include_str!("../prompts/needed-calls.md")),
    ("error-recovery", include_str!("../prompts/error-recovery.md")),
];

/// The judge.
pub(crate) struct ToolUseJudge {
    models: Models,
}

impl ToolUseJudge {
    pub(crate) fn new(models: Models) -> Self {
        Self { models }
    }
}

#[async_trait]
impl Judge for ToolUseJudge {
    fn definition(&self) -> JudgeDefinition {
        JudgeDefinition {
            name: "tool-use".to_owned(),
            description: "Whether the tools, their arguments and the calls fit the request, and errors were dealt with"
                .to_owned(),
            requires: Vec::new(),
            options: settings::schema(&json!({}), &[]),
            version: Some(prompt::version(&QUESTIONS.map(|(_, text)| text))),
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
        let shown = Shown { standard: None, calls: true, reference: false };
        let prompts = QUESTIONS.map(|(_, text)| prompt::question(text, input, &settings, &shown));
        let (said, asked) = ask_all(&self.models, &prompts, &settings, context).await?;
        Ok(asked.into_score(together(&said)))
    }
}

/// Any no fails; without one, any unknown leaves the judge unknown. An unknown question has no sub-score.
fn together(said: &[Said]) -> JudgeScore {
    let has = |choice| said.iter().any(|said| said.choice == choice);
    let choice = match () {
        () if has(Choice::No) => Choice::No,
        () if has(Choice::Unknown) => Choice::Unknown,
        () => Choice::Yes,
    };
    let named = QUESTIONS.iter().map(|(name, _)| *name).zip(said);
    let sub_scores: BTreeMap<String, SubScore> = named
        .clone()
        .filter(|(_, said)| said.choice != Choice::Unknown)
        .map(|(name, said)| {
            let is_yes = said.choice == Choice::Yes;
            let score = if is_yes { 1.0 } else { 0.0 };
            let reasoning = Some(said.reasoning.clone()).filter(|text| !text.is_empty());
            (name.to_owned(), SubScore { score, pass: Some(is_yes), reasoning })
        })
        .collect();
    // What decided comes first; a pass was decided by all four.
    let lines: Vec<String> = named
        .filter(|(_, said)| said.choice == choice)
        .map(|(name, said)| format!("{name}: {}", said.reasoning))
        .collect();
    JudgeScore { sub_scores, ..question::score(choice, Some(lines.join("\n"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_no_fails_and_without_one_any_unknown_leaves_it_open() {
        use Choice::{No, Unknown, Yes};
        for (choices, score, pass, names, reasoning) in [
            (
                [Yes, Yes, Yes, Yes],
                Some(1.0),
                Some(true),
                "arguments error-recovery needed-calls tool-choice",
                "tool-choice: 0\narguments: 1\nneeded-calls: 2\nerror-recovery: 3",
            ),
            ([Yes, No, Unknown, Yes], Some(0.0), Some(false), "arguments error-recovery tool-choice", "arguments: 1"),
            (
                [Unknown, Yes, Yes, Unknown],
                None::<f64>,
                None,
                "arguments needed-calls",
                "tool-choice: 0\nerror-recovery: 3",
            ),
        ] {
            let said: Vec<Said> = choices
                .iter()
                .zip(0..)
                .map(|(choice, n)| Said { choice: *choice, reasoning: format!("{n}") })
                .collect();
            let got = together(&said);
            assert_eq!((got.score, got.pass, got.unknown), (score, pass, pass.is_none()));
            assert_eq!(got.sub_scores.keys().map(String::as_str).collect::<Vec<_>>().join(" "), names);
            assert_eq!(got.reasoning.as_deref(), Some(reasoning));
        }
    }
}
