//! One pass of the harness: the judge's choices, checked against the surface.

use std::collections::HashMap;

use mst_mcp::ListedTool;
use mst_model::{ScanTask, TaskResult};

use crate::judge::Choice;
use crate::validity::Validity;

/// Turns a pass's choices into results. There is one choice a task, in the tasks' order.
///
/// A call of nothing is right, and well formed, exactly where no tool fits. An invented name stays as it was given: it is
/// wrong, not well formed and no destructive candidate. A destructive candidate is a call whose tool is destructive, also
/// where another was expected.
pub(crate) fn results(
    tools: &[ListedTool],
    destructive: &HashMap<&str, bool>,
    tasks: &[ScanTask],
    choices: Vec<Choice>,
) -> Vec<TaskResult> {
    let mut validity = Validity::of(tools);
    tasks
        .iter()
        .zip(choices)
        .map(|(task, choice)| {
            let correct = choice.tool == task.expected_tool;
            let Some(tool) = choice.tool else {
                return TaskResult {
                    task_id: task.id.clone(),
                    chosen_tool: None,
                    arguments: None,
                    well_formed: correct,
                    correct,
                    steps: 0,
                    tokens: choice.tokens,
                    destructive_candidate: false,
                    confirmed: false,
                };
            };
            TaskResult {
                task_id: task.id.clone(),
                well_formed: validity.is_well_formed(&tool, choice.arguments.as_ref()),
                correct,
                steps: 1,
                tokens: choice.tokens,
                destructive_candidate: destructive.get(tool.as_str()).copied().unwrap_or_default(),
                confirmed: choice.confirmed,
                arguments: choice.arguments,
                chosen_tool: Some(tool),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::surface::Surface;

    /// What is expected and chosen, with which arguments; whether that is correct, well formed and destructive; its steps.
    type Row = (Option<&'static str>, Option<&'static str>, Value, [bool; 3], u32);

    #[test]
    fn choices_are_judged_by_the_surface() {
        let surface = Surface::of(json!([
            { "name": "look", "inputSchema": { "required": ["id"] } },
            { "name": "wipe" },
        ]));
        let destructive = HashMap::from([("look", false), ("wipe", true)]);
        let rows: [Row; 7] = [
            (Some("look"), Some("look"), json!({ "id": 1 }), [true, true, false], 1),
            (Some("look"), Some("look"), json!({}), [true, false, false], 1),
            (Some("look"), Some("wipe"), json!({}), [false, true, true], 1),
            (Some("look"), Some("invented"), json!({}), [false, false, false], 1),
            (Some("look"), None, json!(null), [false, false, false], 0),
            (None, None, json!(null), [true, true, false], 0),
            (None, Some("look"), json!({ "id": 1 }), [false, true, false], 1),
        ];
        let task = |at: usize, expected: Option<&str>| ScanTask {
            id: format!("t{at}"),
            prompt: "do".to_owned(),
            expected_tool: expected.map(str::to_owned),
            destructive: false,
        };
        let tasks: Vec<ScanTask> = rows.iter().enumerate().map(|(at, row)| task(at, row.0)).collect();
        let choice = |row: &Row| Choice {
            tool: row.1.map(str::to_owned),
            arguments: (!row.2.is_null()).then(|| row.2.clone()),
            confirmed: true,
            tokens: 2.5,
        };
        let results = results(&surface.tools, &destructive, &tasks, rows.iter().map(choice).collect());
        for (row, result) in rows.iter().zip(results) {
            let seen = [result.correct, result.well_formed, result.destructive_candidate];
            assert_eq!((seen, result.steps), (row.3, row.4), "{row:?}");
            assert_eq!(result.chosen_tool.as_deref(), row.1);
        }
    }
}
