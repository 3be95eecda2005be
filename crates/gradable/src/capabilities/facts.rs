//! What is known of each tool, read once.

use mst_llm::words;
use mst_mcp::ListedTool;
use serde_json::Value;

use crate::destructive::{has_destructive_verb, is_destructive};
use crate::parameters::{Parameter, parameters};
use crate::surface::Surface;

/// Verbs that, as a word of a tool's name, mean that a call changes something, beside the destructive ones.
const CHANGING_VERBS: [&str; 40] = [
    "add", "append", "apply", "approve", "assign", "book", "buy", "commit", "copy", "create", "deploy", "edit",
    "execute", "grant", "import", "insert", "install", "invite", "merge", "move", "order", "patch", "pay", "post",
    "publish", "push", "put", "rename", "replace", "run", "save", "send", "set", "start", "stop", "submit", "update",
    "upload", "upsert", "write",
];

/// A surface as the rules of capabilities look at it.
pub(super) struct Facts<'a> {
    pub(super) tools: Vec<ToolFacts<'a>>,
    /// The instructions in lower case; empty without any.
    pub(super) instructions: String,
}

/// What is known of one tool.
pub(super) struct ToolFacts<'a> {
    pub(super) tool: &'a ListedTool,
    /// The words of its name.
    pub(super) name: Vec<String>,
    /// Its description in lower case.
    pub(super) description: String,
    pub(super) parameters: Vec<Parameter<'a>>,
    /// Whether a call changes something, as far as the declaration shows.
    pub(super) changes: bool,
}

impl<'a> Facts<'a> {
    /// Reads a surface.
    pub(super) fn of(surface: &'a Surface) -> Self {
        Self {
            tools: surface.tools.iter().map(ToolFacts::of).collect(),
            instructions: surface.instructions.as_deref().unwrap_or_default().to_lowercase(),
        }
    }

    /// Returns the tools that change something.
    pub(super) fn changing(&self) -> Vec<&ToolFacts<'a>> {
        self.tools.iter().filter(|tool| tool.changes).collect()
    }

    /// Returns the names of the tools for which something holds.
    pub(super) fn named(&self, holds: impl Fn(&ToolFacts<'a>) -> bool) -> Vec<String> {
        self.tools.iter().filter(|tool| holds(tool)).map(|tool| tool.tool.name().to_owned()).collect()
    }
}

impl<'a> ToolFacts<'a> {
    fn of(tool: &'a ListedTool) -> Self {
        let name = words(tool.name());
        let changes = changes(tool, &name);
        Self {
            tool,
            name,
            description: tool.description().unwrap_or_default().to_lowercase(),
            parameters: parameters(tool.input_schema()),
            changes,
        }
    }

    /// Tells whether a word of the name is one of these.
    pub(super) fn has_word(&self, any: &[&str]) -> bool {
        self.name.iter().any(|word| any.contains(&word.as_str()))
    }

    /// Tells whether these words follow one another in the name.
    pub(super) fn has_phrase(&self, phrases: &[&[&str]]) -> bool {
        phrases.iter().any(|phrase| {
            self.name.windows(phrase.len()).any(|part| part.iter().zip(*phrase).all(|(word, right)| word == right))
        })
    }

    /// Returns the first parameter whose name, without style, is one of these, as `tool.parameter`.
    pub(super) fn parameter_named(&self, any: &[&str]) -> Option<String> {
        let found = self.parameters.iter().find(|parameter| any.contains(&words(parameter.name).concat().as_str()));
        found.map(|parameter| format!("{}.{}", self.tool.name(), parameter.name))
    }
}

/// Tells whether a call changes something: by the hint, else by the name.
fn changes(tool: &ListedTool, name: &[String]) -> bool {
    let hint = tool.raw().get("annotations").and_then(|annotations| annotations.get("readOnlyHint"));
    match hint.and_then(Value::as_bool) {
        Some(reads) => !reads,
        None => {
            is_destructive(tool)
                || has_destructive_verb(tool.name())
                || name.iter().any(|word| CHANGING_VERBS.contains(&word.as_str()))
        }
    }
}
