//! `selection-v1` without a model: the offline model's ranking over the request's words that say something.

use std::collections::HashMap;

use mst_llm::{LexicalSelector, ToolSpec, words};
use mst_mcp::ListedTool;
use serde_json::{Value, json};

use super::vocabulary::is_empty_word;
use crate::definition::{BYTES_A_TOKEN, definition_text};
use crate::judge::{Choice, Pass};

/// Words by which a declaration warns of what a call does.
const WARNINGS: [&str; 14] = [
    "irreversible",
    "irreversibly",
    "permanent",
    "permanently",
    "undone",
    "undo",
    "destructive",
    "caution",
    "danger",
    "dangerous",
    "warning",
    "confirm",
    "confirmation",
    "careful",
];

/// Chooses a tool for each task of a pass.
///
/// Quoted texts and numbers are values, and words without meaning are none to rank by; arguments are read from the whole
/// request. The user would be asked first exactly where the declaration warns: by `destructiveHint: true`, or in its
/// description.
pub(super) fn choices(pass: &Pass<'_>) -> Vec<Choice> {
    let tools: Vec<ToolSpec> = pass.tools.iter().map(spec).collect();
    let selector = LexicalSelector::new(&tools);
    let warned: HashMap<&str, bool> = pass.tools.iter().map(|tool| (tool.name(), warns(tool))).collect();
    let surface = pass.tools.iter().map(|tool| definition_text(tool).len()).sum::<usize>()
        + pass.instructions.map_or(0, str::len);
    pass.tasks
        .iter()
        .map(|task| {
            let chosen = selector.select_by(&meant(&task.prompt), &task.prompt);
            let (tool, arguments) = chosen.map(|choice| (choice.tool, Value::Object(choice.arguments))).unzip();
            let confirmed = tool.as_deref().is_some_and(|name| warned.get(name).copied().unwrap_or_default());
            let answer = json!({ "tool": tool, "arguments": arguments, "confirmFirst": confirmed }).to_string();
            let tokens = (surface + task.prompt.len() + answer.len()) as f64 / BYTES_A_TOKEN;
            Choice { tool, arguments, confirmed, tokens }
        })
        .collect()
}

fn spec(tool: &ListedTool) -> ToolSpec {
    ToolSpec {
        name: tool.name().to_owned(),
        description: tool.description().map(str::to_owned),
        input_schema: tool.input_schema().cloned().unwrap_or_else(|| json!({})),
    }
}

/// Returns the words of a request that say what is meant.
fn meant(request: &str) -> String {
    // Requests of this judge quote with plain marks alone.
    let unquoted = request.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let kept = words(&unquoted).into_iter().filter(|word| !is_empty_word(word) && !word.chars().all(char::is_numeric));
    kept.collect::<Vec<_>>().join(" ")
}

/// Tells whether a declaration warns of what a call does.
fn warns(tool: &ListedTool) -> bool {
    let hint = tool.raw().get("annotations").and_then(|annotations| annotations.get("destructiveHint"));
    hint == Some(&Value::Bool(true))
        || words(tool.description().unwrap_or_default()).iter().any(|word| WARNINGS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use mst_model::ScanTask;

    use super::*;
    use crate::surface::Surface;

    #[test]
    fn the_user_is_asked_where_the_declaration_warns() {
        let surface = Surface::of(json!([
            { "name": "wipe_disk", "description": "Wipes a disk. This cannot be undone." },
            { "name": "wipe_memory", "description": "Wipes the memory." },
            { "name": "wipe_log", "annotations": { "destructiveHint": true } },
        ]));
        let task = |prompt: &str| ScanTask {
            id: prompt.to_owned(),
            prompt: prompt.to_owned(),
            expected_tool: None,
            destructive: true,
        };
        let tasks =
            [task("Wipe the disk"), task("Wipe the memory"), task("Wipe my log"), task("Is it what you \"disk\"?")];
        let pass = Pass { name: "baseline", instructions: Some("abcd"), tools: &surface.tools, tasks: &tasks };
        let choices = choices(&pass);
        let seen: Vec<(Option<&str>, bool)> =
            choices.iter().map(|choice| (choice.tool.as_deref(), choice.confirmed)).collect();
        assert_eq!(
            seen,
            [(Some("wipe_disk"), true), (Some("wipe_memory"), false), (Some("wipe_log"), true), (None, false)]
        );
        let bytes: usize = surface.tools.iter().map(|tool| definition_text(tool).len()).sum();
        let answer = r#"{"tool":null,"arguments":null,"confirmFirst":false}"#;
        let whole = bytes + 4 + tasks[3].prompt.len() + answer.len();
        assert!((choices[3].tokens - whole as f64 / 4.0).abs() < f64::EPSILON);
    }
}
