//! `tasks-v1` without a model: what a user would ask a surface for.
//!
//! A request is made of what a user knows: the thing, what to do with it, and the values at hand. It is no copy of the
//! description, since picking the tool would then be trivial. Each tool has one request in the plain word for its doing,
//! which names the values as its parameters do, and one in other words, which gives the bare values and a hint at what the
//! description adds to the name. A description that adds nothing gives no hint, and its tool is the harder to find.

use std::collections::{HashMap, HashSet};

use mst_llm::words;
use mst_mcp::ListedTool;
use mst_model::{ScanTask, sha256_hex};
use serde_json::Value;

use super::strangers::strangers;
use super::verbs::{Verb, place_of_verb, verb_of};
use super::vocabulary::{first_sentence, says_something, stem};
use crate::judge::sample::sampled;
use crate::parameters::{Parameter, parameters};
use crate::surface::Surface;

/// The most values that a request gives.
const MOST_VALUES: usize = 4;

/// Makes the tasks of a surface: those that a tool fits, and about a tenth more that none does.
pub(super) fn tasks(surface: &Surface) -> Vec<ScanTask> {
    let prefix = common_prefix(&surface.tools);
    let mut asked = Vec::new();
    for tool in sampled(surface) {
        let request = Request::of(tool, prefix.as_deref());
        let draw = draw(tool.name());
        for prompt in [request.plain(draw), request.in_other_words(draw)] {
            asked.push((prompt, Some(tool.name().to_owned())));
        }
    }
    let mut asked = without_undecidable(asked);
    let wanted = asked.len().div_ceil(10).clamp(2, 10);
    asked.extend(strangers(surface, wanted).into_iter().map(|request| (request.to_owned(), None)));
    let numbered = asked.into_iter().enumerate();
    numbered
        .map(|(at, (prompt, expected_tool))| ScanTask {
            id: format!("t{:03}", at + 1),
            prompt,
            expected_tool,
            // The scan sets it by the expected tool.
            destructive: false,
        })
        .collect()
}

/// Leaves out requests that stand for several tools: no judge could tell which is meant.
fn without_undecidable(asked: Vec<(String, Option<String>)>) -> Vec<(String, Option<String>)> {
    let mut tools: HashMap<String, HashSet<Option<String>>> = HashMap::new();
    for (prompt, tool) in &asked {
        tools.entry(prompt.clone()).or_default().insert(tool.clone());
    }
    let is_decidable = |(prompt, _): &&(String, Option<String>)| tools[prompt].len() == 1;
    let decidable: Vec<_> = asked.iter().filter(is_decidable).cloned().collect();
    // Of tools that all look the same something has to be asked, or nothing would show it.
    if decidable.is_empty() { asked } else { decidable }
}

/// Draws a number for a name: the same one every time.
fn draw(name: &str) -> u64 {
    let digits = sha256_hex(name.as_bytes());
    u64::from_str_radix(&digits[..16], 16).expect("sixteen hex digits")
}

/// Returns the word that nearly all names begin with, which no user would say.
fn common_prefix(tools: &[ListedTool]) -> Option<String> {
    let first = |tool: &ListedTool| words(tool.name()).into_iter().next();
    let prefix = first(tools.first()?)?;
    let same = tools.iter().filter(|tool| first(tool).as_ref() == Some(&prefix)).count();
    (tools.len() >= 3 && same * 10 >= tools.len() * 8 && verb_of(&prefix).is_none()).then_some(prefix)
}

/// What a user knows about what one tool does.
struct Request {
    verb: Option<&'static Verb>,
    object: String,
    /// Words that the description adds to the name.
    added: Vec<String>,
    /// Each value at hand, with the name of what it is for.
    values: Vec<(String, String)>,
}

impl Request {
    fn of(tool: &ListedTool, prefix: Option<&str>) -> Self {
        let mut name = words(tool.name());
        if name.len() > 1 && name.first().map(String::as_str) == prefix {
            name.remove(0);
        }
        let at = place_of_verb(&name);
        let verb = at.and_then(|at| verb_of(&name[at]));
        let named: Vec<String> = name.iter().map(|word| stem(word)).collect();
        let sentence = words(first_sentence(tool.description().unwrap_or_default()));
        let mut added: Vec<String> = Vec::new();
        let is_topic = |word: &String| says_something(word) && verb_of(word).is_none() && !word.ends_with("ly");
        for word in sentence.into_iter().filter(is_topic) {
            if !named.contains(&stem(&word)) && !added.contains(&word) {
                added.push(word);
            }
        }
        let mut object: Vec<String> = name
            .into_iter()
            .enumerate()
            .filter(|(place, word)| {
                Some(*place) != at && !["for", "of", "by", "to", "and", "the", "a"].contains(&word.as_str())
            })
            .map(|(_, word)| word)
            .collect();
        if object.is_empty() {
            object = added.drain(..added.len().min(2)).collect();
        }
        let object = if object.is_empty() { "it".to_owned() } else { object.join(" ") };
        added.truncate(2);
        let required = parameters(tool.input_schema()).into_iter().filter(|one| one.required);
        let values = required.filter_map(|one| Some((words(one.name).join(" "), value(&one)?))).take(MOST_VALUES);
        Self { verb, object, added, values: values.collect() }
    }

    /// Asks in the plain word, and names the values.
    fn plain(&self, draw: u64) -> String {
        let asked = match self.verb {
            Some(verb) => pick(verb.plain, draw).replace("{o}", &self.with_article(verb)),
            None => format!("I need {}", self.object),
        };
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        if values.is_empty() { format!("{asked}.") } else { format!("{asked} with {}.", values.join(" and ")) }
    }

