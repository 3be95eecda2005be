//! The model's choice of a tool and its arguments, for many requests over the same tools.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::fill;
use super::rank::Index;
use crate::chat::ToolSpec;
use crate::schema::normal_form;

/// What `lexical-1` chooses among some tools: the tools are read once, however many requests follow.
#[derive(Debug)]
pub struct LexicalSelector<'a> {
    tools: &'a [ToolSpec],
    index: Index,
    /// Each tool's schema in normal form, once it was chosen.
    forms: Vec<OnceLock<Value>>,
}

/// A tool that was chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct LexicalChoice {
    /// Its name.
    pub tool: String,
    /// The arguments that were read from the request or made up.
    pub arguments: Map<String, Value>,
}

impl<'a> LexicalSelector<'a> {
    /// Reads the tools.
    pub fn new(tools: &'a [ToolSpec]) -> Self {
        Self { tools, index: Index::new(tools), forms: tools.iter().map(|_| OnceLock::new()).collect() }
    }

    /// Chooses a tool for a request and fills its arguments; `None` when no word of the request stands in any tool.
    pub fn select(&self, request: &str) -> Option<LexicalChoice> {
        self.select_by(request, request)
    }

    /// Chooses a tool for some words of a request and fills its arguments from the whole of it.
    pub fn select_by(&self, words: &str, request: &str) -> Option<LexicalChoice> {
        let at = self.index.best(words)?;
        let tool = &self.tools[at];
        let form = self.forms[at].get_or_init(|| normal_form(&tool.input_schema));
        Some(LexicalChoice { tool: tool.name.clone(), arguments: fill::arguments(form, request) })
    }
}
