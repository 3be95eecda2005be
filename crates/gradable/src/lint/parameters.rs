//! Parameters: their names, and whether those that a call needs are explained.

use mst_llm::words;
use mst_mcp::ListedTool;
use serde_json::Value;

use super::findings::{Findings, deeper};
use super::rule::Rule;
use crate::parameters::{Parameter, parameters};

/// The most characters of a parameter's name that every provider takes.
const LONGEST: usize = 64;
/// Keywords that explain a parameter.
const EXPLAINING: [&str; 7] = ["enum", "const", "default", "examples", "format", "pattern", "$comment"];

/// Looks at a tool's parameters.
pub(super) fn tool(tool: &ListedTool, found: &mut Findings) {
    let all = parameters(tool.input_schema());
    if all.is_empty() {
        return;
    }
    let told = words(tool.description().unwrap_or_default());
    for parameter in &all {
        let pointer = place(tool, parameter.name);
        if !is_taken(parameter.name) {
            let message = format!(
                "the parameter {:?} may be refused; providers take up to {LONGEST} of A-Z, a-z, 0-9, _, . and -",
                parameter.name
            );
            found.add(Rule::ParameterName, pointer.clone(), message);
        }
        if parameter.required && !is_explained(parameter, &told) {
            let message = format!("the required parameter {:?} is explained nowhere", parameter.name);
            found.add(Rule::UnexplainedParameter, pointer, message);
        }
    }
}

/// Returns where a parameter stands: in the schema's own properties, or somewhere that the root leads to.
fn place(tool: &ListedTool, name: &str) -> String {
    let own = tool.input_schema().and_then(|schema| schema.get("properties")?.get(name)).is_some();
    if own { deeper("/inputSchema/properties", name) } else { "/inputSchema".to_owned() }
}

fn is_taken(name: &str) -> bool {
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-');
    !name.is_empty() && name.chars().count() <= LONGEST && name.chars().all(plain)
}

/// Tells whether a model can see what a parameter means: a text of its own, values, or its name in the tool's description.
fn is_explained(parameter: &Parameter<'_>, told: &[String]) -> bool {
    let has_text = |key: &str| {
        let texts = parameter.schemas.iter().filter_map(|schema| schema.get(key).and_then(Value::as_str));
        texts.into_iter().any(|text| !text.trim().is_empty() && words(text) != words(parameter.name))
    };
    if has_text("description") || has_text("title") || EXPLAINING.iter().any(|key| parameter.keyword(key).is_some()) {
        return true;
    }
    let name = words(parameter.name);
    !name.is_empty() && told.windows(name.len()).any(|part| part == name)
}
