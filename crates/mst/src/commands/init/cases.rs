//! A first dataset, drafted from what a server lists.

use std::collections::BTreeSet;

use mst_mcp::{ListedTool, ToolSurface};
use serde_json::{Map, Value, json};

use super::super::one_line::one_line;
use super::super::tools::ToolKind;
use mst_config::discover::label_from;

/// How many tools get a case.
const MOST_CASES: usize = 5;

/// What a drafted case says of itself.
const DRAFTED: &str =
    "Drafted from what the server lists; put in what a person would really ask, and what must be in the answer.";

/// Returns a case for each of the first read-only tools, and one that needs no tool.
///
/// With `writes` and no read-only tool, tools that write get cases too; never one that says it destroys.
pub(crate) fn cases(surface: Option<&ToolSurface>, writes: bool) -> Vec<Value> {
    let tools = surface.map(|surface| surface.tools.as_slice()).unwrap_or_default();
    let of = |kind: ToolKind| tools.iter().filter(move |tool| ToolKind::of(tool) == kind);
    let mut chosen: Vec<&ListedTool> = of(ToolKind::ReadOnly).collect();
    if chosen.is_empty() && writes {
        chosen = of(ToolKind::Write).collect();
    }
    // What is on its way out is asked for last.
    chosen.sort_by_key(|tool| is_deprecated(tool));
    let mut ids = BTreeSet::from(["no-tool-needed".to_owned()]);
    let mut cases: Vec<Value> = chosen.into_iter().take(MOST_CASES).map(|tool| case(tool, &mut ids)).collect();
    cases.push(json!({
        "id": "no-tool-needed",
        "description": "No tool fits this, so none may be called.",
        "input": "Good morning!",
        "tags": ["draft"],
        "assertions": { "toolCallCount": { "exact": 0 } }
    }));
    cases
}

fn is_deprecated(tool: &ListedTool) -> bool {
    let text = |key: &str| tool.raw().get(key).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    text("title").contains("deprecated") || text("description").contains("deprecated")
}

fn case(tool: &ListedTool, ids: &mut BTreeSet<String>) -> Value {
    let base = label_from(tool.name()).to_ascii_lowercase();
    let mut id = base.clone();
    let mut number = 2;
    while !ids.insert(id.clone()) {
        id = format!("{base}-{number}");
        number += 1;
    }
    json!({
        "id": id,
        "description": DRAFTED,
        "input": input(tool),
        "tags": ["draft"],
        "assertions": { "toolsTriggered": { "calls": [{ "name": tool.name() }] } }
    })
}

/// Returns a request that names the tool's purpose and a value for everything it must have.
fn input(tool: &ListedTool) -> String {
    let title = tool.raw().get("title").and_then(Value::as_str);
    let purpose = tool.description().map(first_sentence).filter(|text| !text.is_empty());
    let words = || tool.name().replace(['_', '-', '.', '/'], " ");
    let purpose = purpose.or_else(|| title.map(|title| one_line(title, 200))).unwrap_or_else(words);
    let purpose = without_controls(purpose.trim_end_matches('.'));
    let values: Vec<String> = required(tool)
        .into_iter()
        .map(|(name, schema)| format!("{} = {}", without_controls(name), example(name, schema)))
        .collect();
    if values.is_empty() {
        format!("Please do this: {purpose}.")
    } else {
        format!("Please do this: {purpose}. Use {}.", values.join(", "))
    }
}

fn without_controls(text: &str) -> String {
    text.chars().filter(|char| !char.is_control()).collect()
}

/// Returns the first sentence of a description, at most some 200 characters.
fn first_sentence(text: &str) -> String {
    let text = one_line(text, 400);
    let end = text.match_indices(". ").map(|(at, _)| at).find(|at| !text[..*at].ends_with("e.g") && *at > 10);
    one_line(&text[..end.unwrap_or(text.len())], 200)
}

fn required(tool: &ListedTool) -> Vec<(&str, &Value)> {
    let schema = tool.input_schema();
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let names = schema.and_then(|schema| schema.get("required")).and_then(Value::as_array);
    let (Some(properties), Some(names)) = (properties, names) else { return Vec::new() };
    names
        .iter()
        .filter_map(Value::as_str)
        .filter_map(|name| properties.get_key_value(name))
        .map(|(name, schema)| (name.as_str(), schema))
        .take(8)
        .collect()
}

/// Returns a value that a schema allows, as it stands in a request: what the schema itself proposes where it does.
fn example(name: &str, schema: &Value) -> Value {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|values| values.first()).cloned();
    let proposed = schema.get("const").cloned().or_else(|| schema.get("default").cloned());
    if let Some(value) = first("examples").or(proposed).or_else(|| first("enum")).filter(is_short) {
        return value;
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.and_then(Value::as_str),
    };
    let number =
        |fallback: i64| schema.get("minimum").filter(|value| value.is_number()).cloned().unwrap_or(json!(fallback));
    match kind {
        Some("integer" | "number") => number(1),
        Some("boolean") => json!(true),
        Some("array") => match schema.get("items") {
            Some(items @ Value::Object(_)) if items.get("type") != Some(&json!("object")) => {
                json!([example(name, items)])
            }
            _ => json!([]),
        },
        Some("object") => Value::Object(Map::new()),
        _ => json!(text(name, schema)),
    }
}

