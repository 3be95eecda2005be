//! The files of a run: where they are, and what their keys are.

use std::collections::BTreeSet;

use mst_testkit::{Mode, Reply, Script};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};
use crate::outputs::settled;

/// Two variants, two cases, two trials; one case fails.
fn eval() -> Eval {
    let eval = Eval::new(Script::strict().on("Case one:", done()).always("Case two/b:", Reply::text("I do not know.")));
    let more = json!({ "trials": 2, "variants": [{ "name": "base" }, { "name": "warm", "clientOptions": { "temperature": 0.5 } }],
        "pricing": { "claude-x": { "input": 3, "output": 15 } } });
    let cases = json!([
        case("one", lookup()),
        case("two/b", json!({ "containsText": "bin 7", "toolCallCount": { "min": 1 } }))
    ]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &more);
    eval
}

/// Returns the path of every value, list places as `[]`, with its kind.
fn keys(value: &Value) -> String {
    let mut found = BTreeSet::new();
    walk(value, "", &mut found);
    found.into_iter().collect::<Vec<_>>().join("\n")
}

fn walk(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                walk(value, &format!("{path}.{key}"), found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                walk(item, &format!("{path}[]"), found);
            }
        }
        leaf => {
            let kind = match leaf {
                Value::Null => "null",
                Value::Bool(_) => "bool",
                Value::Number(_) => "number",
                Value::String(_) => "text",
                Value::Array(_) => "empty list",
                Value::Object(_) => "empty object",
            };
            found.insert(format!("{path}: {kind}"));
        }
    }
}

