//! Reads a `CallToolResult`: what a model, a judge and a reader get to see of it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::outcome::ResultPart;
use crate::text::{cut, size};

/// A text longer than this that looks like base64 is bytes, not text.
const LONG_BASE64: usize = 100_000;
/// An image shorter than this is not looked for in other texts: a match could be chance, and costs nothing.
const SHORT_IMAGE: usize = 200;

/// A result, read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) parts: Vec<ResultPart>,
    pub(crate) is_error: bool,
    pub(crate) warnings: Vec<String>,
}

/// Reads a result.
///
/// Every kind of content is carried. Structured content is shown when there is no text, and beside the text when the
/// call failed (an error's code is often only there). A failed call's content is never held against the output schema.
pub(crate) fn read(tool: &str, promised: bool, result: &Value) -> Read {
    let tool = cut(tool, 100);
    let mut warnings = Vec::new();
    let Value::Object(object) = result else {
        warnings.push(format!("{tool} answered with a result that is no object"));
        return Read { parts: vec![text(result.to_string())], is_error: false, warnings };
    };
    let is_error = match object.get("isError") {
        Some(Value::Bool(is_error)) => *is_error,
        None | Some(Value::Null) => false,
        Some(_) => {
            warnings.push(format!("{tool} answered with an isError that is neither true nor false"));
            false
        }
    };
    if object.get("resultType").and_then(Value::as_str) == Some("input_required") {
        warnings.push(format!("{tool} asked for input, which an evaluation does not give"));
        let parts = vec![text(format!("{tool} asked for input, which is not available"))];
        return Read { parts, is_error: true, warnings };
    }
    let blocks = object.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let structured = object.get("structuredContent").filter(|structured| !structured.is_null());
    if structured.is_none() && !object.get("content").is_some_and(Value::is_array) {
        warnings.push(format!("{tool} answered with a result without content"));
    }
    if promised && structured.is_none() && !is_error {
        warnings.push(format!("{tool} declares an outputSchema and answered without structuredContent"));
    }
    let images = images(blocks);
    let mut parts: Vec<ResultPart> = blocks.iter().map(|block| part(block, &images)).collect();
    match object.get("content") {
        None | Some(Value::Null | Value::Array(_)) => {}
        // No list of blocks, but still all that the server said.
        Some(Value::String(words)) => parts.push(text(words.clone())),
        Some(other) => parts.push(text(without_bytes(other, &images).to_string())),
    }
    if let Some(structured) = structured {
        let has_text = parts.iter().any(|part| matches!(part, ResultPart::Text { text } if !text.trim().is_empty()));
        if (is_error || !has_text) && !repeats(&parts, structured) {
            parts.push(text(without_bytes(structured, &images).to_string()));
        }
    }
    Read { parts, is_error, warnings }
}

/// Returns a note in place of bytes: `[image/png, 1.5 MB]`.
pub(crate) fn note(kind: &str, base64: &str) -> String {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count();
    format!("[{}, {}]", cut(kind, 100), size((base64.len() - padding.min(base64.len())) * 3 / 4))
}

fn text(text: String) -> ResultPart {
    ResultPart::Text { text }
}

/// The images of a result, as (media type, base64).
fn images(blocks: &[Value]) -> Vec<(&str, &str)> {
    let image = |block: &'_ Value| kind(block) == "image";
    blocks
        .iter()
        .filter(|block| image(block))
        .filter_map(|block| Some((mime_type(block), member(block, "data")?)))
        .collect()
}

fn kind(block: &Value) -> &str {
    member(block, "type").unwrap_or_default()
}

fn member<'a>(block: &'a Value, name: &str) -> Option<&'a str> {
    block.get(name).and_then(Value::as_str)
}

fn mime_type(block: &Value) -> &str {
    member(block, "mimeType").filter(|kind| !kind.is_empty()).unwrap_or("application/octet-stream")
}

