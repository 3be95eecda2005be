//! The first place where two requests differ.

use std::fmt;

use serde_json::Value;

use crate::scrub::REDACTED;
use crate::value::json_eq;

/// How much of a value is shown, in characters.
const SHOWN: usize = 80;
/// How much of what two texts have in common is shown before their difference, in characters.
const LEAD: usize = 20;

/// The first place where a request differs from a recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place, as a JSON Pointer; empty for the whole.
    pub path: String,
    /// What the tape has there, cut; absent when it has nothing.
    pub recorded: Option<String>,
    /// What was asked, cut; absent when there is nothing.
    pub asked: Option<String>,
}

impl Difference {
    /// Finds the first place where a request differs from a recorded one: `None` when they are equal.
    ///
    /// A `[REDACTED]` in a recorded text stands for any text: the secret that was there is not to be had in a replay.
    pub fn first(recorded: &Value, asked: &Value) -> Option<Self> {
        first(recorded, asked, &mut String::new())
    }

    /// Counts the places where two requests differ, to tell which of several is nearest.
    pub fn count(recorded: &Value, asked: &Value) -> usize {
        match (recorded, asked) {
            (Value::Object(left), Value::Object(right)) => {
                let missing = right.keys().filter(|key| !left.contains_key(*key)).count();
                let rest = left.iter().map(|(key, value)| right.get(key).map_or(1, |other| Self::count(value, other)));
                missing + rest.sum::<usize>()
            }
            (Value::Array(left), Value::Array(right)) => {
                let pairs = left.iter().zip(right).map(|(left, right)| Self::count(left, right));
                pairs.sum::<usize>() + left.len().abs_diff(right.len())
            }
            _ => usize::from(!is_same(recorded, asked)),
        }
    }
}

fn first(recorded: &Value, asked: &Value, path: &mut String) -> Option<Difference> {
    match (recorded, asked) {
        (Value::Object(left), Value::Object(right)) => {
            for (key, value) in left {
                let found = inside(path, key, |path| match right.get(key) {
                    Some(other) => first(value, other, path),
                    None => Some(only(path, Some(value), None)),
                });
                if found.is_some() {
                    return found;
                }
            }
            let key = right.keys().find(|key| !left.contains_key(*key))?;
            inside(path, key, |path| Some(only(path, None, right.get(key))))
        }
        (Value::Array(left), Value::Array(right)) => {
            for at in 0..left.len().max(right.len()) {
                let found = inside(path, &at.to_string(), |path| match (left.get(at), right.get(at)) {
                    (Some(left), Some(right)) => first(left, right, path),
                    (left, right) => Some(only(path, left, right)),
                });
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        _ if is_same(recorded, asked) => None,
        (Value::String(left), Value::String(right)) => {
            let (left, right) = from_where_they_part(left, right);
            Some(Difference { path: path.clone(), recorded: Some(left), asked: Some(right) })
        }
        _ => Some(only(path, Some(recorded), Some(asked))),
    }
}

/// Works one step further down.
fn inside<T>(path: &mut String, step: &str, work: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    path.push('/');
    path.push_str(&step.replace('~', "~0").replace('/', "~1"));
    let found = work(path);
    path.truncate(length);
    found
}

fn only(path: &str, recorded: Option<&Value>, asked: Option<&Value>) -> Difference {
    let shown = |value: &Value| cut(&value.to_string(), 0);
    Difference { path: path.to_owned(), recorded: recorded.map(shown), asked: asked.map(shown) }
}

fn is_same(recorded: &Value, asked: &Value) -> bool {
    match (recorded, asked) {
        (Value::String(recorded), Value::String(asked)) => recorded == asked || fits(recorded, asked),
        _ => json_eq(recorded, asked),
    }
}

/// Returns whether a text is a recorded one in which secrets were taken out.
fn fits(recorded: &str, asked: &str) -> bool {
    let parts: Vec<&str> = recorded.split(REDACTED).collect();
    let [start, middle @ .., end] = &parts[..] else { return recorded == asked };
    let Some(mut rest) = asked.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)) else { return false };
    middle.iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Returns two texts from shortly before the place where they part, quoted.
fn from_where_they_part(left: &str, right: &str) -> (String, String) {
    let same = left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count();
    let skip = same.saturating_sub(LEAD);
    let shown = |text: &str| {
        let rest: String = text.chars().skip(skip).collect();
        cut(&Value::String(rest).to_string(), skip)
    };
    (shown(left), shown(right))
}

fn cut(text: &str, skipped: usize) -> String {
    let lead = if skipped > 0 { "…" } else { "" };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{lead}{}…", &text[..end]),
        None => format!("{lead}{text}"),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nothing = "nothing";
        let path = if self.path.is_empty() { "/" } else { &self.path };
        let (recorded, asked) = (self.recorded.as_deref(), self.asked.as_deref());
        write!(f, "{path}: recorded {}, asked {}", recorded.unwrap_or(nothing), asked.unwrap_or(nothing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        for (recorded, asked, want) in [
            (json!({ "a": 1 }), json!({ "a": 1.0 }), None),
            (
                json!({ "a": [1, { "b/c": 2 }] }),
                json!({ "a": [1, { "b/c": 3 }] }),
                Some("/a/1/b~1c: recorded 2, asked 3"),
            ),
            (json!({ "a": 1 }), json!({}), Some("/a: recorded 1, asked nothing")),
            (json!({}), json!({ "b": [] }), Some("/b: recorded nothing, asked []")),
            (json!([1]), json!([1, "x"]), Some("/1: recorded nothing, asked \"x\"")),
            (json!(1), json!("1"), Some("/: recorded 1, asked \"1\"")),
            (
                json!("In a long sentence, which bin holds P-1?"),
                json!("In a long sentence, which box holds P-1?"),
                Some(
                    "/: recorded …\"ng sentence, which bin holds P-1?\", asked …\"ng sentence, which box holds P-1?\"",
                ),
            ),
        ] {
            let found = Difference::first(&recorded, &asked).map(|difference| difference.to_string());
            assert_eq!(found.as_deref(), want, "{recorded} {asked}");
            assert_eq!(Difference::count(&recorded, &asked), usize::from(want.is_some()), "{recorded} {asked}");
        }
    }

    #[test]
    fn fc35_a_redacted_text_fits_what_stood_there() {
        for (recorded, asked, want) in [
            ("[REDACTED]", "", true),
            ("key [REDACTED].", "key tk-1.", true),
            ("key [REDACTED].", "key tk-1", false),
            ("[REDACTED] and [REDACTED]", "a and b", true),
            ("[REDACTED] and [REDACTED]", "a or b", false),
            ("a[REDACTED]b[REDACTED]c", "axbyc", true),
            ("a[REDACTED]a", "a", false),
            ("plain", "plain", true),
            ("plain", "plainer", false),
        ] {
            assert_eq!(fits(recorded, asked), want, "{recorded} {asked}");
        }
    }
}
