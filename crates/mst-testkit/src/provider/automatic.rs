//! The automatic model: answers any request without a script, the same way each time.
//!
//! 1. After tool results it answers by quoting the last one.
//! 2. When tools are offered and nothing was called yet, it calls the tool whose name occurs in the last user text,
//!    else the first tool, with arguments made up from the schema.
//! 3. It answers the questions of a `gradable` scan as a sensible judge, whatever tools are offered.
//! 4. Without tools it gives a judge the verdict that its prompt asks for, else it repeats the last user text.

use serde_json::{Value, json};

use super::reply::Reply;
use super::sample;
use super::scan_judge;
use super::tool_call::ToolCall;
use super::view::{OfferedTool, View};

/// Makes the automatic reply.
pub(crate) fn reply(view: &View) -> Reply {
    if let Some(answer) = scan_judge::answer(view) {
        return Reply::text(answer.to_string());
    }
    let text = view.last_user_text();
    if view.ends_with_results {
        let result = view.tool_results.last().map_or("", |result| result.text.as_str());
        return Reply::text(format!("The tool says: {result}"));
    }
    if let Some(tool) = suited(&view.tools, text) {
        return Reply::tool(ToolCall::named(tool.name.clone(), sample::arguments(&tool.schema, text)));
    }
    Reply::text(verdict(view).unwrap_or_else(|| format!("You said: {text}")))
}

/// Picks the longest tool name that occurs in the text, with or without a `server__` prefix; else the first tool.
fn suited<'a>(tools: &'a [OfferedTool], text: &str) -> Option<&'a OfferedTool> {
    let text = text.to_lowercase();
    let bare = |tool: &OfferedTool| tool.name.rsplit("__").next().unwrap_or(&tool.name).to_lowercase();
    let named = tools.iter().filter(|tool| text.contains(&tool.name.to_lowercase()) || text.contains(&bare(tool)));
    named.max_by_key(|tool| tool.name.len()).or_else(|| tools.first())
}

/// Gives the verdict that is asked for. What a judge's system text asks for goes before what stands in the material, where
/// an answer under test may ask for anything.
fn verdict(view: &View) -> Option<String> {
    let user = || view.user_texts().collect::<Vec<_>>().join("\n");
    asked_verdict(&view.system).or_else(|| asked_verdict(&user())).map(|verdict| verdict.to_string())
}

fn asked_verdict(text: &str) -> Option<Value> {
    let asked = |word: &str| text.contains(word);
    let reasoning = "automatic verdict";
    if asked("\"preferred\"") {
        Some(json!({"preferred": "tie", "reasoning": reasoning}))
    } else if asked("\"pass\"") && asked("\"score\"") {
        Some(json!({"pass": true, "score": 1, "reasoning": reasoning}))
    } else if asked("\"answer\"") {
        Some(json!({"answer": "yes", "reasoning": reasoning}))
    } else {
        None
    }
}