fn part(block: &Value, images: &[(&str, &str)]) -> ResultPart {
    match (kind(block), member(block, "text"), member(block, "data")) {
        ("text", Some(words), _) => text(text_without_bytes(words, images).into_owned()),
        ("image", _, Some(data)) => ResultPart::Image { mime_type: mime_type(block).to_owned(), data: data.to_owned() },
        ("audio", _, Some(data)) => text(note(mime_type(block), data)),
        ("resource_link", ..) => text(link(block)),
        ("resource", ..) if block.get("resource").is_some_and(Value::is_object) => {
            text(resource(&block["resource"], images))
        }
        // A kind that is not known yet, or one that lacks what it should have, is shown as it came.
        _ => text(without_bytes(block, images).to_string()),
    }
}

fn link(block: &Value) -> String {
    let uri = member(block, "uri").unwrap_or_default();
    let name = member(block, "title").or_else(|| member(block, "name")).unwrap_or("resource");
    match member(block, "description").filter(|description| !description.is_empty()) {
        Some(description) => format!("{name} ({uri}): {description}"),
        None => format!("{name} ({uri})"),
    }
}

fn resource(resource: &Value, images: &[(&str, &str)]) -> String {
    if let Some(words) = member(resource, "text") {
        return text_without_bytes(words, images).into_owned();
    }
    let uri = member(resource, "uri").unwrap_or_default();
    format!("{uri} {}", note(mime_type(resource), member(resource, "blob").unwrap_or_default())).trim_start().to_owned()
}

/// Returns whether one of the parts already is the structured content, which servers repeat as text.
fn repeats(parts: &[ResultPart], structured: &Value) -> bool {
    parts.iter().any(|part| match part {
        ResultPart::Text { text } => {
            text.trim_start().starts_with(['{', '['])
                && serde_json::from_str::<Value>(text).is_ok_and(|read| read == *structured)
        }
        ResultPart::Image { .. } => false,
    })
}

/// Replaces an image's base64 by a note.
fn text_without_bytes<'a>(words: &'a str, images: &[(&str, &str)]) -> Cow<'a, str> {
    let mut clean = Cow::Borrowed(words);
    for (mime_type, data) in images {
        if *data == words || (data.len() >= SHORT_IMAGE && clean.len() >= data.len() && clean.contains(data)) {
            clean = Cow::Owned(clean.replace(data, &note(mime_type, data)));
        }
    }
    clean
}

fn is_image(words: &str, images: &[(&str, &str)]) -> bool {
    images.iter().any(|(_, data)| *data == words)
}

/// Returns whether a text looks like base64: its digits alone, of every class, which no long word has.
fn is_base64(words: &str) -> bool {
    let digit = |byte: u8| matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'\r' | b'\n');
    let classes: [fn(&u8) -> bool; 3] = [u8::is_ascii_uppercase, u8::is_ascii_lowercase, u8::is_ascii_digit];
    words.bytes().all(|byte| byte.is_ascii_alphanumeric() || digit(byte))
        && classes.iter().all(|class| words.as_bytes().iter().any(class))
}

