//! Names of parameters, where a provider takes fewer than JSON does.
//!
//! Anthropic refuses a whole request for one key of a root's `properties` outside `^[a-zA-Z0-9_.-]{1,64}$`. Such a
//! parameter is presented under another name; calls are turned back before anyone else sees them.

use std::collections::HashMap;

use mst_model::Provider;
use serde_json::{Map, Value, json};

use super::Changes;
use crate::chat::{AssistantPart, ChatMessage, ToolArguments, ToolCall};

/// The longest name of a parameter.
const LONGEST: usize = 64;

/// Returns whether a provider takes only plain names. A gateway is taken for the strictest model behind it.
pub(super) fn are_restricted(provider: Provider) -> bool {
    matches!(provider, Provider::Anthropic | Provider::VertexAnthropic | Provider::OpenRouter)
}

/// Presented and listed names of the parameters that were renamed, by tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ParameterNames(HashMap<String, Vec<(String, String)>>);

impl ParameterNames {
    /// Renames the parameters of a tool's schema that need it.
    pub(super) fn rename(&mut self, tool: &str, schema: &mut Value, changes: &mut Changes) {
        let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
        if properties.keys().all(|name| is_plain(name)) {
            return;
        }
        let mut renamed = Vec::new();
        let mut taken: Vec<String> = properties.keys().filter(|name| is_plain(name)).cloned().collect();
        let mut presented = Map::new();
        for (name, mut property) in std::mem::take(properties) {
            if is_plain(&name) {
                presented.insert(name, property);
                continue;
            }
            let plain = plain_name(&name, &taken);
            note_name(&mut property, &name);
            changes.add(format!("the parameter {name:?} is presented as {plain:?}"));
            taken.push(plain.clone());
            presented.insert(plain.clone(), property);
            renamed.push((plain, name));
        }
        *properties = presented;
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            for entry in required {
                if let Some((plain, _)) = renamed.iter().find(|(_, name)| entry == name) {
                    *entry = json!(plain);
                }
            }
        }
        self.0.insert(tool.to_owned(), renamed);
    }

    /// Gives the parameters of a turn's calls their own names back.
    pub(crate) fn restore(&self, parts: &mut [AssistantPart]) {
        for part in parts {
            if let AssistantPart::ToolCall(call) = part {
                self.change(call, |(presented, listed)| (presented, listed));
            }
        }
    }

    /// Returns a conversation as the model saw it; `None` when nothing differs.
    pub(crate) fn present(&self, messages: &[ChatMessage]) -> Option<Vec<ChatMessage>> {
        if self.0.is_empty() {
            return None;
        }
        let mut messages = messages.to_vec();
        for message in &mut messages {
            let ChatMessage::Assistant { parts } = message else { continue };
            for part in parts {
                if let AssistantPart::ToolCall(call) = part {
                    self.change(call, |(presented, listed)| (listed, presented));
                }
            }
        }
        Some(messages)
    }

    fn change(&self, call: &mut ToolCall, way: fn((String, String)) -> (String, String)) {
        let Some(renamed) = self.0.get(&call.name) else { return };
        let ToolArguments::Object(arguments) = &mut call.arguments else { return };
        let names: HashMap<String, String> = renamed.iter().cloned().map(way).collect();
        let changed = std::mem::take(arguments).into_iter();
        *arguments = changed.map(|(name, value)| (names.get(&name).cloned().unwrap_or(name), value)).collect();
    }
}

fn is_plain(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    (1..=LONGEST).contains(&name.len()) && name.chars().all(fits)
}

/// Returns a plain name that is not taken: what is left of the listed one, with a number where that is not enough.
fn plain_name(name: &str, taken: &[String]) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let clean: String = name.chars().map(|c| if fits(c) { c } else { '_' }).take(LONGEST).collect();
    let clean = if clean.is_empty() { "_".to_owned() } else { clean };
    let numbered = (2..).map(|number| {
        let suffix = format!("_{number}");
        format!("{}{suffix}", &clean[..clean.len().min(LONGEST - suffix.len())])
    });
    std::iter::once(clean.clone())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .expect("there are more numbers than names")
}

/// Tells the model what the server calls the parameter.
fn note_name(property: &mut Value, name: &str) {
    let Value::Object(fields) = property else { return };
    let words = format!("(the server calls it {name:?})");
    let text = match fields.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {words}"),
        None => words,
    };
    fields.insert("description".to_owned(), json!(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_renamed_apart_and_their_calls_turned_back() {
        let long = "x".repeat(70);
        let mut schema = json!({ "type": "object", "required": ["Time<", "id"], "properties": {
            "id": {}, "Time<": { "type": "string", "description": "from" }, "Time>": {}, "Time_": {}, "é": true, "": {}, &long: {} } });
        let (mut names, mut changes) = (ParameterNames::default(), Changes::default());
        names.rename("calls", &mut schema, &mut changes);
        let properties: Vec<&String> = schema["properties"].as_object().expect("properties").keys().collect();
        assert_eq!(properties, ["id", "Time__2", "Time__3", "Time_", "_", "__2", &"x".repeat(64)]);
        assert!(properties.iter().all(|name| is_plain(name)));
        assert_eq!(schema["required"], json!(["Time__2", "id"]));
        assert_eq!(schema["properties"]["Time__2"]["description"], "from (the server calls it \"Time<\")");
        assert_eq!(changes.into_list().len(), 5);

        let call = |arguments: Value| {
            let arguments = ToolArguments::Object(arguments.as_object().expect("an object").clone());
            AssistantPart::ToolCall(ToolCall { id: "c".into(), name: "calls".into(), arguments, signature: None })
        };
        let seen = call(json!({ "Time__2": 1, "Time_": 2, "id": 3 }));
        let own = call(json!({ "Time<": 1, "Time_": 2, "id": 3 }));
        let mut parts = [seen.clone()];
        names.restore(&mut parts);
        assert_eq!(parts[0], own);
        let messages = [ChatMessage::Assistant { parts: vec![own] }];
        assert_eq!(names.present(&messages), Some(vec![ChatMessage::Assistant { parts: vec![seen] }]));
        assert_eq!(ParameterNames::default().present(&messages), None);
    }
}
