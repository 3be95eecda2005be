//! A description to consider, made from the declaration alone.

use mst_llm::words;
use mst_mcp::ListedTool;
use mst_model::{Defect, DefectType};
use serde_json::Value;

use super::defects::{is_explicit, unexplained_parameters};
use super::verbs::{place_of_verb, verb_of};
use crate::destructive::{has_destructive_verb, is_destructive};
use crate::parameters::{Parameter, parameters};

/// The most parameters and fields that are named.
const MOST_NAMED: usize = 12;

/// Writes a description: the present one, with a sentence for each defect. Nothing in it is known but from the declaration.
pub(super) fn suggestion(tool: &ListedTool, defects: &[Defect]) -> String {
    let description = tool.description().unwrap_or_default().trim();
    let has = |kind: DefectType| defects.iter().any(|defect| defect.kind == kind);
    let named = parameters(tool.input_schema());
    let mut sentences: Vec<String> = Vec::new();
    if description.is_empty() {
        sentences.push(format!("{}.", capitalised(&words(tool.name()).join(" "))));
    } else {
        sentences.push(ended(description));
    }
    if has(DefectType::NameRestatesBehavior) {
        sentences.push(behaviour(tool, &named));
    }
    if has(DefectType::ParamsUnexplained) {
        let told = unexplained_parameters(&named, description).take(MOST_NAMED);
        sentences.extend(told.map(|one| format!("`{}`: {}.", one.name, meaning(one))));
    }
    if has(DefectType::NoReturnDescription) {
        sentences.push(gives(tool));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// Says what the declaration shows of when to use it and what it does.
fn behaviour(tool: &ListedTool, named: &[Parameter<'_>]) -> String {
    let hint = |name: &str| tool.raw().get("annotations").and_then(|hints| hints.get(name)) == Some(&Value::Bool(true));
    let mut said = vec![format!("Use it to {}", doing(tool.name()))];
    let required: Vec<String> =
        named.iter().filter(|one| one.required).take(MOST_NAMED).map(|one| format!("`{}`", one.name)).collect();
    if !required.is_empty() {
        said.push(format!("when {} known", are(&required)));
    }
    let mut sentence = format!("{}.", said.join(" "));
    if is_destructive(tool) || (has_destructive_verb(tool.name()) && !hint("readOnlyHint")) {
        sentence.push_str(" It may not be possible to undo this: confirm with the user first.");
    } else if hint("readOnlyHint") {
        sentence.push_str(" It changes nothing.");
    }
    sentence
}

fn are(names: &[String]) -> String {
    match names {
        [one] => format!("{one} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
        [] => String::new(),
    }
}

/// Returns a name as what it does: `delete the user` of `deleteUser`.
fn doing(name: &str) -> String {
    let all = words(name);
    match place_of_verb(&all) {
        Some(at) if all.len() > 1 => {
            let object: Vec<&str> =
                all.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, word)| word.as_str()).collect();
            format!("{} the {}", all[at], object.join(" "))
        }
        _ => all.join(" "),
    }
}

/// Returns what a parameter's schema and name say of it.
fn meaning(parameter: &Parameter<'_>) -> String {
    let name = words(parameter.name).join(" ");
    match parameter.kind() {
        "" | "object" => format!("the {name}"),
        "string" => format!("the {name}, as text"),
        "array" => format!("the {name}, as a list"),
        "integer" | "number" => format!("the {name}, as a number"),
        "boolean" => format!("whether {name} applies, true or false"),
        other => format!("the {name}, as {other}"),
    }
}

/// Says what comes back.
fn gives(tool: &ListedTool) -> String {
    if let Some(schema) = tool.output_schema().filter(|schema| is_explicit(schema)) {
        let fields: Vec<String> =
            parameters(Some(schema)).iter().take(MOST_NAMED).map(|one| format!("`{}`", one.name)).collect();
        if !fields.is_empty() {
            return format!("Returns {}.", fields.join(", "));
        }
    }
    let all = words(tool.name());
    let Some(at) = place_of_verb(&all) else {
        return "Returns its result as text.".to_owned();
    };
    let verb = verb_of(&all[at]).expect("the position of a verb");
    let object: Vec<&str> =
        all.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, word)| word.as_str()).collect();
    let object = if object.is_empty() { "result".to_owned() } else { object.join(" ") };
    let article = if verb.gives.contains("Returns {o}") { format!("the {object}") } else { object };
    verb.gives.replace("{o}", &article)
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn ended(text: &str) -> String {
    let ends = text.ends_with(|c: char| c.is_ascii_punctuation() || matches!(c, '。' | '！' | '？'));
    if ends { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::defects::defects;
    use crate::surface::Surface;

    #[test]
    fn a_suggestion_says_what_the_declaration_shows() {
        let surface = Surface::of(json!([
            { "name": "delete_user", "inputSchema": { "properties": { "user_id": { "type": "string" } }, "required": ["user_id"] } },
            { "name": "listUsers", "description": "List users", "annotations": { "readOnlyHint": true } },
            { "name": "stow", "description": "Puts a part on the shelf with most room" },
        ]));
        let suggested: Vec<String> = surface
            .tools
            .iter()
            .map(|tool| defects(tool).and_then(|found| found.suggested_description).unwrap_or_default())
            .collect();
        insta::assert_snapshot!(suggested.join("\n"), @"
        Delete user. Use it to delete the user when `user_id` is known. It may not be possible to undo this: confirm with the user first. `user_id`: the user id, as text. Returns a confirmation, or an error.
        List users. Use it to list the users. It changes nothing. Returns a list of users.
        Puts a part on the shelf with most room. Returns its result as text.
        ");
    }
}
