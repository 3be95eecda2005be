//! SARIF 2.1.0 (OASIS) of a run: each failed case as a finding at its place in its dataset.

use indexmap::IndexMap;
use mst_model::sha256_hex;
use serde_json::{Value, json};

use super::case_end::{CaseEnd, NO_LONGER_FAILS, Standing};
use super::run_ends::RunEnds;
use crate::sarif::{SCHEMA, file_uri};
use crate::text::Shown;

/// The rule of a known failure that passes.
const NO_LONGER: &str = "known-failure-passes";

/// Returns a run's failed cases as a SARIF 2.1.0 log, each under the grader that found it.
///
/// A known failure is suppressed with its reason. A case without a verdict is no finding: it stands among the run's
/// notifications, and the log then says that execution was not successful. A case whose place is unknown stands there too,
/// since readers refuse a finding without a file.
pub fn cases_sarif(run: &RunEnds) -> Value {
    let mut rules: IndexMap<&str, usize> = IndexMap::new();
    let mut files: IndexMap<&str, usize> = IndexMap::new();
    let (mut results, mut notices) = (Vec::new(), Vec::new());
    let mut is_whole = true;
    for case in &run.cases {
        let (rule, message, known) = match case.standing() {
            Standing::Passed => continue,
            Standing::NoVerdict { why, .. } => {
                is_whole = false;
                notices.push(notice(case, why));
                continue;
            }
            Standing::NoLongerFails => (NO_LONGER, NO_LONGER_FAILS, None),
            Standing::Failed { by, why } => (by, why, None),
            Standing::KnownFailure { by, reason, why } => (by, why, Some(reason)),
        };
        let Some(place) = &case.place else {
            notices.push(notice(case, message));
            continue;
        };
        let next = rules.len();
        let rule_index = *rules.entry(rule).or_insert(next);
        let next = files.len();
        let file_index = *files.entry(place.file.as_str()).or_insert(next);
        let identity = format!("{:?} {:?} {:?} {rule:?}", run.record.config_id, case.variant, case.id);
        let mut result = json!({
            "ruleId": Shown::line(rule).as_str(),
            "ruleIndex": rule_index,
            "level": "error",
            "message": { "text": format!("Case {} in variant {}: {}", Shown::line(case.id.as_str()),
                Shown::line(case.variant.as_str()), Shown::block(message)) },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": file_uri(&place.file), "index": file_index },
                    "region": { "startLine": place.line },
                },
                "logicalLocations": [{
                    "name": Shown::line(case.id.as_str()).as_str(),
                    "fullyQualifiedName": format!("{}/{}", Shown::line(case.variant.as_str()), Shown::line(case.id.as_str())),
                    "kind": "member",
                }],
            }],
            "partialFingerprints": { "case/v1": &sha256_hex(identity.as_bytes())[..32] },
        });
        if let Some(reason) = known {
            result["suppressions"] = json!([{ "kind": "external", "justification": Shown::block(reason).as_str() }]);
        }
        results.push(result);
    }
    log(run, (&rules, &files), &results, notices, is_whole)
}

fn notice(case: &CaseEnd, why: &str) -> Value {
    let (variant, id) = (Shown::line(case.variant.as_str()), Shown::line(case.id.as_str()));
    json!({
        "level": "warning",
        "message": { "text": format!("Case {id} in variant {variant}: {}", Shown::block(why)) },
    })
}

fn log(
    run: &RunEnds,
    (rules, files): (&IndexMap<&str, usize>, &IndexMap<&str, usize>),
    results: &[Value],
    notices: Vec<Value>,
    is_whole: bool,
) -> Value {
    let rules: Vec<Value> = rules.keys().map(|name| rule(name)).collect();
    let artifacts: Vec<Value> = files.keys().map(|file| json!({ "location": { "uri": file_uri(file) } })).collect();
    let mut invocation = json!({ "executionSuccessful": is_whole });
    if !notices.is_empty() {
        invocation["toolExecutionNotifications"] = Value::Array(notices);
    }
    let mut properties = json!({
        "eval": Shown::line(&run.record.eval_name).as_str(),
        "run": run.record.run_id,
        "contentHash": run.record.content_hash,
    });
    if run.has_offline() {
        properties["offline"] = json!(true);
    }
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "mst", "version": run.record.mst.version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "artifacts": artifacts,
            "results": results,
            "properties": properties,
        }],
    })
}

fn rule(name: &str) -> Value {
    let shown = Shown::line(name);
    let text = match name {
        NO_LONGER => "A case on the list of known failures passed.".to_owned(),
        "client" => "The client ended a trial with an error of its own.".to_owned(),
        _ => format!("A trial did not pass the grader {shown}."),
    };
    json!({
        "id": shown.as_str(),
        "shortDescription": { "text": text },
        "defaultConfiguration": { "level": "error" },
    })
}