/// Returns a value with bytes replaced by notes: those of the images, and long texts that look like base64.
fn without_bytes(value: &Value, images: &[(&str, &str)]) -> Value {
    match value {
        Value::String(words) if words.len() > LONG_BASE64 && !is_image(words, images) && is_base64(words) => {
            Value::String(note("base64", words))
        }
        Value::String(words) => Value::String(text_without_bytes(words, images).into_owned()),
        Value::Array(items) => items.iter().map(|item| without_bytes(item, images)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, member)| (name.clone(), without_bytes(member, images))).collect::<Map<_, _>>(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn content_that_is_no_list_is_shown_as_it_came() {
        for (content, shown) in [(json!("bin 7"), "bin 7"), (json!({ "bin": 7 }), "{\"bin\":7}"), (json!(7), "7")] {
            let outcome = outcome(false, json!({ "content": content }));
            assert_eq!(outcome.text, shown);
            assert!(
                outcome.warnings.iter().any(|warning| warning.contains("without content")),
                "{:?}",
                outcome.warnings
            );
        }
    }

    fn outcome(promised: bool, result: Value) -> crate::CallOutcome {
        crate::CallOutcome::from_result("lookup", promised, result, Duration::ZERO)
    }

    #[test]
    fn fc06_results_are_carried_whole() {
        for (result, text, is_error) in [
            (
                json!({ "isError": true, "content": [{ "type": "text", "text": "no part p-1" }], "structuredContent": { "code": "E404" } }),
                "no part p-1\n{\"code\":\"E404\"}",
                true,
            ),
            (json!({ "content": [], "structuredContent": { "bin": 7 } }), "{\"bin\":7}", false),
            (
                json!({ "isError": true, "content": [], "structuredContent": { "code": "BUSY", "retry_after": 3 } }),
                "{\"code\":\"BUSY\",\"retry_after\":3}",
                true,
            ),
            (
                json!({ "content": [{ "type": "resource_link", "uri": "file:///parts/p-1.txt", "name": "Part sheet p-1" }] }),
                "Part sheet p-1 (file:///parts/p-1.txt)",
                false,
            ),
            (json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] }), "a\nb", false),
            (
                json!({ "isError": true, "content": [{ "type": "text", "text": "{ \"code\": 1 }" }], "structuredContent": { "code": 1 } }),
                "{ \"code\": 1 }",
                true,
            ),
            (
                json!({ "content": [
                    { "type": "resource", "resource": { "uri": "x:1", "text": "inside" } },
                    { "type": "resource", "resource": { "uri": "x:2", "mimeType": "application/pdf", "blob": "AAAA" } },
                    { "type": "audio", "mimeType": "audio/wav", "data": "AAA=" },
                    { "type": "hologram", "x": 1 },
                ] }),
                "inside\nx:2 [application/pdf, 3 bytes]\n[audio/wav, 2 bytes]\n{\"type\":\"hologram\",\"x\":1}",
                false,
            ),
        ] {
            let got = outcome(false, result.clone());
            assert_eq!((got.text.as_str(), got.is_error), (text, is_error), "{result}");
            assert_eq!(got.raw, Some(result));
        }
    }

    #[test]
    fn fc06_an_image_is_never_text() {
        let data = "iVBORw0KGgo".repeat(20_000);
        let got = outcome(
            true,
            json!({
                "content": [{ "type": "text", "text": format!("see {data}") }, { "type": "image", "mimeType": "image/png", "data": data }],
                "structuredContent": { "bin": 7, "png": data }, "isError": true,
            }),
        );
        let note = "[image/png, 165.0 KB]";
        assert_eq!(got.text, format!("see {note}\n{note}\n{{\"bin\":7,\"png\":\"{note}\"}}"));
        assert_eq!(got.parts[1], ResultPart::Image { mime_type: "image/png".to_owned(), data });
        assert!(got.warnings.is_empty());
    }

    #[test]
    fn long_bytes_in_structured_content_are_noted_and_long_words_are_not() {
        let bytes = "aB3/".repeat(30_000);
        let got = outcome(
            false,
            json!({ "content": [], "structuredContent": { "pdf": bytes, "word": "x".repeat(120_000) } }),
        );
        assert!(got.text.starts_with(r#"{"pdf":"[base64, 90.0 KB]","word":"xxx"#), "{}", &got.text[..50]);
    }

    #[test]
    fn fc06_a_broken_promise_is_a_warning() {
        let got = outcome(true, json!({ "content": [{ "type": "text", "text": "bin 7" }] }));
        assert_eq!((got.text.as_str(), got.is_error), ("bin 7", false));
        assert_eq!(got.warnings, ["lookup declares an outputSchema and answered without structuredContent"]);
        let failed = outcome(true, json!({ "isError": true, "content": [{ "type": "text", "text": "no" }] }));
        assert!(failed.warnings.is_empty(), "{:?}", failed.warnings);
    }

    #[test]
    fn malformed_results_are_shown_with_a_warning() {
        for result in [
            json!("text"),
            json!(null),
            json!({}),
            json!({ "content": "x" }),
            json!({ "content": [], "isError": "yes" }),
        ] {
            assert_eq!(outcome(false, result.clone()).warnings.len(), 1, "{result}");
        }
        assert_eq!(outcome(false, json!({ "content": [7, { "type": "text" }] })).text, "7\n{\"type\":\"text\"}");
        let asked = outcome(false, json!({ "resultType": "input_required", "inputRequests": {} }));
        assert!(asked.is_error && asked.warnings.len() == 1);
    }
}
