//! Records of a small run, as they are stored.

use indexmap::IndexMap;
use mst_model::{RunRecord, TrialRecord};
use mst_otlp::GradedTrial;
use serde_json::{Value, json};

pub(crate) const RUN: &str = "20261007T182504Z-7f3c2a";

/// Reads a stored type from JSON.
pub(crate) fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("it has the stored form")
}

/// Returns a run on a stdio and an http server. `more` goes over its keys.
pub(crate) fn run(more: &Value) -> RunRecord {
    let mut record = json!({
        "format": "mst.run/v1", "kind": "run", "runId": RUN, "evalName": "parts", "configId": "parts",
        "contentHash": "b796", "createdAt": "2026-10-07T18:25:04.000Z", "finishedAt": "2026-10-07T18:25:09.000Z",
        "mst": { "version": "0.1.0" }, "baseline": "default", "partial": false, "redactStoredResponses": false,
        "variants": [{ "name": "default", "client": "api", "model": "claude-x",
            "servers": [
                { "label": "parts", "transport": "stdio", "command": "parts-server" },
                { "label": "web", "transport": "http", "url": "https://example.invalid/mcp" },
            ] }],
        "datasets": [{ "name": "parts", "caseCount": 1, "contentHash": "d887" }],
        "runner": { "name": "local", "shards": 1 }, "phases": { "collect": "complete", "grade": "complete" },
    });
    for (key, value) in more.as_object().expect("keys") {
        record[key] = value.clone();
    }
    read(record)
}

/// Returns a time of the run, in milliseconds after it began.
fn time(millis: u32) -> String {
    format!("2026-10-07T18:25:{:02}.{:03}Z", 4 + millis / 1000, millis % 1000)
}

/// Returns a trial with two model calls; the first asked for both tool calls.
pub(crate) fn trial(case: &str, number: u32) -> TrialRecord {
    let at = |millis: u32| time(millis + 1000 * number);
    read(json!({
        "format": "mst.run/v1", "kind": "trial", "runId": RUN, "variant": "default", "caseId": case,
        "datasetName": "parts", "trial": number, "durationMs": 900.0, "infrastructureError": false,
        "ending": { "kind": "trial" },
        "transcript": {
            "startedAt": at(1000), "completedAt": at(1900), "finalText": "It is in bin 7.",
            "evidence": "structured",
            "modelCalls": [
                { "id": "msg-1", "model": "claude-x-0601", "finishReason": "tool_use", "toolCallIds": ["t-1", "t-2"],
                  "text": "Let me look.", "startedAt": at(1010), "completedAt": at(1200),
                  "usage": { "inputTokens": 10, "cacheReadInputTokens": 90, "cacheCreationInputTokens": 5, "outputTokens": 7 } },
                { "id": "msg-2", "model": "claude-x-0601", "finishReason": "end_turn", "text": "It is in bin 7.",
                  "startedAt": at(1400), "completedAt": at(1890), "usage": { "inputTokens": 130, "outputTokens": 12 } },
            ],
            "events": [
                { "kind": "tool_call", "source": "mcp", "name": "lookup", "server": "parts", "id": "t-1",
                  "arguments": { "id": "p-1" }, "output": "bin 7", "startedAt": at(1210), "completedAt": at(1250) },
                { "kind": "tool_call", "source": "mcp", "name": "fetch", "rawName": "get", "server": "web", "id": "t-2",
                  "isError": true, "output": "gone", "startedAt": at(1260), "durationMs": 40 },
                { "kind": "skill", "source": "builtin", "name": "stock", "startedAt": at(1300), "completedAt": at(1310) },
                { "kind": "tool_call", "source": "builtin", "name": "shell" },
            ],
        },
        "clientUsage": { "inputTokens": 140, "outputTokens": 19, "totalCostUsd": 0.002 },
        "clientDiagnostics": { "servers": [{ "label": "parts", "protocolVersion": "2025-06-18" }] },
    }))
}

/// Returns a trial that its graders passed or failed.
pub(crate) fn graded(trial: TrialRecord, pass: Option<bool>) -> GradedTrial {
    let mut scores = IndexMap::new();
    if let Some(pass) = pass {
        scores.insert("textContains".into(), read(json!({ "pass": pass, "details": "the answer says bin 7" })));
        scores.insert(
            "judge.rubric".into(),
            read(
                json!({ "pass": pass, "score": 0.75, "reasoning": "it quotes the bin", "judgeModel": "claude-judge" }),
            ),
        );
    }
    GradedTrial { trial, scores, pass }
}
