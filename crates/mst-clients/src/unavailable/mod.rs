//! Clients that configs may name and this version cannot run: what they are, what they need and what they take.

mod command_line;
mod desktop;
mod option;

use mst_model::{CatalogEntry, ExtensionKind, Requirements};

use option::{ClientOption, options_schema};

/// What is known of a client without its code.
struct KnownClient {
    name: &'static str,
    description: &'static str,
    /// Whether it presents a variant's tool metadata.
    tool_metadata: bool,
    requirements: Requirements,
    options: Vec<ClientOption>,
}

/// Returns the catalog entries of the clients that this version cannot run, each with what its refusal says.
pub fn unavailable_clients() -> Vec<CatalogEntry> {
    [
        command_line::claude_code(),
        command_line::codex_cli(),
        desktop::chatgpt(),
        desktop::codex_app(),
        desktop::cowork(),
    ]
    .into_iter()
    .map(|client| CatalogEntry {
        kind: ExtensionKind::Client,
        name: client.name.to_owned(),
        description: client.description.to_owned(),
        options: options_schema(&client.options),
        tool_metadata: client.tool_metadata,
        max_concurrency: None,
        requirements: client.requirements,
        requires: Vec::new(),
        version: None,
        swap_positions: None,
        unavailable: Some(format!(
            "client {:?} is not available in this version of mst; use \"client\": \"api\"",
            client.name
        )),
    })
    .collect()
}

fn lines<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_names_the_client_and_the_one_that_works() {
        for entry in unavailable_clients() {
            let text = entry.unavailable.expect("the client is unavailable");
            assert!(text.contains(&entry.name) && text.contains("\"client\": \"api\""), "{text}");
        }
    }

    #[test]
    fn every_options_schema_is_one_and_takes_its_own_defaults() {
        for entry in unavailable_clients() {
            let validator = jsonschema::validator_for(&entry.options).expect("a schema");
            let properties = entry.options["properties"].as_object().expect("properties");
            let mut options: serde_json::Map<_, _> = properties
                .iter()
                .filter_map(|(name, option)| Some((name.clone(), option.get("default")?.clone())))
                .collect();
            for name in entry.options["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str()) {
                options.insert(name.to_owned(), "m".into());
            }
            let options = serde_json::Value::Object(options);
            assert!(validator.is_valid(&options), "{}: {options}", entry.name);
        }
    }
}
