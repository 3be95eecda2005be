//! Which tool the model would call for a request.
//!
//! One question a task. A surface that does not fit one is shown in parts, and then once more what won in them; all of these
//! count as the task's tokens, the attempts at an answer that could not be used do not: they cost because of the judge.

use async_trait::async_trait;
use mst_mcp::ListedTool;
use mst_model::ScanTask;
use serde_json::{Map, Value};

use super::asking::{Usable, Work};
use super::evidence::{Detail, evidence};
use super::grouping::{Fit, Grouped};
use super::reading::object;
use super::stage::Stage;
use crate::judge::asker::AskFault;
use crate::judge::{Answered, Choice, Pass, StageFault};

/// Runs a pass of the stage.
pub(super) async fn choose(stage: &Stage<'_>, pass: &Pass<'_>) -> Result<Answered<Vec<Choice>>, StageFault> {
    let tools: Vec<&ListedTool> = pass.tools.iter().collect();
    let longest = pass.tasks.iter().map(|task| task.prompt.len()).max().unwrap_or_default();
    let beside = longest * 2 + pass.instructions.map_or(0, |text| text.len() * 2);
    let fit = Fit { detail: Detail::Offered, bytes: stage.room().saturating_sub(beside), tools: usize::MAX };
    let parts = fit.groups(&tools);
    let mut work: Vec<Work<'_, Choice>> = Vec::with_capacity(pass.tasks.len());
    for task in pass.tasks {
        work.push(Box::pin(Choosing { stage, pass, task }.over(&parts)));
    }
    let choices = stage.each(work).await?;
    Ok(stage.answered(choices))
}

struct Choosing<'a> {
    stage: &'a Stage<'a>,
    pass: &'a Pass<'a>,
    task: &'a ScanTask,
}

impl Choosing<'_> {
    /// Asks over the whole surface, in as few parts as it fits into.
    async fn over(self, parts: &[Vec<&ListedTool>]) -> Result<Choice, AskFault> {
        let mut choices = Vec::new();
        for part in parts {
            choices.extend(self.ask_fitting(part.clone()).await?);
        }
        // A part may turn out to be too long only when it is asked.
        if choices.len() == 1 {
            return Ok(choices.remove(0));
        }
        let tokens: f64 = choices.iter().map(|choice| choice.tokens).sum();
        let won = |tool: &&ListedTool| choices.iter().any(|choice| choice.tool.as_deref() == Some(tool.name()));
        let winners: Vec<&ListedTool> = self.pass.tools.iter().filter(won).collect();
        if winners.is_empty() {
            // Nothing fits, or a name that was made up.
            let invented = choices.into_iter().find(|choice| choice.tool.is_some());
            let none = Choice { tool: None, arguments: None, confirmed: false, tokens };
            return Ok(Choice { tokens, ..invented.unwrap_or(none) });
        }
        let mut last = self.ask_fitting(winners).await?;
        let all = tokens + last.iter().map(|choice| choice.tokens).sum::<f64>();
        if last.len() != 1 {
            return Err(AskFault::TooLong(
                "the tools that won in the parts of the surface do not fit one prompt".to_owned(),
            ));
        }
        Ok(Choice { tokens: all, ..last.remove(0) })
    }
}

#[async_trait]
impl Grouped for Choosing<'_> {
    type Answer = Choice;

    async fn ask(&self, group: &[&ListedTool]) -> Result<Choice, AskFault> {
        // What is the same in every question stands first, where a provider may keep it.
        let mut material = evidence("tools", &group.iter().map(|tool| Detail::Offered.of(tool)).collect());
        if let Some(instructions) = self.pass.instructions {
            material.push_str(&evidence("instructions", &instructions.into()));
        }
        material.push_str(&evidence("request", &self.task.prompt.as_str().into()));
        let item = self.item(group);
        let Usable { value, tokens } = self.stage.ask(&item, material, |text| read(text, group)).await?;
        Ok(Choice { tokens, ..value })
    }
}

