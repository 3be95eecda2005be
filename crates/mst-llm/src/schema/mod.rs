//! Input schemas as a provider takes them: an object at the root, no combinator there, and no reference that leads
//! nowhere. Nothing is fetched, and what had to change is said.

mod flatten;
mod gemini;
mod normalize;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use mst_model::Provider;
use serde_json::Value;

use crate::chat::{ToolSet, ToolSpec};
use crate::wire::WireForm;

/// Tools as one wire form takes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AdaptedTools {
    /// The body's `tools`, written already; absent without tools.
    pub(crate) json: Option<String>,
    /// What was changed, a sentence for each tool.
    pub(crate) notes: Vec<String>,
}

/// Returns the tools with their schemas as the provider takes them, and a note for each tool whose schema had to change.
///
/// A call does this by itself; this is for those who want to know before the first.
pub fn adapt_tools(provider: Provider, tools: &[ToolSpec]) -> (Vec<ToolSpec>, Vec<String>) {
    let form = WireForm::of(provider);
    let mut notes = Vec::new();
    let adapted = tools
        .iter()
        .map(|tool| {
            let (schema, changes) = adapt(form, &tool.input_schema);
            if !changes.is_empty() {
                notes.push(format!(
                    "the input schema of {} was adapted for {provider}: {}",
                    tool.name,
                    changes.join("; ")
                ));
            }
            ToolSpec { input_schema: schema, ..tool.clone() }
        })
        .collect();
    (adapted, notes)
}

/// Returns a schema as a form takes it, and what was changed.
fn adapt(form: WireForm, schema: &Value) -> (Value, Vec<String>) {
    let mut normal = normalize::normalize(schema, form == WireForm::Responses || form == WireForm::Chat);
    if form == WireForm::Gemini {
        normal.schema = gemini::openapi(&normal.schema, &mut normal.changes);
    }
    (normal.schema, normal.changes.into_list())
}

/// Returns a schema's normal form: an object with its properties, references only into its `$defs`.
pub(crate) fn normal_form(schema: &Value) -> Value {
    normalize::normalize(schema, false).schema
}

/// What was changed, each thing once.
#[derive(Debug, Default)]
struct Changes(Vec<String>);

impl Changes {
    fn add(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.0.contains(&what) {
            self.0.push(what);
        }
    }

    fn into_list(self) -> Vec<String> {
        self.0
    }
}

/// How many tool sets are remembered; a run has about as many as it has variants.
const REMEMBERED: usize = 32;

/// Adapted tools, remembered: every call of a conversation offers the same ones.
#[derive(Debug, Default)]
pub(crate) struct ToolCache {
    sets: Mutex<Vec<KnownTools>>,
}

/// One tool set, and what became of it.
#[derive(Debug)]
struct KnownTools {
    form: WireForm,
    declared: ToolSet,
    adapted: Arc<AdaptedTools>,
}

impl ToolCache {
    pub(crate) fn adapt(&self, form: WireForm, tools: &ToolSet) -> Arc<AdaptedTools> {
        if tools.is_empty() {
            return Arc::default();
        }
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |known: &KnownTools| known.form == form && known.declared.is_same(tools);
        let known = sets.iter().position(is_known);
        // A set that was made anew, such as by a trial with connections of its own.
        let equal = || sets.iter().position(|known| known.form == form && known.declared == *tools);
        if let Some(known) = known.or_else(equal) {
            return Arc::clone(&sets[known].adapted);
        }
        let provider = match form {
            WireForm::Anthropic => Provider::Anthropic,
            WireForm::Responses => Provider::OpenAi,
            WireForm::Chat => Provider::OpenAiCompatible,
            WireForm::Gemini => Provider::Google,
        };
        let (specs, notes) = adapt_tools(provider, tools);
        let adapted = Arc::new(AdaptedTools { json: Some(form.tools(&specs).to_string()), notes });
        if sets.len() == REMEMBERED {
            sets.remove(0);
        }
        sets.push(KnownTools { form, declared: tools.clone(), adapted: Arc::clone(&adapted) });
        adapted
    }
}