fn is_short(value: &Value) -> bool {
    !value.is_null() && value.to_string().len() <= 200
}

fn text(name: &str, schema: &Value) -> String {
    let described = schema.get("description").and_then(Value::as_str).and_then(named_example);
    if let Some(example) = described {
        return example;
    }
    let name = name.to_ascii_lowercase();
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let is = |part: &str| name.contains(part);
    let example = match format {
        "date" => "2026-01-15",
        "date-time" => "2026-01-15T09:00:00Z",
        "time" => "09:00:00Z",
        "uri" | "url" => "https://example.com",
        "email" => "someone@example.com",
        _ if is("path") || is("dir") || is("folder") || is("repo") => ".",
        _ if is("url") || is("uri") => "https://example.com",
        _ if is("timezone") => "UTC",
        _ if is("date") => "2026-01-15",
        _ if is("time") => "09:00",
        _ if is("email") => "someone@example.com",
        _ => "example",
    };
    example.to_owned()
}

/// Returns the example that a description gives after "such as", "e.g." or "for example".
fn named_example(description: &str) -> Option<String> {
    let lead = ["such as ", "e.g., ", "e.g. ", "for example, ", "for example "];
    let rest = lead.iter().find_map(|lead| Some(&description[description.find(lead)? + lead.len()..]))?;
    let quote = rest.chars().next().filter(|char| matches!(char, '\'' | '"' | '`'));
    let example = match quote {
        Some(quote) => rest[1..].split(quote).next()?,
        None => rest
            .split(|char: char| char.is_whitespace() || matches!(char, ',' | ';' | ')'))
            .next()?
            .trim_end_matches('.'),
    };
    let fits = !example.is_empty() && example.len() <= 60 && !example.chars().any(char::is_control);
    fits.then(|| example.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(tools: Value) -> ToolSurface {
        let Value::Array(tools) = tools else { panic!("a list") };
        let tools = tools.into_iter().map(|tool| match tool {
            Value::Object(raw) => ListedTool::new(raw).expect("a name"),
            _ => panic!("an object"),
        });
        ToolSurface { tools: tools.collect(), ..ToolSurface::default() }
    }

    fn ids(cases: &[Value]) -> Vec<&str> {
        cases.iter().map(|case| case["id"].as_str().expect("a text")).collect()
    }

    #[test]
    fn read_only_tools_get_cases_and_writes_only_where_they_are_let_through() {
        let read = json!({ "readOnlyHint": true });
        let listed = surface(json!([
            { "name": "Find", "annotations": read }, { "name": "find", "annotations": read }, { "name": "save" },
            { "name": "old", "description": "Deprecated.", "annotations": read },
            { "name": "wipe", "annotations": { "destructiveHint": true } },
        ]));
        assert_eq!(ids(&cases(Some(&listed), false)), ["find", "find-2", "old", "no-tool-needed"]);
        let writes =
            surface(json!([{ "name": "save" }, { "name": "wipe", "annotations": { "destructiveHint": true } }]));
        assert_eq!(ids(&cases(Some(&writes), false)), ["no-tool-needed"]);
        assert_eq!(ids(&cases(Some(&writes), true)), ["save", "no-tool-needed"]);
        assert_eq!(ids(&cases(None, false)), ["no-tool-needed"]);
    }

    #[test]
    fn an_input_names_the_purpose_and_values_that_the_schema_proposes() {
        let schema = json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "The part's id, such as p-1." },
                "zone": { "type": "string", "description": "IANA name (e.g., 'America/New_York', 'UTC')" },
                "unit": { "enum": ["cm", "in"] },
                "count": { "type": "integer", "minimum": 3 },
                "tags": { "type": "array", "items": { "type": "string" } },
                "repo_path": { "type": "string" },
                "extra": { "type": "string" },
            },
            "required": ["id", "zone", "unit", "count", "tags", "repo_path", "absent"],
        });
        let tool = json!([{ "name": "t", "description": "Find a part. It is quick.", "inputSchema": schema }]);
        let made = input(&surface(tool).tools[0]);
        assert_eq!(
            made,
            "Please do this: Find a part. Use id = \"p-1\", zone = \"America/New_York\", unit = \"cm\", count = 3, \
             tags = [\"example\"], repo_path = \".\"."
        );
        let bare = surface(json!([{ "name": "list_all-parts" }]));
        assert_eq!(input(&bare.tools[0]), "Please do this: list all parts.");
    }
}
