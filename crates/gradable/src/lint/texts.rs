//! Texts: what a model reads of a tool, and of the server.

use mst_mcp::ListedTool;
use serde_json::Value;

use super::findings::{Findings, deeper};
use super::rule::Rule;
use super::{hidden::hidden, wording};
use crate::surface::Surface;

/// The most characters of a description that every provider takes.
const LONGEST: usize = 1_024;

/// Looks at the server's instructions. They are meant for the model, so orders are no fault there; taking the place of
/// other instructions is.
pub(super) fn instructions(surface: &Surface, found: &mut Findings) {
    let Some(text) = &surface.instructions else { return };
    unseen(text, "/instructions", found);
    if let Some(part) = wording::overriding(text) {
        found.add(Rule::AddressedToModel, "/instructions", format!("the text says {part}"));
    }
}

/// Looks at every text of a tool.
pub(super) fn tool(tool: &ListedTool, found: &mut Findings) {
    description(tool, found);
    for (key, value) in tool.raw() {
        // Neither is shown to a model.
        if key != "_meta" && key != "icons" {
            unseen_key(key, "", found);
            every_text(value, &deeper("", key), found);
        }
    }
}

fn description(tool: &ListedTool, found: &mut Findings) {
    let text = tool.description().unwrap_or_default();
    if text.trim().is_empty() {
        let message = if tool.description().is_some() { "the description is empty" } else { "there is no description" };
        return found.add(Rule::MissingDescription, "/description", message);
    }
    let length = text.chars().count();
    if length > LONGEST {
        let message = format!("the description has {length} characters; some providers take {LONGEST}");
        found.add(Rule::LongDescription, "/description", message);
    }
    if let Some(part) = wording::pushing(text) {
        found.add(Rule::PushyWording, "/description", format!("the description {part}"));
    }
}

/// Looks at a value's texts: keys are texts too.
fn every_text(value: &Value, pointer: &str, found: &mut Findings) {
    match value {
        Value::String(text) => {
            unseen(text, pointer, found);
            if let Some(part) = wording::overriding(text).or_else(|| wording::ordering(text)) {
                found.add(Rule::AddressedToModel, pointer, format!("the text says {part}"));
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                every_text(item, &format!("{pointer}/{at}"), found);
            }
        }
        Value::Object(object) => {
            for (key, value) in object {
                unseen_key(key, pointer, found);
                if !matches!(value, Value::Null | Value::Bool(_) | Value::Number(_)) {
                    every_text(value, &deeper(pointer, key), found);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn unseen(text: &str, pointer: &str, found: &mut Findings) {
    if let Some(what) = hidden(text) {
        found.add(Rule::HiddenCharacters, pointer, format!("the text hides {what}"));
    }
}

fn unseen_key(key: &str, pointer: &str, found: &mut Findings) {
    if let Some(what) = hidden(key) {
        found.add(Rule::HiddenCharacters, deeper(pointer, key), format!("the key hides {what}"));
    }
}
