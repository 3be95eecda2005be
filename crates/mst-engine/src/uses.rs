//! What each batch's trials use: its servers' and its provider's limits, and the way to the provider.

use mst_config::{Plan, PlannedClient};
use mst_model::canonical_json;

use crate::ledger::{Ledger, Uses};

/// Returns the ledger of a plan, and what the trials of each batch use, by variant and batch.
pub(crate) fn of_plan(plan: &Plan) -> (Ledger, Vec<Vec<Uses>>) {
    let limits = &plan.limits;
    let mut doors: Vec<String> = Vec::new();
    let uses = plan
        .variants
        .iter()
        .map(|variant| {
            let servers: Vec<usize> =
                variant.servers.keys().filter_map(|label| limits.servers.get_index_of(label)).collect();
            let of_batch = |client: &PlannedClient| {
                let provider = client.provider().and_then(|provider| limits.providers.get_index_of(&provider));
                let caps = provider.into_iter().chain(servers.iter().map(|at| limits.providers.len() + at)).collect();
                let way = way(client);
                let door = doors.iter().position(|known| *known == way).unwrap_or_else(|| {
                    doors.push(way);
                    doors.len() - 1
                });
                Uses { caps, door }
            };
            variant.batches.iter().map(|batch| &batch.client).map(of_batch).collect()
        })
        .collect();
    let caps = limits.providers.values().chain(limits.servers.values()).copied();
    (Ledger::new(plan.concurrency, caps, doors.len()), uses)
}

/// Names the way that a client's calls take: one provider, at one address, with one key. What throttles one of them says
/// nothing of the others.
fn way(client: &PlannedClient) -> String {
    let options = ["baseUrl", "apiKeyEnvVar", "env"].map(|name| client.options.get(name));
    canonical_json(&(&client.name, client.provider(), options))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn client(options: Value) -> PlannedClient {
        let options = serde_json::from_value(options).expect("an object");
        PlannedClient { name: "api".to_owned(), model: None, priced_model: Some("claude-x".to_owned()), options }
    }

    #[test]
    fn a_way_is_a_provider_at_an_address_with_a_key() {
        let one = way(&client(json!({ "temperature": 0 })));
        assert_eq!(one, way(&client(json!({ "provider": "anthropic", "maxTokens": 9 }))));
        for other in [
            json!({ "provider": "openai" }),
            json!({ "apiKeyEnvVar": "OTHER" }),
            json!({ "baseUrl": "http://127.0.0.1:1" }),
            json!({ "env": { "ANTHROPIC_API_KEY": "x" } }),
        ] {
            assert_ne!(one, way(&client(other.clone())), "{other}");
        }
    }
}