    /// Asks in other words, gives the bare values, and hints at what the description adds.
    fn in_other_words(&self, draw: u64) -> String {
        let asked = match self.verb {
            Some(verb) => pick(verb.other, draw).replace("{o}", &self.with_article(verb)),
            None => format!("Help me with {}", self.object),
        };
        let values: Vec<&str> = self.values.iter().map(|(_, value)| value.as_str()).collect();
        let asked = if values.is_empty() { asked } else { format!("{asked}, I have {}", values.join(" and ")) };
        let asked = capitalised(&asked);
        if self.added.is_empty() {
            format!("{asked}.")
        } else {
            format!("{asked}. It has to do with {}.", self.added.join(" and "))
        }
    }

    fn with_article(&self, verb: &Verb) -> String {
        let bare = matches!(verb.class, "list" | "search" | "create") || self.object == "it";
        if bare { self.object.clone() } else { format!("the {}", self.object) }
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn pick(of: &[&'static str], draw: u64) -> &'static str {
    of[(draw / 2) as usize % of.len()]
}

/// Returns a value for a parameter as a user would write it; `None` for what a user would not write.
fn value(parameter: &Parameter<'_>) -> Option<String> {
    if let Some(choice) = parameter.choices().iter().find(|choice| !choice.is_null()) {
        return match choice {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
    }
    if parameter.keyword("const").is_some() {
        return None;
    }
    match parameter.kind() {
        "integer" | "number" => Some(number(parameter)),
        "array" => {
            let items = parameter.keyword("items")?;
            (items.get("type")? == "string" && items.get("enum").is_none())
                .then(|| r#""first" and "second""#.to_owned())
        }
        "string" | "" => text(parameter).map(|text| format!("\"{text}\"")),
        _ => None,
    }
}

/// Returns a number within the parameter's bounds.
fn number(parameter: &Parameter<'_>) -> String {
    let bound = |key: &str| parameter.keyword(key).and_then(Value::as_f64);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|bound| bound + 1.0)).unwrap_or(3.0);
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|bound| bound - 1.0)).unwrap_or(f64::MAX);
    let number = 3.0_f64.max(least).min(most);
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{number:.0}") } else { number.to_string() }
}

/// Returns a text by what the parameter's name and format say it is.
fn text(parameter: &Parameter<'_>) -> Option<String> {
    let named = words(parameter.name);
    let is = |marks: &[&str]| named.iter().any(|word| marks.contains(&word.as_str()));
    let format = parameter.keyword("format").and_then(Value::as_str).unwrap_or_default();
    let sample = match format {
        "uri" | "url" => "https://example.com/page",
        "email" => "ana@example.com",
        "date" => "2026-03-14",
        "date-time" => "2026-03-14T09:00:00Z",
        "uuid" => "6f1c0a52-8a53-4f0e-9a59-0d7c0c0a1b2c",
        _ if is(&["url", "uri", "link", "href"]) => "https://example.com/page",
        _ if is(&["email", "mail"]) => "ana@example.com",
        _ if is(&["path", "file", "filename", "filepath", "directory", "dir", "folder"]) => "/data/plan.txt",
        _ if is(&["date", "day"]) => "2026-03-14",
        _ if is(&["time", "timestamp", "since", "until"]) => "2026-03-14T09:00:00Z",
        _ if is(&["id", "ids", "key", "uuid", "sha", "number"]) => "a-17",
        _ if is(&["query", "search", "q", "keyword", "keywords", "term", "pattern"]) => "blue whale",
        _ if is(&["content", "text", "body", "message", "comment", "description", "prompt"]) => "See you at nine",
        _ => "Alpha",
    };
    let length = sample.chars().count() as u64;
    let bound = |key: &str| parameter.keyword(key).and_then(Value::as_u64);
    let fits = bound("minLength").is_none_or(|least| length >= least)
        && bound("maxLength").is_none_or(|most| length <= most)
        && parameter.keyword("pattern").is_none();
    fits.then(|| sample.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_that_stands_for_two_tools_is_left_out() {
        let asked = [("get it", "a"), ("get it", "b"), ("drop it", "a"), ("drop it", "a")];
        let asked: Vec<_> = asked.map(|(prompt, tool)| (prompt.to_owned(), Some(tool.to_owned()))).to_vec();
        let left = without_undecidable(asked.clone());
        assert_eq!(left, asked[2..]);
        assert_eq!(without_undecidable(asked[..2].to_vec()), asked[..2]);
    }

    #[test]
    fn requests_are_what_a_user_would_say() {
        let surface = Surface::of(json!([
            { "name": "delete_file", "description": "Permanently erases a document from the archive.",
              "inputSchema": { "properties": { "path": { "type": "string" }, "force": { "type": "boolean" } }, "required": ["path", "force"] } },
            { "name": "list_labels" },
            { "name": "search", "description": "Full text search over the handbook.",
              "inputSchema": { "properties": { "query": { "type": "string" }, "top": { "type": "integer", "maximum": 2 } }, "required": ["query", "top"] } },
        ]));
        let prompts: Vec<String> = tasks(&surface)
            .into_iter()
            .map(|task| format!("{} {}: {}", task.id, task.expected_tool.as_deref().unwrap_or("-"), task.prompt))
            .collect();
        insta::assert_snapshot!(prompts.join("\n"), @r#"
        t001 delete_file: Remove the file with path "/data/plan.txt".
        t002 delete_file: I no longer want the file, I have "/data/plan.txt". It has to do with document and archive.
        t003 list_labels: List all labels.
        t004 list_labels: Give me an overview of labels.
        t005 search: Find full text with query "blue whale" and top 2.
        t006 search: Is there any of full text that fits, I have "blue whale" and 2. It has to do with handbook.
        t007 -: How long should sourdough rest before it goes into the oven?
        t008 -: Recommend a first piece for somebody who learns the trombone.
        "#);
    }
}
