//! What each judge makes of a readable answer, whoever serves its model.

use mst_testkit::{Reply, Script};
use serde_json::{Value, json};

use crate::bench::{Bench, MODELS, good, options_for};

const JUDGES: [&str; 5] = ["rubric", "task-completion", "grounded-in-tools", "tool-use", "criteria"];

#[tokio::test]
async fn every_judge_answers_through_every_wire_form() {
    for (model, provider) in MODELS.into_iter().zip(["anthropic", "openai", "google"]) {
        for (name, calls) in JUDGES.into_iter().zip([1, 1, 1, 4, 2]) {
            let bench = Bench::new(Script::automatic());
            let score = bench.ask(name, &options_for(name, model), &good()).await.expect("a verdict");
            assert_eq!(score.score, Some(1.0), "{name} {model}");
            assert!(!score.unknown && !score.skipped);
            assert_eq!(score.pass, (name != "rubric").then_some(true), "{name} {model}");
            assert_eq!(score.provider.as_deref(), Some(provider));
            assert_eq!(score.model.as_deref(), Some(model));
            let usage = score.usage.expect("the provider reported usage");
            assert_eq!(usage.input_tokens, Some(100 * calls), "{name} {model}");
            assert_eq!(bench.provider.requests().len() as u64, calls);
        }
    }
}

