//! Older spellings of `mst.run/v1`, read as today's. Only the view changes: a rewrite keeps what the file says.

use mst_model::{Ending, FailureKind};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// Returns a document in today's spelling, or `None` when it already is.
pub(crate) fn upgrade(kind: &str, raw: &Value) -> Option<Value> {
    let fields = raw.as_object()?;
    match kind {
        "trial" => upgrade_trial(fields),
        "run" => upgrade_run(fields),
        _ => None,
    }
}

/// An older trial has `trace` for `transcript` and no `ending`, which then follows from what it does say.
fn upgrade_trial(fields: &Map<String, Value>) -> Option<Value> {
    let old_trace = !fields.contains_key("transcript") && fields.contains_key("trace");
    let no_ending = !fields.contains_key("ending");
    if !old_trace && !no_ending {
        return None;
    }
    let mut fields = fields.clone();
    if old_trace && let Some(trace) = fields.shift_remove("trace") {
        fields.insert("transcript".to_owned(), trace);
    }
    if no_ending {
        let ending = derived_ending(&fields);
        fields.entry("infrastructureError").or_insert(Value::Bool(ending.is_infrastructure()));
        fields.insert("ending".to_owned(), json!(ending));
    }
    Some(Value::Object(fields))
}

fn derived_ending(fields: &Map<String, Value>) -> Ending {
    let failed = fields.get("infrastructureError").and_then(Value::as_bool).unwrap_or(false);
    if !failed {
        return Ending::Trial;
    }
    let reason = fields.get("error").and_then(Value::as_str).unwrap_or("the run does not say what failed");
    let kind = fields.get("clientDiagnostics").and_then(|notes| notes.get("failureKind"));
    match kind.and_then(|kind| FailureKind::deserialize(kind).ok()) {
        Some(kind) => kind.ending(reason),
        None => Ending::retryable(mst_model::Broke::Collection, reason),
    }
}

/// An older run has `environment` for `runner`.
fn upgrade_run(fields: &Map<String, Value>) -> Option<Value> {
    if fields.contains_key("runner") {
        return None;
    }
    let mut fields = fields.clone();
    let older = fields.get("environment");
    let name = older.and_then(|older| older.get("name")).and_then(Value::as_str).unwrap_or("local").to_owned();
    let shards = older.and_then(|older| older.get("shards")).and_then(Value::as_u64).unwrap_or(1);
    fields.insert("runner".to_owned(), json!({ "name": name, "shards": shards }));
    Some(Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_trial_gets_the_ending_that_its_fields_say() {
        for (fields, want) in [
            (json!({ "infrastructureError": false }), json!({ "kind": "trial" })),
            (json!({}), json!({ "kind": "trial" })),
            (
                json!({ "infrastructureError": true, "error": "gone", "clientDiagnostics": { "failureKind": "timeout" } }),
                json!({ "kind": "infrastructure", "broke": "deadline", "retryable": true, "reason": "gone" }),
            ),
            (
                json!({ "infrastructureError": true, "error": "gone" }),
                json!({ "kind": "infrastructure", "broke": "collection", "retryable": true, "reason": "gone" }),
            ),
        ] {
            let upgraded = upgrade("trial", &fields).expect("it is older");
            assert_eq!(upgraded["ending"], want, "{fields}");
        }
        assert_eq!(upgrade("trial", &json!({ "ending": { "kind": "trial" } })), None);
        let older = json!({ "ending": { "kind": "trial" }, "trace": { "events": [] } });
        assert_eq!(upgrade("trial", &older).expect("it is older")["transcript"], json!({ "events": [] }));
    }
}
