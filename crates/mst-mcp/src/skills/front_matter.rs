//! Compares the YAML front matter of a `SKILL.md` with the JSON that its server declares.
//!
//! The YAML is never turned into values: it is walked along the JSON, so that a plain scalar counts as any of the things
//! that YAML 1.1 and 1.2 take it for (`1.0` as a number or a text, `yes` as a truth or a text), and aliases are followed
//! only as far as the JSON goes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use mst_model::number_eq;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::text::cut;

/// The deepest nesting that is read.
const DEEPEST: usize = 64;

/// A YAML node; a collection holds the indices of its nodes.
#[derive(Debug)]
enum Node<'a> {
    Scalar { text: Cow<'a, str>, plain: bool },
    List(Vec<usize>),
    Object(Vec<usize>),
}

/// The nodes of a document, each once however many aliases name it.
#[derive(Debug, Default)]
struct Nodes<'a> {
    nodes: Vec<Node<'a>>,
    /// The node of each anchor that is complete.
    anchors: HashMap<usize, usize>,
}

/// Returns what differs between the front matter of a `SKILL.md` and the declared one.
pub(super) fn check(skill_md: &str, declared: &Map<String, Value>) -> Result<(), String> {
    let yaml = block(skill_md).ok_or("SKILL.md does not begin with front matter between lines of three dashes")?;
    let nodes = Nodes::read(yaml).map_err(|why| format!("the front matter of SKILL.md cannot be read: {why}"))?;
    let Some(Node::Object(members)) = nodes.nodes.first() else {
        return Err("the front matter of SKILL.md is no mapping".to_owned());
    };
    match nodes.differs(members, declared) {
        Some(key) => Err(format!("the front matter of SKILL.md and the declared one differ in {:?}", cut(&key, 100))),
        None => Ok(()),
    }
}

/// Returns the text between the first line, which must be `---`, and the next such line.
fn block(skill_md: &str) -> Option<&str> {
    let text = skill_md.strip_prefix('\u{feff}').unwrap_or(skill_md);
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&rest[..end]);
        }
        end += line.len();
    }
    None
}

impl<'a> Nodes<'a> {
    /// Reads one document. The first node is its root.
    fn read(yaml: &'a str) -> Result<Self, String> {
        let mut read = Self::default();
        // The collections that are open: the node, and its anchor.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut documents = 0;
        for event in Parser::new_from_str(yaml) {
            let (event, _) = event.map_err(|error| error.info().to_owned())?;
            let (node, anchor, collection) = match event {
                Event::Scalar(text, style, anchor, _) => {
                    (Node::Scalar { text, plain: style == ScalarStyle::Plain }, anchor, false)
                }
                Event::SequenceStart(anchor, _) => (Node::List(Vec::new()), anchor, true),
                Event::MappingStart(anchor, _) => (Node::Object(Vec::new()), anchor, true),
                Event::SequenceEnd | Event::MappingEnd => {
                    if let Some((node, anchor)) = open.pop() {
                        read.name(anchor, node);
                    }
                    continue;
                }
                Event::Alias(anchor) => {
                    let node = *read.anchors.get(&anchor).ok_or("an alias names itself or nothing")?;
                    read.add_to(&open, node);
                    continue;
                }
                Event::DocumentStart(_) if documents > 0 => return Err("it has several documents".to_owned()),
                Event::DocumentStart(_) => {
                    documents += 1;
                    continue;
                }
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => continue,
            };
            let at = read.nodes.len();
            read.nodes.push(node);
            read.add_to(&open, at);
            if !collection {
                read.name(anchor, at);
            } else if open.len() == DEEPEST {
                return Err(format!("it is nested deeper than {DEEPEST}"));
            } else {
                open.push((at, anchor));
            }
        }
        Ok(read)
    }

    fn add_to(&mut self, open: &[(usize, usize)], node: usize) {
        if let Some((parent, _)) = open.last()
            && let Some(Node::List(items) | Node::Object(items)) = self.nodes.get_mut(*parent)
        {
            items.push(node);
        }
    }

    /// Remembers the node of an anchor; 0 is none.
    fn name(&mut self, anchor: usize, node: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, node);
        }
    }

    /// Returns the first key that only one side has, or whose values differ. `members` holds keys and values in turn.
    fn differs(&self, members: &[usize], declared: &Map<String, Value>) -> Option<String> {
        let mut seen: HashSet<&str> = HashSet::with_capacity(declared.len());
        for pair in members.chunks(2) {
            let Some(Node::Scalar { text: key, .. }) = self.nodes.get(pair[0]) else {
                return Some("a key that is no text".to_owned());
            };
            let equal = pair.get(1).zip(declared.get(&**key)).is_some_and(|(node, value)| self.equals(*node, value));
            if !equal || !seen.insert(key) {
                return Some(key.to_string());
            }
        }
        declared.keys().find(|key| !seen.contains(key.as_str())).cloned()
    }

    /// Compares along the JSON, whose nesting is bounded by its own reader.
    fn equals(&self, node: usize, value: &Value) -> bool {
        match (self.nodes.get(node), value) {
            (Some(Node::Scalar { text, plain }), value) => scalar_equals(text, *plain, value),
            (Some(Node::List(items)), Value::Array(values)) => {
                items.len() == values.len() && items.iter().zip(values).all(|(item, value)| self.equals(*item, value))
            }
            (Some(Node::Object(members)), Value::Object(declared)) => self.differs(members, declared).is_none(),
            _ => false,
        }
    }
}

