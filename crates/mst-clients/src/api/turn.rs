//! What is said of a turn: why a call is not sent, what a model sees of a result, and what a reader should know.

use mst_llm::{ChatReply, ToolArguments, ToolCall, ToolResultPart};
use mst_mcp::ResultPart;
use serde_json::{Map, Value};

use super::offer::{Offer, Target};
use super::recording::Recording;

/// Returns where a call goes and with what; else what the model is told instead of a result.
pub(super) fn refusal<'c>(
    call: &'c ToolCall,
    target: Option<&'c Target>,
    offer: &Offer,
) -> Result<(&'c Target, &'c Map<String, Value>), String> {
    let Some(target) = target else {
        return Err(match offer.names() {
            [] => format!("no tool is named {:?}; no tools are offered", call.name),
            names => format!("no tool is named {:?}; the tools offered are: {}", call.name, names.join(", ")),
        });
    };
    match &call.arguments {
        ToolArguments::Object(arguments) => Ok((target, arguments)),
        ToolArguments::Malformed(raw) => {
            Err(format!("{} was not called: its arguments must be one JSON object, but {}", call.name, fault(raw)))
        }
    }
}

/// Returns a part of a result as the model takes it: an image where it takes any, else a note of its type and size.
pub(super) fn for_model(part: ResultPart, takes_images: bool) -> ToolResultPart {
    match part {
        ResultPart::Image { mime_type, data } if takes_images => ToolResultPart::Image { mime_type, data },
        ResultPart::Text { text } => ToolResultPart::Text { text },
        image @ ResultPart::Image { .. } => ToolResultPart::Text { text: image.as_text().into_owned() },
    }
}

/// Says what keeps a text from being one JSON object.
fn fault(raw: &str) -> String {
    match serde_json::from_str::<Value>(raw) {
        Ok(value) => {
            let kind = match value {
                Value::Null => "null",
                Value::Bool(_) => "a boolean",
                Value::Number(_) => "a number",
                Value::String(_) => "a string",
                Value::Array(_) => "an array",
                Value::Object(_) => "an object in another form",
            };
            format!("they are {kind}")
        }
        Err(error) => format!("they are not valid JSON ({error})"),
    }
}

/// Records calls of a turn of which none, or no more, is sent.
pub(super) fn not_run<'c>(
    calls: impl IntoIterator<Item = &'c ToolCall>,
    offer: &Offer,
    output: &str,
    recording: &mut Recording,
) {
    for call in calls {
        if let Some(tool) = offer.skill_tool(&call.name) {
            recording.note(format!("{} {output}", tool.name()));
            continue;
        }
        recording.not_sent(call, offer.target(&call.name), output);
    }
}

/// Notes what a reader of an answer should know.
pub(super) fn note_answer(reply: &ChatReply, recording: &mut Recording) {
    if reply.text().trim().is_empty() {
        recording.note("empty answer: the model answered nothing");
    }
    if reply.finish == mst_llm::Finish::MaxTokens {
        recording.note("the answer was cut at maxTokens");
    }
}
