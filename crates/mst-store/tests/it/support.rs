//! Records for tests.

use mst_model::{
    CaseResult, Ending, RUN_FORMAT, RunId, RunRecord, ScoreRecord, Scrubbed, Scrubber, Timestamp, TrialRecord,
    VariantRecord,
};
use mst_store::EvalLayout;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A folder of a test, gone when dropped.
pub(crate) struct Place {
    _dir: tempfile::TempDir,
    pub(crate) eval: EvalLayout,
}

pub(crate) fn place() -> Place {
    let dir = tempfile::tempdir().expect("a folder");
    let eval = EvalLayout::new(dir.path().join("out"));
    Place { _dir: dir, eval }
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_791_397_504_000 + seconds * 1000).expect("in range")
}

pub(crate) fn run_id(seconds: i64) -> RunId {
    RunId::new(at(seconds), [0x7f, 0x3c, seconds as u8])
}

pub(crate) fn run_record(seconds: i64, redact: bool) -> RunRecord {
    made(json!({
        "format": RUN_FORMAT,
        "kind": "run",
        "runId": run_id(seconds),
        "evalName": "parts-eval",
        "configId": "parts-eval",
        "contentHash": "0".repeat(64),
        "createdAt": at(seconds),
        "mst": { "version": "0.1.0" },
        "baseline": "default",
        "variants": [],
        "datasets": [{ "name": "parts", "caseCount": 2, "contentHash": "1".repeat(64) }],
        "partial": false,
        "redactStoredResponses": redact,
        "runner": { "name": "local", "shards": 1 },
        "phases": { "collect": "partial", "grade": "partial" },
    }))
}

pub(crate) fn variant(name: &str) -> VariantRecord {
    made(json!({ "name": name, "client": "api", "model": "lexical-1" }))
}

pub(crate) fn trial(run: &RunRecord, case: &str, trial: u32, ending: &Ending) -> TrialRecord {
    made(json!({
        "format": RUN_FORMAT,
        "kind": "trial",
        "runId": run.run_id,
        "variant": "default",
        "caseId": case,
        "datasetName": "parts",
        "trial": trial,
        "durationMs": 12.5,
        "infrastructureError": ending.is_infrastructure(),
        "ending": ending,
        "transcript": transcript(),
        "clientTelemetry": { "requests": 2, "content": "secret-answer" },
    }))
}

fn transcript() -> Value {
    json!({
        "events": [{
            "kind": "tool_call",
            "source": "mcp",
            "name": "lookup",
            "server": "parts",
            "arguments": { "id": "p-1" },
            "output": "secret-answer \u{1b}[31m\u{0}",
            "isError": false,
            "id": "call-1",
        }],
        "finalText": "secret-answer",
        "messages": [{ "role": "user", "text": "secret-answer" }],
        "modelCalls": [{ "id": "m-1", "model": "m", "text": "secret-answer" }],
    })
}

pub(crate) fn score(run: &RunRecord, grader: &str, case: &str, trial: u32) -> ScoreRecord {
    made(json!({
        "format": RUN_FORMAT,
        "kind": "score",
        "runId": run.run_id,
        "grader": grader,
        "variant": "default",
        "caseId": case,
        "trial": trial,
        "score": grader_score(),
    }))
}

fn grader_score() -> Value {
    json!({
        "pass": true,
        "metadata": "secret-answer",
        "jury": [{ "pass": true, "metadata": "secret-answer" }],
    })
}

pub(crate) fn case_result(case: &str) -> CaseResult {
    made(json!({
        "id": case,
        "datasetName": "parts",
        "variant": "default",
        "source": "client",
        "pass": true,
        "request": {},
        "response": "secret-answer",
        "scores": { "regex": grader_score() },
        "durationMs": 12.5,
        "passRate": 1.0,
        "transcript": transcript(),
        "ending": { "kind": "trial" },
    }))
}

/// Makes a record from its JSON, so that a new optional field of the type changes no test.
fn made<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a record of this type")
}

pub(crate) fn scrubbed(trial: TrialRecord) -> Scrubbed<TrialRecord> {
    Scrubber::default().scrub(trial)
}

/// Every file under a folder with its bytes, by path relative to it.
pub(crate) fn files(root: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
                found.push((name, fs_err::read(&path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn names(root: &std::path::Path) -> Vec<String> {
    files(root).into_iter().map(|(name, _)| name).collect()
}
