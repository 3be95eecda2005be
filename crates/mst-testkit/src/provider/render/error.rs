//! The error body of each wire form.

use serde_json::{Value, json};

use crate::provider::form::Form;

/// Renders an HTTP error's body.
pub(crate) fn error(form: Form, status: u16, message: &str) -> Value {
    match form {
        Form::Anthropic | Form::VertexAnthropic => {
            json!({"type": "error", "error": {"type": kind(status), "message": message}, "request_id": "req_fake"})
        }
        Form::Responses | Form::Chat => {
            json!({"error": {"message": message, "type": kind(status), "param": null, "code": openai_code(status)}})
        }
        Form::Ollama => json!({"error": message}),
        Form::Google => json!({"error": {"code": status, "message": message, "status": google_status(status)}}),
    }
}

fn kind(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

fn openai_code(status: u16) -> &'static str {
    match status {
        401 => "invalid_api_key",
        404 => "model_not_found",
        429 => "rate_limit_exceeded",
        400 => "invalid_value",
        _ => "server_error",
    }
}

fn google_status(status: u16) -> &'static str {
    match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    }
}
