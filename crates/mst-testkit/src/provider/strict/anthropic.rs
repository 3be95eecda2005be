//! Anthropic's rules: the reference of `POST /v1/messages` (tools) and the texts of its 400 answers.

use serde_json::Value;

use super::{known_keys, list, names, schema, text};

/// The combinators that the API refuses at a schema's root: "input_schema does not support oneOf, allOf, or anyOf at the
/// top level".
const COMBINATORS: [&str; 3] = ["oneOf", "allOf", "anyOf"];

/// Checks the tools.
pub(super) fn check(tools: &Value) -> Result<(), String> {
    let tools = list(tools, "tools")?;
    for (at, tool) in tools.iter().enumerate() {
        let place = format!("tools.{at}.custom");
        known_keys(tool, &["name", "description", "input_schema", "type", "cache_control"], &place)?;
        names::check(text(tool, "name", &place)?, 128, "_-").map_err(|why| format!("{place}.name: {why}"))?;
        if tool.get("description").is_some_and(|description| !description.is_string()) {
            return Err(format!("{place}.description: Input should be a valid string"));
        }
        let place = format!("{place}.input_schema");
        let input = tool.get("input_schema").ok_or_else(|| format!("{place}: Field required"))?;
        if input.get("type").and_then(Value::as_str) != Some("object") {
            return Err(format!("{place}.type: Input should be 'object'"));
        }
        if COMBINATORS.iter().any(|key| input.get(key).is_some()) {
            return Err(format!("{place}: input_schema does not support oneOf, allOf, or anyOf at the top level"));
        }
        for name in input.get("properties").and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys) {
            names::check(name, 64, "_.-").map_err(|why| format!("{place}.properties: Property keys: {why}"))?;
        }
        schema::check(input, &place)?;
    }
    names::check_unique(tools.iter().filter_map(|tool| tool["name"].as_str()))
}