impl Choosing<'_> {
    fn item(&self, group: &[&ListedTool]) -> String {
        let item = format!("{}/{}", self.pass.name, self.task.id);
        match group {
            [first, ..] if group.len() < self.pass.tools.len() => {
                format!("{item}, {} tools from {}", group.len(), first.name())
            }
            _ => item,
        }
    }
}

/// The longest name that is taken for one, in bytes: a surface's own may be longer.
const LONGEST_NAME: usize = 1_024;

/// The most arguments that a call has, in bytes. A report holds those of every task.
const LONGEST_ARGUMENTS: usize = 64 << 10;

/// Reads an answer. An invented name is a choice; what only stands for none in words is not, since a tool may be called so.
fn read(answer: &str, group: &[&ListedTool]) -> Result<Choice, String> {
    let mut object: Map<String, Value> = object(answer, "tool")?;
    let confirmed = match object.get("confirmFirst") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(confirmed)) => *confirmed,
        Some(_) => return Err("`confirmFirst` is neither true nor false".to_owned()),
    };
    let none = Choice { tool: None, arguments: None, confirmed: false, tokens: 0.0 };
    match object.swap_remove("tool") {
        Some(Value::Null) => Ok(none),
        Some(Value::String(name)) => {
            let is_known = group.iter().any(|tool| tool.name() == name);
            if !is_known && ["", "null", "none"].contains(&name.trim().to_lowercase().as_str()) {
                return Err(format!("`tool` is {name:?}, which is no tool; null is written without quotes"));
            }
            if !is_known && name.len() > LONGEST_NAME {
                return Err(format!("`tool` is a name of {} bytes, and no tool has one", name.len()));
            }
            let arguments = object.swap_remove("arguments").filter(|arguments| !arguments.is_null());
            let length = arguments.as_ref().map_or(0, |arguments| arguments.to_string().len());
            if length > LONGEST_ARGUMENTS {
                return Err(format!("`arguments` takes {length} bytes, and a call has at most {LONGEST_ARGUMENTS}"));
            }
            Ok(Choice { tool: Some(name), arguments, confirmed, ..none })
        }
        _ => Err("`tool` is neither a name nor null".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(answer: &str) -> String {
        let tool = ListedTool::new(json!({ "name": "lookup" }).as_object().expect("an object").clone());
        match read(answer, &[&tool.expect("a named tool")]) {
            Err(complaint) => format!("unusable: {complaint}"),
            Ok(Choice { tool, arguments, confirmed, .. }) => {
                let tool = tool.as_deref().unwrap_or("-");
                format!("{tool}{}{}", arguments.unwrap_or_default(), if confirmed { " confirmed" } else { "" })
            }
        }
    }

    #[test]
    fn fc21_fc22_only_what_an_answer_says_plainly_is_a_choice() {
        for (answer, want) in [
            (r#"{"tool":"lookup","arguments":{"id":1},"confirmFirst":false}"#, r#"lookup{"id":1}"#),
            (r#"{"tool":"lookup","arguments":{"tool":null},"confirmFirst":true}"#, r#"lookup{"tool":null} confirmed"#),
            (r#"{"tool":"lookup"}"#, "lookupnull"),
            (r#"{"tool":"lookup","arguments":"id=1"}"#, r#"lookup"id=1""#),
            (r#"{"tool":"made_up","arguments":{}}"#, "made_up{}"),
            (r#"{"tool":null,"confirmFirst":true}"#, "-null"),
            (r#"I might say {"tool":"lookup"}, but: {"tool":null}"#, "-null"),
            (r#"{"tool":"lookup","confirmFirst":"yes"}"#, "unusable: `confirmFirst` is neither true nor false"),
            (r#"{"tool":"None"}"#, "unusable: `tool` is \"None\", which is no tool; null is written without quotes"),
            (r#"{"tool":["lookup"]}"#, "unusable: `tool` is neither a name nor null"),
            (r#"{"name":"lookup"}"#, "unusable: none of its JSON objects has the key `tool`"),
            (r#"{"tool":"lookup"} {"tool":"#, "unusable: it ends inside a JSON object"),
            ("lookup", "unusable: it holds no JSON object"),
        ] {
            assert_eq!(said(answer), want, "{answer}");
        }
    }
}
