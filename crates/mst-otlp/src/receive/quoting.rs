//! Which attributes may quote a prompt, a model or a server: every text that is not known to be a name, an id or a status.

use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use serde_json::{Map, Value};

/// Attributes whose texts are names, ids and statuses, by the conventions of OpenTelemetry and what agents report today.
const NAMES: [&str; 46] = [
    "agent.name",
    "client_id",
    "conversation.id",
    "decision",
    "decision_source",
    "decision_type",
    "error.type",
    "event.name",
    "event.timestamp",
    "finish_reason",
    "gen_ai.agent.id",
    "gen_ai.agent.name",
    "gen_ai.conversation.id",
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.system",
    "gen_ai.token.type",
    "gen_ai.tool.call.id",
    "gen_ai.tool.name",
    "gen_ai.tool.type",
    "http.request.method",
    "jsonrpc.request.id",
    "mcp.method.name",
    "mcp.protocol.version",
    "mcp.session.id",
    "mcp_server",
    "model",
    "network.protocol.name",
    "network.transport",
    "originator",
    "prompt.id",
    "provider_name",
    "request_id",
    "rpc.response.status_code",
    "service.name",
    "service.version",
    "session.id",
    "status",
    "tool_name",
    "tool_use_id",
    "type",
    "user_agent.name",
];

/// The longest name that is kept, in characters: what is longer is no name.
pub(super) const LONGEST_NAME: usize = 120;

/// Attributes in two parts: what is kept anywhere, and what may quote.
#[derive(Debug, Default)]
pub(super) struct Parted {
    pub(super) kept: Map<String, Value>,
    pub(super) content: Map<String, Value>,
}

impl Parted {
    /// Parts attributes. Where a name comes twice, the last one holds.
    pub(super) fn of(attributes: Vec<KeyValue>) -> Self {
        let mut parted = Self::default();
        for KeyValue { key, value, .. } in attributes {
            let value = json(value);
            let part = if may_quote(&key, &value) { &mut parted.content } else { &mut parted.kept };
            part.insert(key, value);
        }
        parted
    }
}

/// Returns whether an attribute may quote something.
fn may_quote(key: &str, value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => key.chars().count() > LONGEST_NAME,
        // Agents report counts and flags as texts too.
        Value::String(text) if text.parse::<f64>().is_ok() || text == "true" || text == "false" => false,
        Value::String(text) => !is_name(key) || text.chars().count() > LONGEST_NAME,
        Value::Array(items) => items.iter().any(|item| may_quote(key, item)),
        Value::Object(_) => true,
    }
}

fn is_name(key: &str) -> bool {
    NAMES.binary_search(&key).is_ok()
}

/// Returns a value as JSON. What JSON has no number for is a text.
pub(super) fn json(value: Option<AnyValue>) -> Value {
    match value.and_then(|value| value.value) {
        Some(Any::StringValue(text)) => Value::String(text),
        Some(Any::BoolValue(flag)) => Value::Bool(flag),
        Some(Any::IntValue(whole)) => whole.into(),
        Some(Any::DoubleValue(number)) => {
            serde_json::Number::from_f64(number).map_or_else(|| Value::String(number.to_string()), Value::Number)
        }
        Some(Any::ArrayValue(list)) => list.values.into_iter().map(|item| json(Some(item))).collect(),
        Some(Any::KvlistValue(list)) => {
            Value::Object(list.values.into_iter().map(|pair| (pair.key, json(pair.value))).collect())
        }
        Some(Any::BytesValue(bytes)) => Value::String(format!("{} bytes", bytes.len())),
        // The second is of profiles alone.
        None | Some(Any::StringValueStrindex(_)) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_content_unless_they_are_known_to_be_names() {
        assert!(NAMES.is_sorted(), "they are searched in order");
        let long = "x".repeat(LONGEST_NAME + 1);
        for (key, value, want) in [
            ("gen_ai.usage.input_tokens", json!(12), false),
            ("cost_usd", json!("0.0123"), false),
            ("success", json!("true"), false),
            ("gen_ai.request.model", json!("m-1"), false),
            ("gen_ai.request.model", json!(long), true),
            ("gen_ai.response.finish_reasons", json!(["stop"]), false),
            ("gen_ai.input.messages", json!([{ "role": "user" }]), true),
            ("prompt", json!("where is it?"), true),
            ("error", json!("no such file: /home/x"), true),
            ("anything.else", json!("word"), true),
            ("anything.else", json!([1, 2.5, true]), false),
            ("anything.else", json!([1, "word"]), true),
            (long.as_str(), json!(1), true),
        ] {
            assert_eq!(may_quote(key, &value), want, "{key} = {value}");
        }
    }
}
