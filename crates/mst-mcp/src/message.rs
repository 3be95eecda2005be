//! JSON-RPC messages, kept as raw JSON: what a server sends is stored with every field it has.
//!
//! The official SDK's typed models are not used for what arrives. They drop fields they do not know and decode results
//! by shape, so a tool with a new field, or a result with a fault, would be stored as something the server never sent.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::failure::CallFailure;
use crate::surrogate::repair;
use crate::text::cut;

/// The longest line, body or event that is read, in bytes.
pub(crate) const LONGEST_MESSAGE: usize = 100_000_000;

/// One message of a server.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming {
    /// An answer to a request; without an id it answers one that the server could not read.
    Response { id: Option<u64>, outcome: Result<Value, CallFailure> },
    /// A request of the server.
    Request { id: Value, method: String, params: Value },
    /// A notification.
    Notification { method: String, params: Value },
}

/// Bytes that hold no message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoMessage {
    /// Text, a blank line, or JSON that is not JSON-RPC.
    Stray,
    /// Something that was meant as a message (it says `"jsonrpc"`) and is not JSON.
    Unreadable,
}

/// The messages in a line, body or event, and whether something in it had to be repaired.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) messages: Result<Vec<Incoming>, NoMessage>,
    pub(crate) repaired: bool,
}

/// Reads a line, body or event.
pub(crate) fn read(bytes: &[u8]) -> Read {
    let mut repaired = false;
    let value = serde_json::from_slice::<Value>(bytes).or_else(|error| {
        let better = repair(bytes);
        if *better == *bytes {
            return Err(error);
        }
        let value = serde_json::from_slice(&better)?;
        repaired = true;
        Ok(value)
    });
    let messages = match value {
        Ok(Value::Array(batch)) if !batch.is_empty() => batch.into_iter().map(message).collect(),
        Ok(value) => message(value).map(|message| vec![message]),
        Err(_) if contains(bytes, b"\"jsonrpc\"") => Err(NoMessage::Unreadable),
        Err(_) => Err(NoMessage::Stray),
    };
    Read { messages, repaired }
}

fn message(value: Value) -> Result<Incoming, NoMessage> {
    let Value::Object(mut object) = value else { return Err(NoMessage::Stray) };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(NoMessage::Stray);
    }
    let id = object.swap_remove("id").filter(|id| !id.is_null());
    if let Some(Value::String(method)) = object.get_mut("method") {
        let method = std::mem::take(method);
        let params = object.swap_remove("params").unwrap_or_default();
        return Ok(match id {
            Some(id) => Incoming::Request { id, method, params },
            None => Incoming::Notification { method, params },
        });
    }
    let outcome = outcome(&mut object);
    // Our ids are numbers from 1: any other is one that nobody asked with.
    Ok(Incoming::Response { id: id.map(|id| id.as_u64().unwrap_or(0)), outcome })
}

fn outcome(object: &mut Map<String, Value>) -> Result<Value, CallFailure> {
    match (object.swap_remove("error"), object.swap_remove("result")) {
        (Some(Value::Object(mut error)), _) => Err(CallFailure::Protocol {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: error.get("message").and_then(Value::as_str).map(|text| cut(text, 2_000)).unwrap_or_default(),
            data: error.swap_remove("data"),
        }),
        (None | Some(Value::Null), Some(result)) => Ok(result),
        (Some(error), _) if !error.is_null() => Err(CallFailure::Malformed {
            detail: format!("an error that is no object: {}", cut(&error.to_string(), 200)),
        }),
        _ => Err(CallFailure::Malformed { detail: "a response with neither a result nor an error".to_owned() }),
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[derive(Serialize)]
struct Outgoing<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

/// Writes a request, or a notification when there is no id.
pub(crate) fn outgoing<P: Serialize>(id: Option<u64>, method: &str, params: Option<P>) -> Vec<u8> {
    let message = Outgoing { jsonrpc: "2.0", id, method, params };
    serde_json::to_vec(&message).expect("JSON values and texts are always written")
}

/// Writes the answer to a server's request: a result, or an error object.
pub(crate) fn answer(id: &Value, outcome: Result<Value, Value>) -> Vec<u8> {
    let (key, value) = match outcome {
        Ok(result) => ("result", result),
        Err(error) => ("error", error),
    };
    json!({ "jsonrpc": "2.0", "id": id, key: value }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fc01_lines_are_told_apart() {
        for (line, want) in [
            ("Starting parts server...", Err(NoMessage::Stray)),
            ("", Err(NoMessage::Stray)),
            (r#"{"level":"info","msg":"up"}"#, Err(NoMessage::Stray)),
            ("42", Err(NoMessage::Stray)),
            ("[]", Err(NoMessage::Stray)),
            (r#"50%{"jsonrpc":"2.0","id":1,"result":{}}"#, Err(NoMessage::Unreadable)),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
                Ok(vec![Incoming::Notification {
                    method: "notifications/tools/list_changed".to_owned(),
                    params: Value::Null,
                }]),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":{"n":1}}"#,
                Ok(vec![Incoming::Request { id: json!("a"), method: "ping".to_owned(), params: json!({ "n": 1 }) }]),
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"result":{"new":1}}"#,
                Ok(vec![Incoming::Response { id: Some(7), outcome: Ok(json!({ "new": 1 })) }]),
            ),
            (
                r#"[{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}]"#,
                Ok(vec![Incoming::Response {
                    id: Some(7),
                    outcome: Err(CallFailure::Protocol { code: -32602, message: "no".to_owned(), data: None }),
                }]),
            ),
        ] {
            assert_eq!(read(line.as_bytes()).messages, want, "{line}");
        }
    }

    #[test]
    fn malformed_responses_fail_their_request() {
        for line in [r#"{"jsonrpc":"2.0","id":1}"#, r#"{"jsonrpc":"2.0","id":1,"error":"boom"}"#] {
            let messages = read(line.as_bytes()).messages.unwrap();
            assert!(
                matches!(
                    &messages[..],
                    [Incoming::Response { id: Some(1), outcome: Err(CallFailure::Malformed { .. }) }]
                ),
                "{line}"
            );
        }
    }

    #[test]
    fn fc33_a_repaired_message_says_so() {
        let read = read(br#"{"jsonrpc":"2.0","id":1,"result":"\ud800"}"#);
        assert!(read.repaired);
        assert_eq!(read.messages, Ok(vec![Incoming::Response { id: Some(1), outcome: Ok(json!("\u{FFFD}")) }]));
    }
}
