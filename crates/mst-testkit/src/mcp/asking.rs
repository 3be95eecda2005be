//! Requests from the server to the client: sent inside a call, whose answer then says what the client said.

use serde_json::{Value, json};

use super::action::Action;
use super::mode::Mode;
use super::results;
use super::server::McpServer;

/// Asks the client, and leaves the call open until it has answered.
pub(super) fn ask(server: &mut McpServer, call: &Value) -> Vec<Action> {
    let id = format!("ask-{}", server.calls);
    server.asked.insert(id.clone(), call.clone());
    let (method, params) = request(server.mode());
    let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
    if let (Some(object), Some(params)) = (message.as_object_mut(), params) {
        object.insert("params".to_owned(), params);
    }
    vec![Action::Send(message)]
}

/// Ends the call that waited for this answer.
pub(super) fn answered(server: &mut McpServer, id: &Value, message: &Value) -> Vec<Action> {
    let Some(call) = id.as_str().and_then(|id| server.asked.shift_remove(id)) else { return Vec::new() };
    let answer = message.get("result").or_else(|| message.get("error")).cloned().unwrap_or_default();
    vec![Action::reply(&call, results::text(&format!("the client answered: {answer}")))]
}

/// Answers a stateless call: asks for input first, then says what came.
pub(super) fn modern(mode: Mode, id: &Value, params: &Value) -> Vec<Action> {
    let size = json!({"method": "elicitation/create", "params": elicitation()});
    let result = match (mode, params.get("inputResponses"), params.get("requestState").and_then(Value::as_str)) {
        (Mode::ModernAsksForEver, ..) => json!({"resultType": "input_required", "inputRequests": {"size": size}}),
        (Mode::ModernTask, ..) => json!({"resultType": "task", "taskId": "1"}),
        (Mode::ModernAsksMuch, None, None) => json!({"resultType": "input_required", "requestState": "state-1",
            "inputRequests": {"size": size, "word": {"method": "sampling/createMessage", "params": sampling()},
                "roots": {"method": "roots/list"}}}),
        (Mode::ModernAsksMuch, Some(answers), Some("state-1")) => {
            json!({"resultType": "input_required", "requestState": answers.to_string()})
        }
        (Mode::ModernAsksMuch, None, Some(state)) => said(state),
        (_, Some(answers), Some("state-1")) => said(&answers.to_string()),
        (_, None, None) => json!({"resultType": "input_required", "requestState": "state-1",
            "inputRequests": {"size": size}}),
        _ => results::error("the request state is not the one that was given"),
    };
    vec![Action::reply(id, result)]
}

fn said(answers: &str) -> Value {
    let mut result = results::text(&format!("the client answered: {answers}"));
    result["resultType"] = json!("complete");
    result
}

fn request(mode: Mode) -> (&'static str, Option<Value>) {
    match mode {
        Mode::AsksElicitation => ("elicitation/create", Some(elicitation())),
        Mode::AsksUrl => (
            "elicitation/create",
            Some(json!({"mode": "url", "message": "Sign in to the parts store.", "elicitationId": "e-1",
                "url": "https://example.invalid/sign-in"})),
        ),
        Mode::AsksSampling => ("sampling/createMessage", Some(sampling())),
        Mode::AsksRoots => ("roots/list", None),
        _ => ("ping", None),
    }
}

fn sampling() -> Value {
    let prompt = json!({"role": "user", "content": {"type": "text", "text": "Name a bin."}});
    json!({"messages": [prompt], "maxTokens": 50})
}

fn elicitation() -> Value {
    json!({"mode": "form", "message": "Which size?", "requestedSchema":
        {"type": "object", "properties": {"size": {"type": "string", "enum": ["small", "large"]}}, "required": ["size"]}})
}
