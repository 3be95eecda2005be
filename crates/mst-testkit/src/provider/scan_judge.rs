//! A sensible judge of tool surfaces: answers what `gradable` asks in each stage, for any surface, the same way each time.
//!
//! It reads the material between the prompt's marks. Requests that it writes hold their tool's name taken to pieces
//! (`get_part` becomes `get part`), by which it finds the tool again.

use serde_json::{Map, Value, json};

use super::sample;
use super::view::View;

/// Words in a name after which it would ask the user first.
const GRAVE: [&str; 6] = ["delete", "remove", "drop", "kill", "purge", "overwrite"];

/// Answers a question of a scan; `None` for any other request.
pub(crate) fn answer(view: &View) -> Option<Value> {
    let material = view.user_texts().find(|text| text.contains("<<<tools ") || text.contains("<<<others "))?;
    let asks = |words: &str| view.system.contains(words) || view.user_texts().any(|text| text.contains(words));
    let tools: Vec<Value> = between(material, "tools").and_then(|value| value.as_array().cloned()).unwrap_or_default();
    if asks("{\"tasks\":") {
        Some(json!({ "tasks": tasks(material, &tools) }))
    } else if asks("\"suggestedDescription\"") {
        Some(json!({ "tools": tools.iter().map(review).collect::<Vec<_>>() }))
    } else if asks("{\"pairs\":") {
        Some(json!({ "pairs": pairs(&tools) }))
    } else {
        let request = between(material, "request")?;
        Some(choice(&tools, request.as_str().unwrap_or_default()))
    }
}

/// Reads what stands between two marks.
fn between(text: &str, name: &str) -> Option<Value> {
    let open = format!("<<<{name} ");
    let start = text.find(&open)? + open.len();
    let (mark, rest) = text[start..].split_once(">>>")?;
    let (json, _) = rest.split_once(&format!("<<<end of {name} {mark}>>>"))?;
    serde_json::from_str(json).ok()
}

fn tasks(material: &str, tools: &[Value]) -> Vec<Value> {
    // A program's prompt holds the instructions too, and they speak of the same things.
    let wanted = material.rsplit_once("Wanted: ").map_or("", |(_, wanted)| wanted);
    let numbers = |before: &str| {
        let before = &wanted[..wanted.find(before)?];
        before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
    };
    let each = numbers(" for each tool").unwrap_or(1);
    let none = numbers(" that no tool can serve").or_else(|| numbers(" requests that no tool")).unwrap_or(0);
    let mut tasks = Vec::new();
    for tool in tools {
        for number in 1..=each {
            let arguments = sample::arguments(&tool["inputSchema"], "");
            let prompt = format!("Please {} for me, case {number}, with {arguments}", pieces(name(tool)));
            tasks.push(json!({ "prompt": prompt, "tool": name(tool) }));
        }
    }
    tasks.extend((1..=none).map(|number| json!({ "prompt": format!("Hum tune {number} backwards"), "tool": null })));
    tasks
}

fn review(tool: &Value) -> Value {
    let description = tool["description"].as_str().unwrap_or_default();
    let mut defects = Vec::new();
    if description.len() < 20 {
        defects.push(json!({ "type": "name_restates_behavior", "reason": "It says no more than the name." }));
    }
    if !description.to_lowercase().contains("return") && tool.get("outputSchema").is_none() {
        defects.push(json!({ "type": "no_return_description", "reason": "It does not say what comes back." }));
    }
    if defects.is_empty() {
        return json!({ "tool": name(tool), "defects": [] });
    }
    let suggested = format!("{description} Use it to {}. Returns the outcome as text.", pieces(name(tool)));
    json!({ "tool": name(tool), "defects": defects, "suggestedDescription": suggested.trim() })
}

/// Pairs neighbours in the alphabet that begin alike, five at the most.
fn pairs(tools: &[Value]) -> Vec<Value> {
    let mut names: Vec<&str> = tools.iter().map(name).collect();
    names.sort_unstable();
    let alike = |two: &&[&str]| two[0].chars().take(4).eq(two[1].chars().take(4)) && two[0] != two[1];
    let pair = |two: &[&str]| json!({ "a": two[0], "b": two[1], "severity": "low", "reason": "They begin alike." });
    names.windows(2).filter(alike).take(5).map(pair).collect()
}

fn choice(tools: &[Value], request: &str) -> Value {
    let words = format!(" {request} ").to_lowercase();
    let named = tools.iter().filter(|tool| words.contains(&format!(" {} ", pieces(name(tool)))));
    let Some(tool) = named.max_by_key(|tool| name(tool).len()) else { return json!({ "tool": null }) };
    let given =
        request.split_once(", with ").and_then(|(_, rest)| serde_json::from_str::<Map<String, Value>>(rest).ok());
    let arguments = given.map_or_else(|| sample::arguments(&tool["inputSchema"], ""), Value::Object);
    let is_grave = GRAVE.iter().any(|word| name(tool).to_lowercase().contains(word));
    json!({ "tool": name(tool), "arguments": arguments, "confirmFirst": is_grave })
}

fn name(tool: &Value) -> &str {
    tool["name"].as_str().unwrap_or_default()
}

/// Takes a name to pieces, so that the name itself does not stand in the text.
fn pieces(name: &str) -> String {
    let mut pieces = String::new();
    let mut last = ' ';
    for c in name.chars() {
        let is_seam = (c.is_uppercase() && last.is_lowercase()) || (c.is_ascii_digit() != last.is_ascii_digit());
        if !c.is_alphanumeric() || is_seam {
            pieces.push(' ');
        }
        if c.is_alphanumeric() {
            pieces.extend(c.to_lowercase());
        }
        last = c;
    }
    let pieces = pieces.split_whitespace().collect::<Vec<_>>().join(" ");
    if pieces == name.to_lowercase() && name.chars().any(|c| !c.is_lowercase()) {
        let letters: Vec<String> = name.chars().map(|c| c.to_lowercase().to_string()).collect();
        return letters.join(" ");
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_to_pieces() {
        for (name, want) in [
            ("get_part", "get part"),
            ("getPart2", "get part 2"),
            ("docs.search", "docs search"),
            ("search", "search"),
            ("API", "a p i"),
        ] {
            assert_eq!(pieces(name), want);
        }
    }
}
