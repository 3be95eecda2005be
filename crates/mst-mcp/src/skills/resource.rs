//! Reads the answer to `resources/read`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::failure::CallFailure;

/// One content of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceContent {
    /// Its URI, which may be one below the URI that was asked for.
    pub uri: String,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its bytes: those of the text, or those that the base64 stands for.
    pub bytes: Vec<u8>,
}

impl ResourceContent {
    /// Returns the content as text, when it is one.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
}

/// Reads the contents of a result; a blob that is no base64 makes it malformed.
pub(super) fn read(uri: &str, result: &Value) -> Result<Vec<ResourceContent>, CallFailure> {
    let malformed = |detail: &str| CallFailure::Malformed { detail: detail.to_owned() };
    let contents = result.get("contents").and_then(Value::as_array);
    let contents = contents.ok_or_else(|| malformed("a result without a list of contents"))?;
    contents
        .iter()
        .map(|content| {
            let member = |key: &str| content.get(key).and_then(Value::as_str);
            let bytes = match (member("text"), member("blob")) {
                (Some(text), _) => text.as_bytes().to_vec(),
                (None, Some(blob)) => STANDARD.decode(blob).map_err(|_| malformed("a blob that is no base64"))?,
                (None, None) => return Err(malformed("a content with neither text nor blob")),
            };
            let uri = member("uri").unwrap_or(uri).to_owned();
            Ok(ResourceContent { uri, mime_type: member("mimeType").map(str::to_owned), bytes })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn contents_are_read_as_bytes() {
        let result = json!({ "contents": [{ "uri": "a", "text": "é" }, { "blob": "/w==", "mimeType": "x/y" }] });
        let contents = read("asked", &result).expect("they are contents");
        assert_eq!(contents[0].text(), Some("é"));
        assert_eq!((contents[1].uri.as_str(), contents[1].text(), &contents[1].bytes[..]), ("asked", None, &[255][..]));
        for wrong in [json!(7), json!({}), json!({ "contents": [{}] }), json!({ "contents": [{ "blob": "?" }] })] {
            assert!(matches!(read("a", &wrong), Err(CallFailure::Malformed { .. })), "{wrong}");
        }
    }
}
