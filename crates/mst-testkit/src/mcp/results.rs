//! Results of tools, in every form that a client has to take.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::mode::Mode;

/// Stands for a lone surrogate until the message is written; JSON values cannot hold one.
const SURROGATE_MARK: &str = "<<lone surrogate>>";

/// A result of one text.
pub(super) fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// A result of one text that is an error.
pub(super) fn error(message: &str) -> Value {
    json!({"isError": true, "content": [{"type": "text", "text": message}]})
}

/// The result form of a mode, or of the n-th call for `result-forms`; `None` for other modes.
pub(super) fn form(mode: Mode, call: usize, bytes: Option<usize>) -> Option<Value> {
    const FORMS: [Mode; 6] = [
        Mode::ResultErrorCoded,
        Mode::ResultStructured,
        Mode::ResultErrorStructured,
        Mode::ResultImage,
        Mode::ResultUnstructured,
        Mode::ResultLink,
    ];
    Some(match mode {
        Mode::ResultForms => return form(FORMS[(call.max(1) - 1) % FORMS.len()], call, bytes),
        Mode::ResultErrorCoded => {
            json!({"isError": true, "content": [{"type": "text", "text": "no part p-1"}], "structuredContent": {"code": "E404"}})
        }
        Mode::ResultStructured => json!({"content": [], "structuredContent": {"bin": 7}}),
        Mode::ResultErrorStructured => {
            json!({"isError": true, "content": [], "structuredContent": {"code": "BUSY", "retry_after": 3}})
        }
        Mode::ResultImage => {
            let data = STANDARD.encode(png(bytes.unwrap_or(1_572_864)));
            json!({"content": [{"type": "text", "text": "see picture"}, {"type": "image", "mimeType": "image/png", "data": data}],
                "structuredContent": {"bin": 7, "picture": data}})
        }
        Mode::ResultUnstructured => text("bin 7"),
        Mode::ResultLink => {
            json!({"content": [{"type": "resource_link", "uri": "file:///parts/p-1.txt", "name": "p-1.txt",
            "description": "The part's card.", "mimeType": "text/plain"}]})
        }
        Mode::ResultMixed => json!({"content": [
            {"type": "resource", "resource": {"uri": "file:///parts/p-1.txt", "mimeType": "text/plain", "text": "bin 7"}},
            {"type": "audio", "mimeType": "audio/wav", "data": STANDARD.encode(b"RIFF")},
            {"type": "hologram", "payload": {"x": 1}},
            {"type": "text", "text": "that is all", "annotations": {"audience": ["user"], "priority": 0.2}}]}),
        Mode::ResultEmpty => json!({"content": []}),
        _ => return None,
    })
}

/// Bytes that begin like a PNG.
fn png(size: usize) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.resize(size.max(8), 0x5a);
    bytes
}

/// Texts that must be shown as text wherever they land.
pub(super) fn hostile() -> Value {
    let texts = [
        "</script><img src=x onerror=alert(1)>".to_owned(),
        "\" onmouseover=\"alert(1)".to_owned(),
        "[x](javascript:alert(1)) ![x](https://example.invalid/p.png)".to_owned(),
        format!("line\u{2028}separator, {SURROGATE_MARK}, nul \0, link \u{1b}]8;;https://example.invalid\u{7}x"),
    ];
    json!({"content": texts.map(|text| json!({"type": "text", "text": text}))})
}

/// A text with a lone surrogate escape.
pub(super) fn lone_surrogate() -> Value {
    text(&format!("bin 7 {SURROGATE_MARK} end"))
}

/// Writes a message as text, lone surrogates included.
pub(super) fn with_surrogates(message: &Value) -> String {
    message.to_string().replace(SURROGATE_MARK, r"\ud800")
}
