//! `defects-v1` without a model: a rule for each type.

use std::collections::BTreeSet;

use mst_llm::words;
use mst_mcp::ListedTool;
use mst_model::{Defect, DefectType};
use serde_json::Value;

use super::suggestion::suggestion;
use super::verbs::verb_of;
use super::vocabulary::{stem, stems};
use crate::judge::ToolDefects;
use crate::parameters::{Parameter, parameters};

/// The fewest words that a description has to add to the name, and the least share of its own words that they are.
const FEWEST_NEW: usize = 2;
const LEAST_NEW: f64 = 1.0 / 3.0;

/// Words that say what comes back.
const RETURNS: [&str; 22] = [
    "return",
    "returns",
    "returned",
    "returning",
    "yield",
    "yields",
    "output",
    "outputs",
    "response",
    "responds",
    "result",
    "results",
    "gives",
    "produces",
    "answers",
    "reports",
    "emits",
    "prints",
    "displays",
    "provides",
    "receive",
    "receives",
];

/// Kinds of doing whose object is what comes back, when it is named.
const TELLING: [&str; 4] = ["get", "list", "search", "compare"];

/// Finds the defects of a tool's description; `None` where there is none.
pub(super) fn defects(tool: &ListedTool) -> Option<ToolDefects> {
    let found: Vec<Defect> = [restates(tool), unexplained(tool), no_return(tool)].into_iter().flatten().collect();
    (!found.is_empty()).then(|| ToolDefects {
        tool: tool.name().to_owned(),
        suggested_description: Some(suggestion(tool, &found)),
        defects: found,
    })
}

fn restates(tool: &ListedTool) -> Option<Defect> {
    let description = tool.description().unwrap_or_default();
    let all = stems(description);
    let name: Vec<String> = words(tool.name()).iter().map(|word| stem(word)).collect();
    let doings: BTreeSet<String> =
        words(description).iter().filter(|word| verb_of(word).is_some()).map(|word| stem(word)).collect();
    let new = all.iter().filter(|word| !name.contains(word) && !doings.contains(*word)).count();
    let is_enough = new >= FEWEST_NEW && new as f64 >= LEAST_NEW * all.len() as f64;
    // Words of other scripts are not split, so a text in one counts by its length.
    let is_other_script = description.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count() >= 8;
    if is_enough || is_other_script {
        return None;
    }
    let reason = if description.trim().is_empty() {
        "it has no description".to_owned()
    } else if new == 0 {
        "the description says nothing that the name does not".to_owned()
    } else {
        "the description adds next to nothing to the name: not when to use it, nor how it behaves".to_owned()
    };
    Some(Defect { kind: DefectType::NameRestatesBehavior, reason })
}

/// How many parameters are named of those that nothing is said about.
const SHOWN: usize = 5;

fn unexplained(tool: &ListedTool) -> Option<Defect> {
    let description = tool.description().unwrap_or_default();
    let parameters = parameters(tool.input_schema());
    let missing: Vec<String> =
        unexplained_parameters(&parameters, description).map(|one| format!("`{}`", one.name)).collect();
    if missing.is_empty() {
        return None;
    }
    let more = missing.len().saturating_sub(SHOWN);
    let named = missing.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let named = if more > 0 { format!("{named} and {more} more") } else { named };
    let reason = format!("neither the description nor the schema says what the required {named} means or takes");
    Some(Defect { kind: DefectType::ParamsUnexplained, reason })
}

/// Returns the required parameters of which nothing is said but their name and type.
pub(super) fn unexplained_parameters<'a, 'b>(
    parameters: &'a [Parameter<'b>],
    description: &str,
) -> impl Iterator<Item = &'a Parameter<'b>> {
    let told: Vec<String> = words(description).iter().map(|word| stem(word)).collect();
    parameters.iter().filter(move |one| {
        let named: Vec<String> = words(one.name).iter().map(|word| stem(word)).collect();
        let is_told = !named.is_empty() && named.iter().all(|word| told.contains(word));
        one.required && !is_told && !explains_itself(one, &named)
    })
}

