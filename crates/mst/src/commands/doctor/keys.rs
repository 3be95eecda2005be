//! Which keys are set, by name alone.

use std::collections::BTreeMap;

use mst_cli::{VARIABLES, shown_url};
use serde_json::{Value, json};

/// Providers with the variables that hold their key, any one of which will do.
const KEYS: [(&str, &[&str]); 10] = [
    ("anthropic", &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]),
    ("openai", &["OPENAI_API_KEY"]),
    ("google", &["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    ("vertex-anthropic", &["GOOGLE_APPLICATION_CREDENTIALS"]),
    ("azure", &["AZURE_API_KEY"]),
    ("mistral", &["MISTRAL_API_KEY"]),
    ("deepseek", &["DEEPSEEK_API_KEY"]),
    ("xai", &["XAI_API_KEY"]),
    ("openrouter", &["OPENROUTER_API_KEY"]),
    ("any gateway", &["MST_LLM_AUTH_COMMAND"]),
];

/// Returns which variables are set for which provider. No value, and no part of one, is looked at beyond its being there.
pub(crate) fn keys(variables: &BTreeMap<String, String>) -> Value {
    let is_set = |name: &str| variables.get(name).is_some_and(|value| !value.is_empty());
    KEYS.iter()
        .map(|(provider, names)| {
            let set: Vec<&str> = names.iter().copied().filter(|name| is_set(name)).collect();
            json!({ "provider": provider, "variables": names, "set": set })
        })
        .collect()
}

/// Returns the base URLs that are set, without user, query and fragment.
pub(crate) fn base_urls(variables: &BTreeMap<String, String>) -> Value {
    let names = VARIABLES.iter().map(|variable| variable.name).chain(["GEMINI_BASE_URL", "MISTRAL_BASE_URL"]);
    let others = ["DEEPSEEK_BASE_URL", "XAI_BASE_URL", "OPENROUTER_BASE_URL"];
    let mut urls: Vec<Value> = Vec::new();
    for name in names.chain(others).filter(|name| name.ends_with("_BASE_URL")) {
        if let Some(url) = variables.get(name).filter(|url| !url.is_empty()) {
            let entry = json!({ "name": name, "url": shown_url(url) });
            if !urls.contains(&entry) {
                urls.push(entry);
            }
        }
    }
    Value::Array(urls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_bare_urls_are_told() {
        let variables: BTreeMap<String, String> = [
            ("OPENAI_API_KEY", "sk-hidden-1"),
            ("GEMINI_API_KEY", "hidden-2"),
            ("MISTRAL_API_KEY", ""),
            ("OPENAI_BASE_URL", "https://user:hidden-3@gateway.example/v1?key=hidden-4"),
            ("ANTHROPIC_BASE_URL", "hidden-5"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let (keys, urls) = (keys(&variables), base_urls(&variables));
        assert!(!format!("{keys}{urls}").contains("hidden"), "{keys}{urls}");
        assert_eq!(keys[1]["set"], json!(["OPENAI_API_KEY"]));
        assert_eq!(keys[2]["set"], json!(["GEMINI_API_KEY"]));
        assert_eq!(keys[5]["set"], json!([]));
        assert_eq!(urls[1], json!({ "name": "OPENAI_BASE_URL", "url": "https://gateway.example/v1" }));
    }
}