fn scalar_equals(text: &str, plain: bool, value: &Value) -> bool {
    match value {
        Value::String(declared) => declared == text || (plain && same_time(text, declared)),
        _ if !plain => false,
        Value::Null => matches!(text, "" | "~" | "null" | "Null" | "NULL"),
        Value::Bool(declared) => {
            let words: &[&str] = if *declared { &["true", "yes", "on", "y"] } else { &["false", "no", "off", "n"] };
            words.contains(&&*text.to_ascii_lowercase())
        }
        Value::Number(declared) => {
            let read = text.replace('_', "");
            let radix = |prefix: &str, radix| i64::from_str_radix(read.strip_prefix(prefix)?, radix).ok();
            let whole = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| read.parse().ok());
            let number = whole.map(Into::into).or_else(|| serde_json::Number::from_f64(read.parse().ok()?));
            number.is_some_and(|number: serde_json::Number| number_eq(&number, declared))
        }
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns whether a declared time is a plain date that a YAML 1.1 reader wrote out as JSON: `2026-01-02T00:00:00.000Z`.
fn same_time(text: &str, declared: &str) -> bool {
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date && declared.strip_prefix(text).is_some_and(|rest| matches!(rest, "T00:00:00.000Z" | "T00:00:00Z"))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn differing(yaml: &str, declared: &Value) -> Result<(), String> {
        check(&format!("---\n{yaml}---\n# Body\n"), declared.as_object().expect("an object"))
    }

    #[test]
    fn the_same_front_matter_in_yaml_and_json() {
        for (yaml, declared) in [
            ("name: a\ndescription: b\n", json!({ "description": "b", "name": "a" })),
            ("name: \"a\\u00e9\"\ntext: |\n  one\n  two\n", json!({ "name": "aé", "text": "one\ntwo\n" })),
            ("fold: >-\n  one\n  two\n", json!({ "fold": "one two" })),
            ("v: 1.0\nw: '1.0'\nx: 1.0\n", json!({ "v": 1, "w": "1.0", "x": "1.0" })),
            ("v: 0x1F\nw: 1_000\nx: -2.5e3\n", json!({ "v": 31, "w": 1000, "x": -2500 })),
            ("a: yes\nb: yes\nc: true\nd: ~\ne:\n", json!({ "a": true, "b": "yes", "c": true, "d": null, "e": null })),
            ("d: 2026-01-02\n", json!({ "d": "2026-01-02" })),
            ("d: 2026-01-02\n", json!({ "d": "2026-01-02T00:00:00.000Z" })),
            ("m: { k: [1, two, {x: 3}] }\n", json!({ "m": { "k": [1, "two", { "x": 3 }] } })),
            ("a: &x [1]\nb: *x\n", json!({ "a": [1], "b": [1] })),
        ] {
            assert_eq!(differing(yaml, &declared), Ok(()), "{yaml}");
        }
    }

    #[test]
    fn front_matter_that_differs() {
        let differ = |key: &str| format!("the front matter of SKILL.md and the declared one differ in {key:?}");
        let unread = |why: &str| format!("the front matter of SKILL.md cannot be read: {why}");
        let deep = format!("a: {}\n", "[".repeat(100));
        for (yaml, declared, want) in [
            ("name: a\n", json!({ "name": "b" }), differ("name")),
            ("name: a\nallowed-tools: Bash\n", json!({ "name": "a" }), differ("allowed-tools")),
            ("name: a\n", json!({ "name": "a", "license": "MIT" }), differ("license")),
            ("name: a\nname: a\n", json!({ "name": "a", "license": "MIT" }), differ("name")),
            ("v: '1'\n", json!({ "v": 1 }), differ("v")),
            ("v: [1, 2]\n", json!({ "v": [1] }), differ("v")),
            ("v: {a: 1}\n", json!({ "v": { "a": 2 } }), differ("v")),
            ("[a]: 1\n", json!({}), differ("a key that is no text")),
            ("- a\n", json!({}), "the front matter of SKILL.md is no mapping".to_owned()),
            ("", json!({}), "the front matter of SKILL.md is no mapping".to_owned()),
            ("a: *b\n", json!({}), unread("while parsing node, found unknown anchor")),
            ("a: &b [*b]\n", json!({}), unread("an alias names itself or nothing")),
            (&deep, json!({}), unread("it is nested deeper than 64")),
        ] {
            assert_eq!(differing(yaml, &declared), Err(want), "{yaml}");
        }
        for text in ["", "---", "# Title\n", "--- x\n---\n", "---\nname: a\n"] {
            assert!(check(text, &Map::new()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn aliases_of_aliases_cost_nothing() {
        let mut yaml = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..60 {
            let before = level - 1;
            writeln!(yaml, "a{level}: &a{level} [*a{before}, *a{before}]").expect("a text takes all");
        }
        assert!(differing(&yaml, &json!({ "a0": ["x", "x"] })).is_err());
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_refuse(yaml in "([-:?*&!|>'\"%@`{}\\[\\], \na#~.0-]|\\PC){0,60}") {
            // Whatever it is, it is no front matter that declares this.
            let found = differing(&yaml, &json!({ "name": { "never": "there" } }));
            prop_assert!(found.is_err());
        }
    }
}
