//! The headers that revision 2026-07-28 adds to a request, so that a gateway can route it without reading its body.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::transport::common::http_header::{BASE64_HEADER_PREFIX, BASE64_HEADER_SUFFIX, HEADER_MCP_PARAM_PREFIX};
use serde_json::{Map, Value};

/// Returns the `Mcp-Param-…` headers of a call: one for each argument whose property has an `x-mcp-header`.
pub(crate) fn parameter_headers(schema: Option<&Value>, arguments: Option<&Map<String, Value>>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let (Some(schema), Some(arguments)) = (schema, arguments) {
        collect(schema, arguments, &mut headers);
    }
    headers
}

/// Returns what is wrong with a schema's `x-mcp-header` annotations, by the rules of revision 2026-07-28.
pub(crate) fn parameter_header_fault(schema: Option<&Value>) -> Option<String> {
    find_fault(schema?, &mut HashSet::new())
}

fn find_fault(schema: &Value, seen: &mut HashSet<String>) -> Option<String> {
    let properties = schema.get("properties").and_then(Value::as_object)?;
    properties.iter().find_map(|(name, property)| {
        let header = match property.get("x-mcp-header") {
            None => return find_fault(property, seen),
            Some(Value::String(header)) => header,
            Some(_) => return Some(format!("an x-mcp-header of {name:?} that is no text")),
        };
        if header.is_empty() || HeaderName::try_from(header.as_str()).is_err() {
            return Some(format!("an x-mcp-header of {name:?} that cannot be the name of a header"));
        }
        if !matches!(property.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
            return Some(format!("an x-mcp-header of {name:?}, which is neither text, whole number nor boolean"));
        }
        (!seen.insert(header.to_ascii_lowercase())).then(|| format!("two x-mcp-header of one name, one of {name:?}"))
    })
}

fn collect(schema: &Value, arguments: &Map<String, Value>, headers: &mut HeaderMap) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let Some(argument) = arguments.get(name) else { continue };
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str) {
            let text = match argument {
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) => argument.to_string(),
                _ => continue,
            };
            if let Ok(header) = HeaderName::try_from(format!("{HEADER_MCP_PARAM_PREFIX}{header}")) {
                headers.insert(header, value(&text));
            }
        }
        if let Value::Object(inner) = argument {
            collect(property, inner, headers);
        }
    }
}

/// Returns a text as a header's value, in base64 where it could not travel as it is.
pub(super) fn value(text: &str) -> HeaderValue {
    let edge = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let bytes = text.as_bytes();
    let looks_encoded = text.starts_with(BASE64_HEADER_PREFIX) && text.ends_with(BASE64_HEADER_SUFFIX);
    let unprintable = bytes.iter().any(|byte| !(0x20..=0x7E).contains(byte));
    let text = if looks_encoded || unprintable || edge(bytes.first()) || edge(bytes.last()) {
        format!("{BASE64_HEADER_PREFIX}{}{BASE64_HEADER_SUFFIX}", STANDARD.encode(text))
    } else {
        text.to_owned()
    };
    HeaderValue::try_from(text).expect("printable ASCII is a header value")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn annotated_arguments_become_headers() {
        let schema = json!({ "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "plain": { "type": "string" },
            "deep": { "properties": { "n": { "type": "integer", "x-mcp-header": "N" } } },
        } });
        let arguments = json!({ "region": "Zürich", "plain": "x", "deep": { "n": 7 } });
        let headers = parameter_headers(Some(&schema), arguments.as_object());
        let pairs: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        assert_eq!(pairs, [("mcp-param-region", "=?base64?WsO8cmljaA==?="), ("mcp-param-n", "7")]);
    }

    #[test]
    fn annotations_that_break_the_rules_are_found() {
        let header = |header: Value| json!({ "type": "string", "x-mcp-header": header });
        for (properties, want) in [
            (json!({ "a": header(json!("Region")), "b": header(json!("X-b")) }), None),
            (json!({ "a": header(json!("")) }), Some("an x-mcp-header of \"a\" that cannot be the name of a header")),
            (
                json!({ "a": header(json!("a b")) }),
                Some("an x-mcp-header of \"a\" that cannot be the name of a header"),
            ),
            (json!({ "a": header(json!(7)) }), Some("an x-mcp-header of \"a\" that is no text")),
            (
                json!({ "o": { "properties": { "a": { "type": "number", "x-mcp-header": "A" } } } }),
                Some("an x-mcp-header of \"a\", which is neither text, whole number nor boolean"),
            ),
            (
                json!({ "a": header(json!("R")), "b": header(json!("r")) }),
                Some("two x-mcp-header of one name, one of \"b\""),
            ),
        ] {
            let got = parameter_header_fault(Some(&json!({ "properties": properties })));
            assert_eq!(got.as_deref(), want, "{properties}");
        }
    }
}
