//! Reading a model's answer that is asked to be a JSON object, wherever in the text the object stands.
//!
//! Models put their answer into a fence, introduce it, think aloud before it, show an example first, or add a remark. So
//! nothing here goes by position or pattern: every object that the text holds is read as JSON, and the last one that is an
//! answer counts. An object inside another one, or inside a text of one, is part of it and never an answer by itself.

use serde_json::{Map, Value};

/// The marks between which some models write down their thoughts before they answer.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// How many braces that begin no object are passed over. Each is read until it is known to be none.
const MOST_TRIES: usize = 1_000;

/// The JSON objects of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonAnswer {
    /// The objects that stand in the text by themselves, in order.
    pub objects: Vec<Map<String, Value>>,
    /// Whether the text ends inside an object, as it does when a model was cut off.
    pub is_unfinished: bool,
}

impl JsonAnswer {
    /// Reads a text. Thoughts at its start, between `<think>` and `</think>`, are left out.
    pub fn read(text: &str) -> Self {
        let text = without_thoughts(text);
        let mut answer = Self::default();
        let (mut at, mut tried) = (0, 0);
        while let Some(start) = text[at..].find('{').map(|found| at + found) {
            let mut objects = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Map<String, Value>>();
            match objects.next() {
                Some(Ok(object)) => {
                    at = start + objects.byte_offset();
                    answer.objects.push(object);
                }
                // All that follows is part of it.
                Some(Err(error)) if error.is_eof() => {
                    answer.is_unfinished = true;
                    break;
                }
                _ if tried < MOST_TRIES => (at, tried) = (start + 1, tried + 1),
                // Braces without end: what comes after them cannot be found in time.
                _ => {
                    answer.is_unfinished = true;
                    break;
                }
            }
        }
        answer
    }

    /// Returns the last object that is an answer; `None` when there is none, and when the text ends inside an object: what
    /// was to come last is then not there, and an earlier one may be an example.
    pub fn last(self, is_answer: impl Fn(&Map<String, Value>) -> bool) -> Option<Map<String, Value>> {
        if self.is_unfinished {
            return None;
        }
        self.objects.into_iter().rev().find(|object| is_answer(object))
    }
}

fn without_thoughts(text: &str) -> &str {
    let text = text.trim_start();
    for (open, close) in THOUGHTS {
        if let Some(thoughts) = text.strip_prefix(open) {
            return thoughts.find(close).map_or("", |end| &thoughts[end + close.len()..]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict(text: &str) -> Option<Value> {
        let is_verdict =
            |object: &Map<String, Value>| ["pass", "score", "reasoning"].iter().all(|key| object.contains_key(*key));
        JsonAnswer::read(text).last(is_verdict).map(|object| object["score"].clone())
    }

    #[test]
    fn fc21_the_last_object_that_is_an_answer_counts() {
        let example = r#"If it were fine I'd say {"pass":true,"score":1,"reasoning":"x"}. It isn't: "#;
        for (text, want) in [
            ("```json\n{\"pass\":true,\"score\":1,\"reasoning\":\"ok\"}\n```".to_owned(), Some(json!(1))),
            (format!(r#"{example}{{"pass":false,"score":0.25,"reasoning":"wrong bin"}}"#), Some(json!(0.25))),
            (
                r#"{"pass":true,"score":1,"reasoning":"It printed ```json {\"a\":{}}``` as asked, } included"}"#
                    .to_owned(),
                Some(json!(1)),
            ),
            ("{\"pass\":true,\"score\":0.75,\"reasoning\":\"f\"}\n{\"note\":\"done\"}".to_owned(), Some(json!(0.75))),
            ("Done.".to_owned(), None),
            (format!(r#"{example}{{"pass":false,"sco"#), None),
            ("{'pass': True, 'score': 1}".to_owned(), None),
            (r#"{ no {"pass":true,"score":0.5,"reasoning":"after a brace"} }"#.to_owned(), Some(json!(0.5))),
            (r#"{"note":{"pass":true,"score":1,"reasoning":"inside"}}"#.to_owned(), None),
            (format!(r#"{example}{{"verdicts":[{{"pass":true,"score":1,"reasoning":"one of many"}},"#), None),
            (r#"[{"pass":true,"score":0.1,"reasoning":"in a list"}]"#.to_owned(), Some(json!(0.1))),
            (
                r#"<think>{"pass":true,"score":1,"reasoning":"?"}</think>{"pass":false,"score":0,"reasoning":"!"}"#
                    .to_owned(),
                Some(json!(0)),
            ),
            (r#"<think>{"pass":true,"score":1,"reasoning":"thought only"}</think>Done."#.to_owned(), None),
            (r#"<think>{"pass":true,"score":1,"reasoning":"never done thinking"}"#.to_owned(), None),
            (r#"{"reasoning":"ünï{","score":0.3,"pass":true} 検索 {"#.to_owned(), None),
            (r#"{"reasoning":"ünï{","score":0.3,"pass":true} 検索 }"#.to_owned(), Some(json!(0.3))),
        ] {
            assert_eq!(verdict(&text), want, "{text}");
        }
    }

    #[test]
    fn an_answer_that_is_nested_without_end_is_unreadable_and_no_crash() {
        let deep = "{\"a\":".repeat(500);
        assert_eq!(JsonAnswer::read(&deep).last(|_| true), None);
        assert!(JsonAnswer::read(&"{".repeat(500)).objects.is_empty());
        let hidden = format!("{} {{\"pass\": true}}", "{\"a\":".repeat(100_000));
        assert_eq!(JsonAnswer::read(&hidden).last(|_| true), None);
    }
}
