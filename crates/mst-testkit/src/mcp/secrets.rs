//! A server that prints its environment or the headers of a call, the token in it in several spellings.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::action::Action;

/// The variable, and the header, whose value is spelt in other ways too.
const TOKENS: [&str; 2] = ["DOCS_API_TOKEN", "x-api-key"];

/// Answers a call with the environment, or with the headers that it came with.
pub(super) fn print(id: &Value, headers: Option<&IndexMap<String, String>>) -> Vec<Action> {
    let variables = headers
        .map_or_else(environment, |headers| headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect());
    let token = TOKENS.iter().find_map(|name| variables.get(*name)?.as_str()).unwrap_or_default().to_owned();
    let lines: Vec<String> =
        variables.iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default())).collect();
    let escaped = Value::Object(variables).to_string().replace('/', "\\/");
    let basic = format!("Basic {}", STANDARD.encode(format!("bot:{token}")));
    let texts = [lines.join("\n"), escaped, percent_encoded(&token), basic];
    let blocks: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
    let mut structured = Map::new();
    structured.insert(token.clone(), json!("as a key"));
    structured.insert("list".to_owned(), json!([token]));
    let result = json!({"content": blocks, "structuredContent": structured});
    vec![Action::Stderr(format!("token is {token}")), Action::reply(id, result)]
}

#[expect(clippy::disallowed_methods, reason = "printing its environment is what this fake is for")]
fn environment() -> Map<String, Value> {
    let mut variables: Vec<(String, String)> = std::env::vars().collect();
    variables.sort();
    variables.into_iter().map(|(name, value)| (name, json!(value))).collect()
}

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a string can be written");
        }
        encoded
    })
}