#[test]
fn the_layout_and_the_keys_of_every_file() {
    let eval = eval();
    let dir = eval.run(1);
    insta::assert_snapshot!(dir.paths().join("\n"), @r#"
    journal.jsonl
    report/cases/0.js
    report/cases/index.js
    report/index.html
    results.json
    run.json
    scores/textContains/base/two%2Fb/0.json
    scores/textContains/base/two%2Fb/1.json
    scores/textContains/warm/two%2Fb/0.json
    scores/textContains/warm/two%2Fb/1.json
    scores/toolCallCount/base/two%2Fb/0.json
    scores/toolCallCount/base/two%2Fb/1.json
    scores/toolCallCount/warm/two%2Fb/0.json
    scores/toolCallCount/warm/two%2Fb/1.json
    scores/toolsTriggered/base/one/0.json
    scores/toolsTriggered/base/one/1.json
    scores/toolsTriggered/warm/one/0.json
    scores/toolsTriggered/warm/one/1.json
    summary.json
    transcripts/base/one/0.json
    transcripts/base/one/1.json
    transcripts/base/two%2Fb/0.json
    transcripts/base/two%2Fb/1.json
    transcripts/warm/one/0.json
    transcripts/warm/one/1.json
    transcripts/warm/two%2Fb/0.json
    transcripts/warm/two%2Fb/1.json
    "#);
    insta::assert_snapshot!(settled(&eval, &format!("{:#}", dir.run())), @r#"
    {
      "format": "mst.run/v1",
      "kind": "run",
      "runId": "[RUN]",
      "evalName": "parts-eval",
      "configId": "parts-eval",
      "contentHash": "[HASH]",
      "createdAt": "[TIME]",
      "mst": {
        "version": "[VERSION]"
      },
      "baseline": "base",
      "variants": [
        {
          "name": "base",
          "servers": [
            {
              "label": "parts",
              "transport": "stdio",
              "command": "[FAKE]"
            }
          ],
          "client": "api",
          "model": "claude-x",
          "writeModes": {
            "parts": "read-only"
          },
          "readiness": [
            {
              "tools": [
                "echo",
                "lookup"
              ],
              "observation": {
                "label": "parts",
                "protocolVersion": "2025-11-25",
                "serverInfo": {
                  "name": "fake",
                  "version": "1"
                }
              }
            }
          ]
        },
        {
          "name": "warm",
          "servers": [
            {
              "label": "parts",
              "transport": "stdio",
              "command": "[FAKE]"
            }
          ],
          "client": "api",
          "model": "claude-x",
          "clientOptions": {
            "temperature": 0.5
          },
          "writeModes": {
            "parts": "read-only"
          },
          "readiness": [
            {
              "tools": [
                "echo",
                "lookup"
              ],
              "observation": {
                "label": "parts",
                "protocolVersion": "2025-11-25",
                "serverInfo": {
                  "name": "fake",
                  "version": "1"
                }
              }
            }
          ]
        }
      ],
      "datasets": [
        {
          "name": "parts",
          "caseCount": 2,
          "contentHash": "[HASH]",
          "type": "file"
        }
      ],
      "partial": false,
      "redactStoredResponses": false,
      "optionKey": "[KEY]",
      "runner": {
        "name": "local",
        "shards": 1
      },
      "phases": {
        "collect": "complete",
        "grade": "complete"
      },
      "finishedAt": "[TIME]"
    }
    "#);
    insta::assert_snapshot!(settled(&eval, &format!("{:#}", dir.summary())), @r#"
    {
      "format": "mst.run/v1",
      "kind": "summary",
      "runId": "[RUN]",
      "configId": "parts-eval",
      "contentHash": "[HASH]",
      "timestamp": "[TIME]",
      "durationMs": [MS],
      "configName": "parts-eval",
      "variants": [
        {
          "name": "base",
          "servers": [
            {
              "label": "parts",
              "transport": "stdio",
              "command": "[FAKE]"
            }
          ],
          "result": {
            "total": 2,
            "passed": 1,
            "failed": 1,
            "durationMs": [MS],
            "totalClientUsage": {
              "inputTokens": 600,
              "outputTokens": 120,
              "cacheReadInputTokens": 0,
              "cacheCreationInputTokens": 0,
              "estimatedCostUsd": 0.0035999999999999995,
              "durationMs": [MS],
              "durationApiMs": [MS]
            }
          },
          "metrics": {
            "passed_rate": 0.5,
            "trial_pass_rate": 0.5,
            "tool_count_mean": 0.5,
            "mcp_call_count_mean": 0.5,
            "builtin_event_count_mean": 0.0,
            "input_tokens_mean": 150.0,
            "output_tokens_mean": 30.0,
            "cost_usd_mean": 0.0009,
            "duration_s_mean": [SECONDS]
          },
          "evidence": "structured",
          "costSource": "pricing",
          "pricing": {
            "claude-x": {
              "input": 3.0,
              "output": 15.0
            }
          },
          "writeModes": {
            "parts": "read-only"
          }
        },
        {
          "name": "warm",
          "servers": [
            {
              "label": "parts",
              "transport": "stdio",
              "command": "[FAKE]"
            }
          ],
          "result": {
            "total": 2,
            "passed": 1,
            "failed": 1,
            "durationMs": [MS],
            "totalClientUsage": {
              "inputTokens": 600,
              "outputTokens": 120,
              "cacheReadInputTokens": 0,
              "cacheCreationInputTokens": 0,
              "estimatedCostUsd": 0.0035999999999999995,
              "durationMs": [MS],
              "durationApiMs": [MS]
            }
          },
          "metrics": {
            "passed_rate": 0.5,
            "trial_pass_rate": 0.5,
            "tool_count_mean": 0.5,
            "mcp_call_count_mean": 0.5,
            "builtin_event_count_mean": 0.0,
            "input_tokens_mean": 150.0,
            "output_tokens_mean": 30.0,
            "cost_usd_mean": 0.0009,
            "duration_s_mean": [SECONDS]
          },
          "evidence": "structured",
          "costSource": "pricing",
          "pricing": {
            "claude-x": {
              "input": 3.0,
              "output": 15.0
            }
          },
          "writeModes": {
            "parts": "read-only"
          }
        }
      ],
      "metrics": {
        "total": 4,
        "passed": 2,
        "failed": 2,
        "passRate": 0.5,
        "passed_rate": 0.5,
        "trial_pass_rate": 0.5,
        "tool_count_mean": 0.5,
        "mcp_call_count_mean": 0.5,
        "builtin_event_count_mean": 0.0,
        "input_tokens_mean": 150.0,
        "output_tokens_mean": 30.0,
        "cost_usd_mean": 0.0009,
        "duration_s_mean": [SECONDS]
      },
      "variantDeltas": {
        "warm": {
          "passRate": 0.5,
          "passRateDelta": 0.0,
          "trialPassRate": 0.5,
          "trialPassRateDelta": 0.0,
          "metricDeltas": {
            "passed_rate": 0.0,
            "trial_pass_rate": 0.0,
            "tool_count_mean": 0.0,
            "mcp_call_count_mean": 0.0,
            "builtin_event_count_mean": 0.0,
            "input_tokens_mean": 0.0,
            "output_tokens_mean": 0.0,
            "cost_usd_mean": 0.0,
            "duration_s_mean": [SECONDS]
          },
          "baseline": "base"
        }
      },
      "telemetry": {
        "cases": 4,
        "toolCalls": 4,
        "failedCases": 2,
        "totalClientUsage": {
          "inputTokens": 1200,
          "outputTokens": 240,
          "cacheReadInputTokens": 0,
          "cacheCreationInputTokens": 0,
          "estimatedCostUsd": 0.007199999999999999,
          "durationMs": [MS],
          "durationApiMs": [MS]
        }
      }
    }
    "#);
    insta::assert_snapshot!(settled(&eval, &eval.env.read("out/latest.json")), @r#"
    {
      "format": "mst.run/v1",
      "kind": "latest",
      "runId": "[RUN]",
      "createdAt": "[TIME]",
      "path": "runs/[RUN]"
    }
    "#);
    let journal = fs_err::read_to_string(dir.path.join("journal.jsonl")).expect("a journal");
    insta::assert_snapshot!(journal, @r#"
    {"variant":"base","caseId":"one","trial":0,"ending":{"kind":"trial"}}
    {"variant":"base","caseId":"one","trial":1,"ending":{"kind":"trial"}}
    {"variant":"base","caseId":"two/b","trial":0,"ending":{"kind":"trial"}}
    {"variant":"base","caseId":"two/b","trial":1,"ending":{"kind":"trial"}}
    {"variant":"warm","caseId":"one","trial":0,"ending":{"kind":"trial"}}
    {"variant":"warm","caseId":"one","trial":1,"ending":{"kind":"trial"}}
    {"variant":"warm","caseId":"two/b","trial":0,"ending":{"kind":"trial"}}
    {"variant":"warm","caseId":"two/b","trial":1,"ending":{"kind":"trial"}}
    "#);
    insta::assert_snapshot!(keys(&dir.file("results.json")), @r#"
    .cases[].clientDiagnostics.servers[].label: text
    .cases[].clientDiagnostics.servers[].protocolVersion: text
    .cases[].clientDiagnostics.servers[].serverInfo.name: text
    .cases[].clientDiagnostics.servers[].serverInfo.version: text
    .cases[].clientUsage.cacheCreationInputTokens: number
    .cases[].clientUsage.cacheReadInputTokens: number
    .cases[].clientUsage.durationApiMs: number
    .cases[].clientUsage.durationMs: number
    .cases[].clientUsage.estimatedCostUsd: number
    .cases[].clientUsage.inputTokens: number
    .cases[].clientUsage.outputTokens: number
    .cases[].datasetName: text
    .cases[].durationMs: number
    .cases[].evidence: text
    .cases[].id: text
    .cases[].pass: bool
    .cases[].passRate: number
    .cases[].passRateCI.lower: number
    .cases[].passRateCI.upper: number
    .cases[].request.assertions.containsText: text
    .cases[].request.assertions.toolCallCount.min: number
    .cases[].request.assertions.toolsTriggered.calls[].arguments.id: text
    .cases[].request.assertions.toolsTriggered.calls[].name: text
    .cases[].request.assertions.toolsTriggered.exclusive: bool
    .cases[].request.assertions.toolsTriggered.order: text
    .cases[].request.client: text
    .cases[].request.input: text
    .cases[].request.model: text
    .cases[].request.passThreshold: number
    .cases[].request.trials: number
    .cases[].response: text
    .cases[].scores.textContains.details: text
    .cases[].scores.textContains.pass: bool
    .cases[].scores.toolCallCount.details: text
    .cases[].scores.toolCallCount.pass: bool
    .cases[].scores.toolsTriggered.pass: bool
    .cases[].source: text
    .cases[].toolCallTrace.calls[].name: text
    .cases[].toolCallTrace.calls[].status: text
    .cases[].toolCallTrace.missed: empty list
    .cases[].toolPrecision: number
    .cases[].toolRecall: number
    .cases[].trialResults[].clientDiagnostics.servers[].label: text
    .cases[].trialResults[].clientDiagnostics.servers[].protocolVersion: text
    .cases[].trialResults[].clientDiagnostics.servers[].serverInfo.name: text
    .cases[].trialResults[].clientDiagnostics.servers[].serverInfo.version: text
    .cases[].trialResults[].clientUsage.cacheCreationInputTokens: number
    .cases[].trialResults[].clientUsage.cacheReadInputTokens: number
    .cases[].trialResults[].clientUsage.durationApiMs: number
    .cases[].trialResults[].clientUsage.durationMs: number
    .cases[].trialResults[].clientUsage.estimatedCostUsd: number
    .cases[].trialResults[].clientUsage.inputTokens: number
    .cases[].trialResults[].clientUsage.outputTokens: number
    .cases[].trialResults[].durationMs: number
    .cases[].trialResults[].ending.kind: text
    .cases[].trialResults[].evidence: text
    .cases[].trialResults[].pass: bool
    .cases[].trialResults[].scores.textContains.details: text
    .cases[].trialResults[].scores.textContains.pass: bool
    .cases[].trialResults[].scores.toolCallCount.details: text
    .cases[].trialResults[].scores.toolCallCount.pass: bool
    .cases[].trialResults[].scores.toolsTriggered.pass: bool
    .cases[].trialResults[].toolCallTrace.calls[].name: text
    .cases[].trialResults[].toolCallTrace.calls[].status: text
    .cases[].trialResults[].toolCallTrace.missed: empty list
    .cases[].trialResults[].transcript.completedAt: text
    .cases[].trialResults[].transcript.events: empty list
    .cases[].trialResults[].transcript.events[].arguments.id: text
    .cases[].trialResults[].transcript.events[].completedAt: text
    .cases[].trialResults[].transcript.events[].durationMs: number
    .cases[].trialResults[].transcript.events[].id: text
    .cases[].trialResults[].transcript.events[].isError: bool
    .cases[].trialResults[].transcript.events[].kind: text
    .cases[].trialResults[].transcript.events[].name: text
    .cases[].trialResults[].transcript.events[].output: text
    .cases[].trialResults[].transcript.events[].server: text
    .cases[].trialResults[].transcript.events[].source: text
    .cases[].trialResults[].transcript.events[].startedAt: text
    .cases[].trialResults[].transcript.evidence: text
    .cases[].trialResults[].transcript.finalText: text
    .cases[].trialResults[].transcript.modelCalls[].completedAt: text
    .cases[].trialResults[].transcript.modelCalls[].finishReason: text
    .cases[].trialResults[].transcript.modelCalls[].id: text
    .cases[].trialResults[].transcript.modelCalls[].model: text
    .cases[].trialResults[].transcript.modelCalls[].startedAt: text
    .cases[].trialResults[].transcript.modelCalls[].text: text
    .cases[].trialResults[].transcript.modelCalls[].toolCallIds[]: text
    .cases[].trialResults[].transcript.modelCalls[].usage.cacheCreationInputTokens: number
    .cases[].trialResults[].transcript.modelCalls[].usage.cacheReadInputTokens: number
    .cases[].trialResults[].transcript.modelCalls[].usage.inputTokens: number
    .cases[].trialResults[].transcript.modelCalls[].usage.outputTokens: number
    .cases[].trialResults[].transcript.startedAt: text
    .cases[].trialResults[].transcript.usage.cacheCreationInputTokens: number
    .cases[].trialResults[].transcript.usage.cacheReadInputTokens: number
    .cases[].trialResults[].transcript.usage.durationApiMs: number
    .cases[].trialResults[].transcript.usage.durationMs: number
    .cases[].trialResults[].transcript.usage.estimatedCostUsd: number
    .cases[].trialResults[].transcript.usage.inputTokens: number
    .cases[].trialResults[].transcript.usage.outputTokens: number
    .cases[].trialResults[].trial: number
    .cases[].variant: text
    .format: text
    .kind: text
    .runId: text
    "#);
    insta::assert_snapshot!(keys(&dir.file("transcripts/base/one/0.json")), @r#"
    .caseId: text
    .clientDiagnostics.servers[].label: text
    .clientDiagnostics.servers[].protocolVersion: text
    .clientDiagnostics.servers[].serverInfo.name: text
    .clientDiagnostics.servers[].serverInfo.version: text
    .clientUsage.cacheCreationInputTokens: number
    .clientUsage.cacheReadInputTokens: number
    .clientUsage.durationApiMs: number
    .clientUsage.durationMs: number
    .clientUsage.estimatedCostUsd: number
    .clientUsage.inputTokens: number
    .clientUsage.outputTokens: number
    .datasetName: text
    .durationMs: number
    .ending.kind: text
    .format: text
    .infrastructureError: bool
    .kind: text
    .runId: text
    .transcript.completedAt: text
    .transcript.events[].arguments.id: text
    .transcript.events[].completedAt: text
    .transcript.events[].durationMs: number
    .transcript.events[].id: text
    .transcript.events[].isError: bool
    .transcript.events[].kind: text
    .transcript.events[].name: text
    .transcript.events[].output: text
    .transcript.events[].server: text
    .transcript.events[].source: text
    .transcript.events[].startedAt: text
    .transcript.evidence: text
    .transcript.finalText: text
    .transcript.modelCalls[].completedAt: text
    .transcript.modelCalls[].finishReason: text
    .transcript.modelCalls[].id: text
    .transcript.modelCalls[].model: text
    .transcript.modelCalls[].startedAt: text
    .transcript.modelCalls[].text: text
    .transcript.modelCalls[].toolCallIds[]: text
    .transcript.modelCalls[].usage.cacheCreationInputTokens: number
    .transcript.modelCalls[].usage.cacheReadInputTokens: number
    .transcript.modelCalls[].usage.inputTokens: number
    .transcript.modelCalls[].usage.outputTokens: number
    .transcript.startedAt: text
    .transcript.usage.cacheCreationInputTokens: number
    .transcript.usage.cacheReadInputTokens: number
    .transcript.usage.durationApiMs: number
    .transcript.usage.durationMs: number
    .transcript.usage.estimatedCostUsd: number
    .transcript.usage.inputTokens: number
    .transcript.usage.outputTokens: number
    .trial: number
    .variant: text
    "#);
    insta::assert_snapshot!(settled(&eval, &format!("{:#}", dir.file("scores/textContains/warm/two%2Fb/1.json"))), @r#"
    {
      "format": "mst.run/v1",
      "kind": "score",
      "runId": "[RUN]",
      "grader": "textContains",
      "variant": "warm",
      "caseId": "two/b",
      "trial": 1,
      "score": {
        "pass": false,
        "details": "missing: \"bin 7\"; the answer begins: \"I do not know.\""
      }
    }
    "#);
    assert!(eval.env.path("out/option-key").is_file());
}

#[test]
fn every_file_has_the_envelope_and_the_form_that_people_can_read() {
    let eval = eval();
    let dir = eval.run(1);
    for (path, value) in dir.json_files() {
        assert_eq!(value["format"], "mst.run/v1", "{path}");
        assert_eq!(value["runId"], json!(dir.id()), "{path}");
        let kind = match path.split('/').next() {
            Some("transcripts") => "trial",
            Some("scores") => "score",
            Some(name) => name.trim_end_matches(".json"),
            None => "?",
        };
        assert_eq!(value["kind"], kind, "{path}");
        let text = fs_err::read_to_string(dir.path.join(&path)).expect("a text file");
        assert!(text.starts_with("{\n  \"format\"") && text.ends_with("}\n"), "{path}");
        assert!(!keys(&value).contains(": null"), "what is unavailable is absent: {path}\n{}", keys(&value));
    }
    let leftover = dir.paths().into_iter().find(|path| path.contains(".tmp") || path.contains("/."));
    assert_eq!(leftover, None);
}

#[test]
fn a_redacted_run_keeps_everything_but_answers() {
    let eval = eval();
    let mut config = eval.env.read_json("eval.json");
    config.as_object_mut().expect("an object").remove("redactStoredResponses");
    eval.env.write_json("eval.json", &config);
    let dir = eval.run(1);
    assert_eq!(dir.run()["redactStoredResponses"], true);
    let stored = keys(&dir.file("results.json")) + &keys(&dir.file("transcripts/base/one/0.json"));
    for key in [".output:", ".finalText:", ".response:", "modelCalls[].text:"] {
        assert!(!stored.contains(key), "{key} is stored");
    }
    for key in ["events[].arguments.id: text", "clientUsage.inputTokens: number", ".scores.toolsTriggered.pass: bool"] {
        assert!(stored.contains(key), "{key} is not stored:\n{stored}");
    }
    assert!(!dir.text().contains("I do not know."), "a failure message quotes the answer");
    assert_eq!(eval.latest(), Some(dir.id()), "a redacted run is a full run");
}

#[test]
fn a_second_run_has_a_directory_of_its_own_and_is_the_latest() {
    let eval = Eval::passing();
    let first = eval.run(0);
    let text = first.text();
    let second = eval.run(0);
    assert!(first.id() != second.id() && eval.latest() == Some(second.id()));
    assert_eq!(first.text(), text, "an older run was touched");
    assert_eq!(first.run()["contentHash"], second.run()["contentHash"]);
}
