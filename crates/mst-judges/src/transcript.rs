//! A trial in words, for a judge.

use mst_model::{Event, EventKind, EventSource, JudgeTrial};
use serde_json::{Map, Value};

/// Returns the trial's tool calls and other events as JSON, one a line, each result cut to so many characters.
///
/// What was cut is said beside the result, never in it, where the result's own text could say the same.
pub(crate) fn calls(trial: &JudgeTrial, max_result: u32) -> String {
    if trial.events.is_empty() {
        return "(no tool was called)".to_owned();
    }
    let lines: Vec<String> = trial
        .events
        .iter()
        .zip(1..)
        .map(|(event, number)| Value::Object(call(event, number, max_result)).to_string())
        .collect();
    lines.join("\n")
}

/// Returns the final answer: a text as it is, anything else as indented JSON.
pub(crate) fn answer(trial: &JudgeTrial) -> String {
    match &trial.response {
        Value::String(text) => text.clone(),
        Value::Null => trial.text.clone(),
        value => value_text(value),
    }
}

/// Returns a value of a dataset in words.
pub(crate) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).expect("a JSON value can be written"),
    }
}

/// Returns whether a value of a dataset says nothing.
pub(crate) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn call(event: &Event, number: u64, max_result: u32) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("n".to_owned(), number.into());
    let kind = match event.kind {
        EventKind::ToolCall => "tool",
        EventKind::Skill => "skill",
        EventKind::Command => "command",
        EventKind::Subagent => "subagent",
        EventKind::ToolSearch => "tool_search",
    };
    line.insert(kind.to_owned(), event.qualified_name().into());
    if event.source == EventSource::Builtin {
        line.insert("builtIn".to_owned(), true.into());
    }
    if let Some(arguments) = &event.arguments {
        line.insert("arguments".to_owned(), Value::Object(arguments.clone()));
    }
    if let Some(raw) = &event.raw_arguments {
        line.insert("unreadableArguments".to_owned(), raw.as_str().into());
    }
    if event.is_error == Some(true) {
        line.insert("failed".to_owned(), true.into());
    }
    if let Some(found) = &event.results {
        line.insert("found".to_owned(), found.iter().map(|hit| hit.name.as_str()).collect());
    }
    match &event.output {
        Some(output) => {
            let (shown, cut) = cut(output, max_result as usize);
            line.insert("result".to_owned(), shown.into());
            if let Some(cut) = cut {
                line.insert("resultCut".to_owned(), cut.into());
            }
        }
        None if event.kind == EventKind::ToolCall => {
            line.insert("resultNotRecorded".to_owned(), true.into());
        }
        None => {}
    }
    line
}

/// Cuts a text to so many characters, and says what is missing.
fn cut(text: &str, max: usize) -> (&str, Option<String>) {
    let Some((end, _)) = text.char_indices().nth(max) else { return (text, None) };
    let left = text[end..].chars().count();
    (&text[..end], Some(format!("the last {left} of {} characters are not shown", max + left)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn trial(events: &Value) -> JudgeTrial {
        serde_json::from_value(json!({ "response": "a", "text": "a", "events": events })).expect("a trial")
    }

    #[test]
    fn each_call_is_a_line_and_a_result_is_never_cut_silently() {
        for (events, want) in [
            (json!([]), "(no tool was called)"),
            (
                json!([
                    { "kind": "tool_call", "source": "mcp", "name": "lookup", "server": "parts", "arguments": { "id": "p-1" }, "output": "bin\n12" },
                    { "kind": "tool_call", "source": "builtin", "name": "bash", "rawArguments": "{", "isError": true, "output": "äöüß€" },
                ]),
                r#"{"n":1,"tool":"parts.lookup","arguments":{"id":"p-1"},"result":"bin\n","resultCut":"the last 2 of 6 characters are not shown"}
{"n":2,"tool":"bash","builtIn":true,"unreadableArguments":"{","failed":true,"result":"äöüß","resultCut":"the last 1 of 5 characters are not shown"}"#,
            ),
            (
                json!([
                    { "kind": "tool_search", "source": "builtin", "name": "find", "results": [{ "name": "lookup" }] },
                    { "kind": "tool_call", "source": "mcp", "name": "lookup" },
                ]),
                r#"{"n":1,"tool_search":"find","builtIn":true,"found":["lookup"]}
{"n":2,"tool":"lookup","resultNotRecorded":true}"#,
            ),
        ] {
            assert_eq!(calls(&trial(&events), 4), want);
        }
        assert_eq!(cut("abcd", 4), ("abcd", None));
    }

    #[test]
    fn an_answer_that_is_no_text_is_shown_as_indented_json() {
        let mut trial = trial(&json!([]));
        assert_eq!(answer(&trial), "a");
        trial.response = json!({ "bin": 12 });
        assert_eq!(answer(&trial), "{\n  \"bin\": 12\n}");
    }
}