#[tokio::test]
async fn a_rubrics_score_is_the_models_and_its_pass_is_not_used() {
    let reply = r#"{"pass":true,"score":0.5,"reasoning":"half of it"}"#;
    let bench = Bench::new(Script::strict().always("", Reply::text(reply)));
    let score = bench.ask("rubric", &options_for("rubric", "claude-x"), &good()).await.expect("a verdict");
    insta::assert_json_snapshot!(score, @r#"
    {
      "score": 0.5,
      "reasoning": "half of it [The model called it a pass with a score of 0.5; the score counts.]",
      "usage": {
        "inputTokens": 100,
        "outputTokens": 20,
        "cacheReadInputTokens": 0,
        "cacheCreationInputTokens": 0
      },
      "provider": "anthropic",
      "model": "claude-x"
    }
    "#);
}

#[tokio::test]
async fn each_question_of_tool_use_is_a_sub_score() {
    let answer = |word: &str| Reply::text(json!({ "answer": word, "reasoning": format!("said {word}") }).to_string());
    let script = Script::strict()
        .always("pass arguments that fit", answer("no"))
        .always("deal properly with what went wrong", answer("unknown"))
        .always("", answer("yes"));
    let bench = Bench::new(script);
    let mut score = bench.ask("tool-use", &options_for("tool-use", "claude-x"), &good()).await.expect("a verdict");
    score.usage = None;
    insta::assert_json_snapshot!(score, @r#"
    {
      "score": 0.0,
      "pass": false,
      "reasoning": "arguments: said no",
      "subScores": {
        "arguments": {
          "score": 0.0,
          "pass": false,
          "reasoning": "said no"
        },
        "needed-calls": {
          "score": 1.0,
          "pass": true,
          "reasoning": "said yes"
        },
        "tool-choice": {
          "score": 1.0,
          "pass": true,
          "reasoning": "said yes"
        }
      },
      "provider": "anthropic",
      "model": "claude-x"
    }
    "#);
}

#[tokio::test]
async fn each_criterion_has_a_verdict_of_its_own() {
    let script = Script::strict()
        .always("gives bin 12", Reply::text(r#"{"answer":"yes","reasoning":"it does"}"#))
        .always("names the part", Reply::text(r#"{"answer":"no","reasoning":"it does not"}"#));
    let bench = Bench::new(script);
    let mut score = bench.ask("criteria", &options_for("criteria", "claude-x"), &good()).await.expect("a verdict");
    score.usage = None;
    insta::assert_json_snapshot!(score, @r#"
    {
      "score": 1.0,
      "pass": true,
      "reasoning": "right-bin (met): it does\nnames-part (not met): it does not",
      "subScores": {
        "names-part": {
          "score": 0.0,
          "pass": false,
          "reasoning": "it does not"
        },
        "right-bin": {
          "score": 1.0,
          "pass": true,
          "reasoning": "it does"
        }
      },
      "criteria": [
        {
          "id": "right-bin",
          "text": "The answer gives bin 12.",
          "verdict": "pass",
          "reasoning": "it does"
        },
        {
          "id": "names-part",
          "text": "The answer names the part.",
          "required": false,
          "verdict": "fail",
          "reasoning": "it does not"
        }
      ],
      "provider": "anthropic",
      "model": "claude-x"
    }
    "#);
}

#[tokio::test]
async fn evidence_none_is_unknown_without_a_call_except_for_criteria() {
    let mut input = good();
    input["trial"]["evidence"] = json!("none");
    input["trial"]["events"] = json!([]);
    for (name, unknown, calls) in [
        ("task-completion", true, 0),
        ("grounded-in-tools", true, 0),
        ("tool-use", true, 0),
        ("criteria", false, 2),
        ("rubric", false, 1),
    ] {
        let bench = Bench::new(Script::automatic());
        let score = bench.ask(name, &options_for(name, "claude-x"), &input).await.expect("a verdict");
        assert_eq!((score.unknown, bench.provider.requests().len()), (unknown, calls), "{name}");
        assert_eq!(score.score.is_none(), unknown, "{name}");
        assert_eq!(score.usage.is_some(), calls > 0, "{name}");
    }
}

#[tokio::test]
async fn an_unknown_answer_is_neither_pass_nor_fail() {
    let reply = Reply::text(r#"{"answer":"unknown","reasoning":"the result is cut"}"#);
    let bench = Bench::new(Script::strict().always("", reply));
    for name in ["task-completion", "grounded-in-tools", "tool-use"] {
        let score = bench.ask(name, &options_for(name, "claude-x"), &good()).await.expect("a verdict");
        assert_eq!((score.unknown, score.pass, score.score), (true, None, None), "{name}");
        assert!(score.reasoning.is_some_and(|why| why.contains("the result is cut")), "{name}");
    }
}

#[tokio::test]
async fn the_settings_reach_the_provider() {
    let bench = Bench::new(Script::automatic());
    for (options, want) in [
        (json!({ "model": "claude-x" }), json!([4096, 0.0, null])),
        (json!({ "model": "claude-x", "maxTokens": 77, "temperature": 0.5 }), json!([77, 0.5, null])),
        // A model that refuses a temperature gets none for the default, and for the default written out.
        (json!({ "model": "claude-opus-4-7", "temperature": 0 }), json!([4096, null, null])),
    ] {
        bench.ask("task-completion", &options, &good()).await.expect("a verdict");
        let body = bench.provider.last_request().body;
        let sent: Vec<Value> = ["max_tokens", "temperature", "tools"].map(|key| body[key].clone()).to_vec();
        assert_eq!(json!(sent), want, "{options}");
    }
    for (model, pointer) in [
        ("claude-x", "/output_config/effort"),
        ("gpt-x", "/reasoning/effort"),
        ("gemini-x", "/generationConfig/thinkingConfig/thinkingLevel"),
    ] {
        for effort in [Some("high"), None] {
            let mut options = json!({ "model": model });
            if let Some(effort) = effort {
                options["effort"] = json!(effort);
            }
            bench.ask("task-completion", &options, &good()).await.expect("a verdict");
            let body = bench.provider.last_request().body;
            assert_eq!(body.pointer(pointer).and_then(Value::as_str), effort, "{model}");
        }
    }
}

#[tokio::test]
async fn every_probe_can_be_judged() {
    let bench = Bench::new(Script::automatic());
    for probe in mst_judges::probes().into_iter().filter(|probe| probe.injection.is_none()) {
        let input = serde_json::to_value(&probe.input).expect("an input has a JSON form");
        let options = json!({ "model": "claude-x", "criteria": probe.criteria });
        let score = bench.ask("criteria", &options, &input).await.expect("a verdict");
        assert_eq!(score.score, Some(1.0), "{} {:?}", probe.scenario, probe.flaw);
    }
}
