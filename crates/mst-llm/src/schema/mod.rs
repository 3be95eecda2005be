//! Input schemas as a provider takes them: an object at the root, no combinator there, and no reference that leads
//! nowhere. Nothing is fetched, and what had to change is said.

mod flatten;
mod gemini;
mod normalize;
mod properties;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};

use mst_model::Provider;
use serde_json::Value;

use crate::chat::{ToolSet, ToolSpec};
use crate::wire::WireForm;

pub(crate) use properties::ParameterNames;

/// Tools as one wire form takes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AdaptedTools {
    /// The body's `tools`, written already; absent without tools.
    pub(crate) json: Option<String>,
    /// What was changed, a sentence for each tool.
    pub(crate) notes: Vec<String>,
    /// The parameters that are presented under other names than the servers'.
    pub(crate) parameters: ParameterNames,
}

/// Returns the tools with their schemas as the provider takes them, and a note for each tool whose schema had to change.
///
/// A call does this by itself; this is for those who want to know before the first.
pub fn adapt_tools(provider: Provider, tools: &[ToolSpec]) -> (Vec<ToolSpec>, Vec<String>) {
    let (adapted, notes, _) = adapted(provider, tools);
    (adapted, notes)
}

/// Returns what a request to the provider holds as its `tools`.
pub fn declared_tools(provider: Provider, tools: &[ToolSpec]) -> Value {
    WireForm::of(provider).tools(&adapt_tools(provider, tools).0)
}

/// Returns the most tools that a provider takes in a request, where it says so: OpenAI's and the references that follow it
/// 128, Google's 512.
pub fn most_tools(provider: Provider) -> Option<usize> {
    match provider {
        Provider::OpenAi | Provider::Azure | Provider::DeepSeek | Provider::XAi => Some(128),
        Provider::Google => Some(512),
        _ => None,
    }
}

/// The longest description of a tool that Azure takes, in characters, by its page on function calling.
const LONGEST_ON_AZURE: usize = 1024;

/// Cuts a description where the provider would refuse it.
fn fitting_description(provider: Provider, tool: &ToolSpec, changes: &mut Changes) -> Option<String> {
    let description = tool.description.as_deref()?;
    if provider == Provider::Azure && description.chars().count() > LONGEST_ON_AZURE {
        changes.add(format!("its description was cut to {LONGEST_ON_AZURE} characters"));
        return Some(description.chars().take(LONGEST_ON_AZURE).collect());
    }
    Some(description.to_owned())
}

fn adapted(provider: Provider, tools: &[ToolSpec]) -> (Vec<ToolSpec>, Vec<String>, ParameterNames) {
    let form = WireForm::of(provider);
    let mut notes = Vec::new();
    let mut parameters = ParameterNames::default();
    let adapted = tools
        .iter()
        .map(|tool| {
            let (mut schema, mut changes) = adapt(form, &tool.input_schema);
            if properties::are_restricted(provider) {
                parameters.rename(&tool.name, &mut schema, &mut changes);
            }
            let description = fitting_description(provider, tool, &mut changes);
            let changes = changes.into_list();
            if !changes.is_empty() {
                notes.push(format!("the tool {} was adapted for {provider}: {}", tool.name, changes.join("; ")));
            }
            ToolSpec { name: tool.name.clone(), description, input_schema: schema }
        })
        .collect();
    (adapted, notes, parameters)
}

/// Returns a schema as a form takes it, and what was changed.
fn adapt(form: WireForm, schema: &Value) -> (Value, Changes) {
    let mut normal = normalize::normalize(schema, form == WireForm::Responses || form == WireForm::Chat);
    if form == WireForm::Gemini {
        normal.schema = gemini::openapi(&normal.schema, &mut normal.changes);
    }
    (normal.schema, normal.changes)
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
    provider: Provider,
    declared: ToolSet,
    adapted: Arc<AdaptedTools>,
}

impl ToolCache {
    pub(crate) fn adapt(&self, provider: Provider, tools: &ToolSet) -> Arc<AdaptedTools> {
        if tools.is_empty() {
            return Arc::default();
        }
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |known: &KnownTools| known.provider == provider && known.declared.is_same(tools);
        let known = sets.iter().position(is_known);
        // A set that was made anew, such as by a trial with connections of its own.
        let equal = || sets.iter().position(|known| known.provider == provider && known.declared == *tools);
        if let Some(known) = known.or_else(equal) {
            return Arc::clone(&sets[known].adapted);
        }
        let (specs, notes, parameters) = adapted(provider, tools);
        let json = Some(WireForm::of(provider).tools(&specs).to_string());
        let adapted = Arc::new(AdaptedTools { json, notes, parameters });
        if sets.len() == REMEMBERED {
            sets.remove(0);
        }
        sets.push(KnownTools { provider, declared: tools.clone(), adapted: Arc::clone(&adapted) });
        adapted
    }
}
