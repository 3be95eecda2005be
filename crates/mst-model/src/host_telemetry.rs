//! What a client itself reported over OpenTelemetry during a trial (`hostTelemetry` in the contract).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Spans, log records and metrics of a client, in the order they came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HostTelemetry {
    /// Its spans.
    pub spans: Vec<HostItem>,
    /// Its log records, events among them.
    pub logs: Vec<HostItem>,
    /// Its metrics, each with its points.
    pub metrics: Vec<HostItem>,
    /// How many items came over the limits and were refused.
    pub refused: u64,
}

/// One item in two parts, so that a redacted run can keep the one without the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostItem {
    /// Counts, ids, names, times and statuses.
    pub kept: Map<String, Value>,
    /// What may quote the prompt, the model or a server.
    pub content: Map<String, Value>,
}

impl HostTelemetry {
    /// Returns whether nothing was reported.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Puts it beside what the client returned as its telemetry: under `host`, and what may quote something under
    /// `content.host`, by kind and index, which a redacted run drops with the rest of `content`.
    pub fn beside(self, own: Option<Value>) -> Value {
        let mut all = match own {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(own)) => own,
            Some(other) => Map::from_iter([("client".to_owned(), other)]),
        };
        let (mut host, mut content) = (Map::new(), Map::new());
        for (kind, items) in [("spans", self.spans), ("logs", self.logs), ("metrics", self.metrics)] {
            let mut quoted = Map::new();
            let mut kept = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                kept.push(Value::Object(item.kept));
                if !item.content.is_empty() {
                    quoted.insert(index.to_string(), Value::Object(item.content));
                }
            }
            if !kept.is_empty() {
                host.insert(kind.to_owned(), Value::Array(kept));
            }
            if !quoted.is_empty() {
                content.insert(kind.to_owned(), Value::Object(quoted));
            }
        }
        if self.refused > 0 {
            host.insert("refused".to_owned(), json!(self.refused));
        }
        all.insert("host".to_owned(), Value::Object(host));
        if !content.is_empty() {
            // What the client put there as something else than an object stays, under a name of its own.
            let slot = all.entry("content").or_insert_with(|| json!({}));
            if !slot.is_object() {
                *slot = json!({ "client": slot.take() });
            }
            slot["host"] = Value::Object(content);
        }
        Value::Object(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kept: &Value, content: &Value) -> HostItem {
        let map = |value: &Value| value.as_object().cloned().unwrap_or_default();
        HostItem { kept: map(kept), content: map(content) }
    }

    #[test]
    fn what_a_host_reported_lies_beside_the_client_s_own_telemetry() {
        let reported = HostTelemetry {
            spans: vec![
                item(&json!({ "name": "a" }), &json!({})),
                item(&json!({ "name": "b" }), &json!({ "x": "quote" })),
            ],
            refused: 3,
            ..HostTelemetry::default()
        };
        let host = json!({ "spans": [{ "name": "a" }, { "name": "b" }], "refused": 3 });
        let quoted = json!({ "spans": { "1": { "x": "quote" } } });
        for (own, want) in [
            (None, json!({ "host": host, "content": { "host": quoted } })),
            (
                Some(json!({ "requests": 2, "content": { "said": "x" } })),
                json!({ "requests": 2, "content": { "said": "x", "host": quoted }, "host": host }),
            ),
            (
                Some(json!({ "content": "text" })),
                json!({ "content": { "client": "text", "host": quoted }, "host": host }),
            ),
            (Some(json!("word")), json!({ "client": "word", "host": host, "content": { "host": quoted } })),
        ] {
            assert_eq!(reported.clone().beside(own.clone()), want, "{own:?}");
        }
    }
}
