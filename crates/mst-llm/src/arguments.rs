//! Arguments as models write them: nothing at all is an empty object, and what is not one JSON object is kept as text.

use serde_json::{Map, Value};

use crate::chat::ToolArguments;
use crate::json_text;

impl ToolArguments {
    /// Reads a text: blank is an empty object, anything that is not exactly one JSON object is malformed.
    pub fn from_text(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Object(Map::new());
        }
        match json_text::parse(text.as_bytes()) {
            Ok(json_text::Parsed { value: Value::Object(object), .. }) => Self::Object(object),
            _ => Self::Malformed(text.to_owned()),
        }
    }

    /// Reads a field: absent and null are an empty object, a text is read as one.
    pub fn from_field(field: Option<&Value>) -> Self {
        match field {
            None | Some(Value::Null) => Self::Object(Map::new()),
            Some(Value::Object(object)) => Self::Object(object.clone()),
            Some(Value::String(text)) => Self::from_text(text),
            Some(other) => Self::Malformed(other.to_string()),
        }
    }

    /// Returns the object to replay: the model's own, or an empty one in place of a malformed text.
    pub fn to_replay(&self) -> Value {
        match self {
            Self::Object(object) => Value::Object(object.clone()),
            Self::Malformed(_) => Value::Object(Map::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fc15_empty_arguments_are_an_object_and_others_stay_as_text() {
        for field in [Some(json!("")), Some(json!("  ")), Some(json!(null)), None, Some(json!({})), Some(json!("{}"))] {
            assert_eq!(ToolArguments::from_field(field.as_ref()), ToolArguments::Object(Map::new()), "{field:?}");
        }
        for text in
            ["null", "5", "[1]", "{\"id\":\"p-1\"", "{\"id\":\"p-1\"}{\"id\":\"p-2\"}", "\"x\"", "{\"n\":1e999}"]
        {
            let read = ToolArguments::from_field(Some(&json!(text)));
            assert_eq!(read, ToolArguments::Malformed(text.to_owned()));
            assert_eq!(read.to_replay(), json!({}));
        }
        assert_eq!(ToolArguments::from_field(Some(&json!([1]))), ToolArguments::Malformed("[1]".into()));
        let read = ToolArguments::from_text(r#" {"id":"\ud800"} "#);
        assert_eq!(read.to_replay(), json!({"id": "\u{FFFD}"}));
    }
}
