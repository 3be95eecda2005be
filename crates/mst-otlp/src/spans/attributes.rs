//! A span's attributes, in the order they are set.

use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, ArrayValue, KeyValue, KeyValueList};
use serde_json::Value;

/// The longest text of a content attribute, in bytes: backends refuse spans of megabytes, and the run has the whole.
const LONGEST_TEXT: usize = 16 * 1024;

/// How deep content keeps its structure; below, it is JSON in a text. A decoder of protobuf refuses what is nested too deep.
const DEEPEST: usize = 16;

/// Attributes under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes(Vec<KeyValue>);

impl Attributes {
    /// Adds a text.
    pub(crate) fn text(&mut self, key: &str, text: impl Into<String>) -> &mut Self {
        self.add(key, Any::StringValue(text.into()))
    }

    /// Adds a text that is known.
    pub(crate) fn text_of(&mut self, key: &str, text: Option<impl Into<String>>) -> &mut Self {
        if let Some(text) = text {
            self.text(key, text);
        }
        self
    }

    /// Adds texts, when there is one.
    pub(crate) fn texts(&mut self, key: &str, texts: impl IntoIterator<Item = String>) -> &mut Self {
        let value = |text| AnyValue { value: Some(Any::StringValue(text)) };
        let values: Vec<AnyValue> = texts.into_iter().map(value).collect();
        if !values.is_empty() {
            self.add(key, Any::ArrayValue(ArrayValue { values }));
        }
        self
    }

    /// Adds a count that is known.
    pub(crate) fn count(&mut self, key: &str, count: Option<u64>) -> &mut Self {
        if let Some(count) = count {
            self.add(key, Any::IntValue(i64::try_from(count).unwrap_or(i64::MAX)));
        }
        self
    }

    /// Adds a number that is known and finite.
    pub(crate) fn number(&mut self, key: &str, number: Option<f64>) -> &mut Self {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            self.add(key, Any::DoubleValue(number));
        }
        self
    }

    /// Adds a yes or no that is known.
    pub(crate) fn flag(&mut self, key: &str, flag: Option<bool>) -> &mut Self {
        if let Some(flag) = flag {
            self.add(key, Any::BoolValue(flag));
        }
        self
    }

    /// Adds content in its structure, with long texts cut.
    pub(crate) fn content(&mut self, key: &str, content: &Value) -> &mut Self {
        self.0.push(KeyValue { key: key.to_owned(), value: Some(structured(content, 0)), key_strindex: 0 });
        self
    }

    /// Returns the attributes.
    pub(crate) fn into_vec(self) -> Vec<KeyValue> {
        self.0
    }

    fn add(&mut self, key: &str, value: Any) -> &mut Self {
        self.0.push(KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }), key_strindex: 0 });
        self
    }
}

fn structured(content: &Value, depth: usize) -> AnyValue {
    let value = match content {
        Value::Null => None,
        Value::Bool(flag) => Some(Any::BoolValue(*flag)),
        Value::Number(number) => Some(match number.as_i64() {
            Some(whole) => Any::IntValue(whole),
            None => Any::DoubleValue(number.as_f64().unwrap_or(f64::NAN)),
        }),
        Value::String(text) => Some(Any::StringValue(cut(text))),
        deep if depth >= DEEPEST => Some(Any::StringValue(cut(&deep.to_string()))),
        Value::Array(items) => {
            Some(Any::ArrayValue(ArrayValue { values: items.iter().map(|item| structured(item, depth + 1)).collect() }))
        }
        Value::Object(entries) => Some(Any::KvlistValue(KeyValueList {
            values: entries
                .iter()
                .map(|(key, value)| KeyValue {
                    key: key.clone(),
                    value: Some(structured(value, depth + 1)),
                    key_strindex: 0,
                })
                .collect(),
        })),
    };
    AnyValue { value }
}

/// Cuts a long text between characters and says so.
fn cut(text: &str) -> String {
    if text.len() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(LONGEST_TEXT);
    format!("{}… [{} bytes more]", &text[..end], text.len() - end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_texts_are_cut_and_deep_values_become_json() {
        let long = "é".repeat(LONGEST_TEXT);
        let Some(Any::StringValue(text)) = structured(&json!(long), 0).value else { panic!("a text") };
        assert!(text.len() < LONGEST_TEXT + 40 && text.ends_with(&format!("… [{LONGEST_TEXT} bytes more]")), "{text}");
        let deep = (0..100).fold(json!("core"), |inner, _| json!([inner]));
        let mut value = structured(&deep, 0);
        let mut depth = 0;
        while let Some(Any::ArrayValue(mut list)) = value.value {
            value = list.values.remove(0);
            depth += 1;
        }
        assert_eq!(depth, DEEPEST);
        let Some(Any::StringValue(rest)) = value.value else { panic!("a text") };
        assert!(rest.starts_with("[[") && rest.contains("core"), "{rest}");
    }
}
