//! What the server logic asks a transport to do.

use std::time::Duration;

use serde_json::{Value, json};

/// One step; a transport takes the steps of a message in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Sends one message.
    Send(Value),
    /// Sends a reply that a JSON value cannot hold, as the text of one line.
    SendText {
        /// The id of the request that is answered.
        id: Value,
        /// The message.
        text: String,
    },
    /// Sends what is no message. It ends with a newline unless it is to be glued to the next message.
    Raw(String),
    /// Writes a line to stderr.
    Stderr(String),
    /// Waits before the next step; other messages are answered meanwhile.
    Wait(Duration),
    /// Ends the process; over HTTP, drops the connection and all later ones.
    Exit(u8),
}

impl Action {
    /// Answers a request.
    pub(super) fn reply(id: &Value, result: Value) -> Self {
        let mut message = json!({"jsonrpc": "2.0", "id": id, "result": null});
        message["result"] = result;
        Self::Send(message)
    }

    /// Answers a request with an error.
    pub(super) fn error(id: &Value, code: i64, message: &str, data: Option<Value>) -> Self {
        let mut error = json!({"code": code, "message": message});
        if let (Some(object), Some(data)) = (error.as_object_mut(), data) {
            object.insert("data".to_owned(), data);
        }
        Self::Send(json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    /// Sends a notification.
    pub(super) fn notify(method: &str, params: Value) -> Self {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        if let (Some(object), false) = (message.as_object_mut(), params.is_null()) {
            object.insert("params".to_owned(), params);
        }
        Self::Send(message)
    }
}