/// Tells whether a parameter's schema says what it means or takes.
fn explains_itself(parameter: &Parameter<'_>, named: &[String]) -> bool {
    let says = |key: &str| parameter.schemas.iter().any(|schema| schema.get(key).is_some_and(|value| !value.is_null()));
    let adds = |key: &str| {
        let text = parameter.schemas.iter().filter_map(|schema| schema.get(key)?.as_str());
        text.into_iter().any(|text| {
            let other = |word: &String| !named.contains(&stem(word));
            words(text).iter().any(other)
        })
    };
    adds("description")
        || adds("title")
        || !parameter.choices().is_empty()
        || ["const", "default", "format", "pattern", "examples", "example"].iter().any(|key| says(key))
}

fn no_return(tool: &ListedTool) -> Option<Defect> {
    if tool.output_schema().is_some_and(is_explicit) || says_what_returns(tool.description().unwrap_or_default()) {
        return None;
    }
    let reason = match tool.output_schema() {
        Some(_) => "the description does not say what the call returns, and the output schema names nothing",
        None => "the description does not say what the call returns, and there is no output schema",
    };
    Some(Defect { kind: DefectType::NoReturnDescription, reason: reason.to_owned() })
}

/// Tells whether an output schema makes plain what comes back: it names something, or is no mere object.
pub(super) fn is_explicit(schema: &Value) -> bool {
    let names = !parameters(Some(schema)).is_empty();
    let kind = schema.get("type").and_then(Value::as_str);
    let is_described = schema.get("description").and_then(Value::as_str).is_some_and(|text| !stems(text).is_empty());
    names
        || is_described
        || schema.get("items").is_some()
        || kind.is_some_and(|kind| kind != "object" && kind != "array")
}

/// Tells whether a description says what comes back: in a word for it, or by telling of a thing that is got, listed or found.
fn says_what_returns(description: &str) -> bool {
    let all = words(description);
    if all.iter().any(|word| RETURNS.contains(&word.as_str())) {
        return true;
    }
    let tells = all.first().and_then(|word| verb_of(word)).is_some_and(|verb| TELLING.contains(&verb.class));
    let rest = all.get(1..).unwrap_or_default().join(" ");
    tells && stems(&rest).len() >= 2
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::surface::Surface;

    fn kinds(tool: &Value) -> Vec<&'static str> {
        let surface = Surface::of(json!([tool]));
        let found = defects(&surface.tools[0]);
        found.into_iter().flat_map(|found| found.defects).map(|defect| defect.kind.as_str()).collect()
    }

    #[test]
    fn each_type_has_its_rule() {
        let (name, params, back) = ("name_restates_behavior", "params_unexplained", "no_return_description");
        let rows = [
            (json!({ "name": "delete_user" }), vec![name, back]),
            (json!({ "name": "delete_user", "description": "Deletes a user." }), vec![name, back]),
            (json!({ "name": "deleteUser", "description": "Delete the given users" }), vec![name, back]),
            (
                json!({ "name": "delete_user", "description": "Deletes an account with its drafts; returns the number of them." }),
                vec![],
            ),
            (json!({ "name": "bin", "description": "Gets the shelf and row of a part." }), vec![]),
            (
                json!({ "name": "bin", "description": "Gets the shelf and row of a part.",
                    "inputSchema": { "properties": { "sku": { "type": "string" }, "n": { "type": "integer" } }, "required": ["sku"] } }),
                vec![params],
            ),
            (
                json!({ "name": "bin", "description": "Gets the shelf and row of a part by its sku.",
                    "inputSchema": { "properties": { "sku": { "type": "string", "title": "Sku" } }, "required": ["sku"] } }),
                vec![],
            ),
            (
                json!({ "name": "bin", "description": "Gets the shelf and row of a part.",
                    "inputSchema": { "properties": { "k": { "enum": ["a"] }, "d": { "description": "day of delivery" } }, "required": ["k", "d"] } }),
                vec![],
            ),
            (
                json!({ "name": "stow", "description": "Puts a part on the shelf with most room.", "outputSchema": { "type": "object" } }),
                vec![back],
            ),
            (
                json!({ "name": "stow", "description": "Puts a part on the shelf with most room.",
                    "outputSchema": { "type": "object", "properties": { "shelf": {} } } }),
                vec![],
            ),
            (json!({ "name": "x", "description": "文書の全文検索を行い結果を返します。" }), vec![back]),
        ];
        for (tool, want) in rows {
            assert_eq!(kinds(&tool), want, "{tool}");
        }
    }
}
