//! The inputs that a judge cannot do without.

use serde::Serialize;
use serde_json::Value;

/// Returns the first path that a judge needs and that the input lacks. A path starts at a part of the input, under the name
/// that `root` gives it.
///
/// It is lacking where it leads nowhere, and where it leads to null, an empty text, an empty list or an empty object.
pub(crate) fn lacking<'a>(paths: &'a [String], input: &impl Serialize, root: impl Fn(&str) -> &str) -> Option<&'a str> {
    if paths.is_empty() {
        return None;
    }
    let input = serde_json::to_value(input).expect("a judge's input is made of JSON types");
    paths.iter().map(String::as_str).find(|path| is_lacking(find(&input, path, &root)))
}

fn find<'a>(input: &'a Value, path: &str, root: impl Fn(&str) -> &str) -> Option<&'a Value> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let start = input.get(root(first))?;
    rest.into_iter().flat_map(|rest| rest.split('.')).try_fold(start, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

fn is_lacking(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => false,
    }
}
