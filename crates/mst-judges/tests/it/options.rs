//! What configs may write, and what each judge says of itself.

use mst_testkit::Script;
use serde_json::{Value, json};

use crate::bench::{Bench, object};

#[test]
fn the_schema_and_the_reader_refuse_the_same() {
    let bench = Bench::new(Script::strict());
    let criterion = json!([{ "id": "a", "text": "t" }]);
    for (name, options, fits) in [
        ("rubric", json!({ "rubric": "correctness" }), true),
        ("rubric", json!({ "rubric": { "text": "Is it kind?" }, "provider": "vertex", "maxTokens": 1 }), true),
        ("rubric", json!({}), false),
        ("rubric", json!({ "rubric": "corectness" }), false),
        ("rubric", json!({ "rubric": { "text": "" } }), false),
        ("rubric", json!({ "rubric": { "text": "t", "scale": 5 } }), false),
        ("rubric", json!({ "rubric": "correctness", "criteria": criterion }), false),
        ("task-completion", json!({}), true),
        (
            "task-completion",
            json!({ "model": "m", "temperature": 1, "maxToolOutputSize": 1, "apiKeyEnvVar": "K" }),
            true,
        ),
        ("task-completion", json!({ "provider": "anthropic-agent-sdk" }), false),
        ("task-completion", json!({ "provider": "offline" }), false),
        ("task-completion", json!({ "maxBudgetUsd": 0.1 }), false),
        ("task-completion", json!({ "temperature": 1.01 }), false),
        ("task-completion", json!({ "maxTokens": 0 }), false),
        ("task-completion", json!({ "maxToolOutputSize": 0.5 }), false),
        ("task-completion", json!({ "model": "" }), false),
        ("task-completion", json!({ "threshold": 1 }), false),
        ("grounded-in-tools", json!({ "rubric": "correctness" }), false),
        ("tool-use", json!({ "model": "gpt-x" }), true),
        ("criteria", json!({ "criteria": criterion }), true),
        ("criteria", json!({ "criteria": [{ "id": "a b", "text": "t" }] }), false),
        ("criteria", json!({ "criteria": [] }), false),
        ("criteria", json!({}), false),
    ] {
        let judge = bench.judge(name, None);
        let validator = jsonschema::validator_for(&judge.definition().options).expect("the schema is one");
        assert_eq!(validator.is_valid(&options), fits, "schema of {name}: {options}");
        assert_eq!(judge.parse(&object(&options)).is_ok(), fits, "reader of {name}: {options}");
    }
}

#[test]
fn options_that_are_read_read_as_themselves() {
    let bench = Bench::new(Script::strict());
    for (name, options) in [
        ("rubric", json!({ "rubric": "conciseness" })),
        ("rubric", json!({ "rubric": { "text": "t" }, "model": "gpt-x" })),
        ("task-completion", json!({ "temperature": 0.25 })),
        (
            "criteria",
            json!({ "criteria": [{ "id": "a", "text": "t" }, { "id": "b", "text": "u", "required": false }] }),
        ),
    ] {
        let judge = bench.judge(name, None);
        let parsed = judge.parse(&object(&options)).expect("the options are right");
        assert_eq!(judge.parse(&parsed), Ok(parsed.clone()), "{name}");
        let validator = jsonschema::validator_for(&judge.definition().options).expect("the schema is one");
        assert!(validator.is_valid(&Value::Object(parsed)), "{name}");
    }
}

#[test]
fn a_criterions_own_options_are_the_same_in_every_case_that_lists_it() {
    let bench = Bench::new(Script::strict());
    let judge = bench.judge("criteria", None);
    let alone = |options: &Value| {
        let options = judge.criterion_options(&object(options), "port").expect("it is in the list");
        judge.parse(&options).expect("the options are right")
    };
    let one = alone(&json!({ "model": "m", "criteria": [{ "id": "port", "text": "p", "required": false }] }));
    let other =
        alone(&json!({ "model": "m", "criteria": [{ "id": "a", "text": "b" }, { "text": "p", "id": "port" }] }));
    assert_eq!(one, other);
    let reworded = alone(&json!({ "model": "m", "criteria": [{ "id": "port", "text": "q" }] }));
    let asked_otherwise = alone(&json!({ "model": "n", "criteria": [{ "id": "port", "text": "p" }] }));
    assert!(one != reworded && one != asked_otherwise);
    assert_eq!(judge.criterion_options(&object(&json!({ "criteria": [] })), "port"), None);
    assert_eq!(bench.judge("tool-use", None).criterion_options(&object(&json!({})), "port"), None);
}

/// A prompt, a rubric or a default that changes changes the version, and this list with it.
#[test]
fn each_judge_says_what_it_is_and_which_version_of_it() {
    let bench = Bench::new(Script::strict());
    let lines: Vec<String> = ["rubric", "task-completion", "grounded-in-tools", "tool-use", "criteria"]
        .iter()
        .map(|name| {
            let definition = bench.judge(name, None).definition();
            format!("{name} {}: {}", definition.version.unwrap_or_default(), definition.description)
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    rubric v1-7ff1e905db86: A score from 0 to 1 for the answer by a rubric, built in or your own
    task-completion v1-746f8414c7f8: Whether the assistant did what was asked, as its tool calls show
    grounded-in-tools v1-49d9e7fca98c: Whether every claim of the answer is supported by a tool result
    tool-use v1-b506fc458cba: Whether the tools, their arguments and the calls fit the request, and errors were dealt with
    criteria v1-cf6da64a869e: Whether the trial meets each criterion of a list
    ");
}

#[test]
fn the_schema_says_what_each_option_is() {
    let bench = Bench::new(Script::strict());
    insta::assert_json_snapshot!(bench.judge("rubric", None).definition().options, @r#"
    {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "rubric": {
          "description": "A built-in rubric by name, or one of your own as `{ \"text\" }`.",
          "anyOf": [
            {
              "type": "string",
              "enum": [
                "correctness",
                "completeness",
                "groundedness",
                "instruction-following",
                "conciseness"
              ]
            },
            {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "text"
              ],
              "properties": {
                "text": {
                  "type": "string",
                  "minLength": 1,
                  "description": "The rubric's text."
                }
              }
            }
          ]
        },
        "provider": {
          "type": "string",
          "enum": [
            "anthropic",
            "openai",
            "google",
            "vertex-anthropic",
            "azure",
            "mistral",
            "deepseek",
            "xai",
            "openrouter",
            "ollama",
            "vertex"
          ],
          "description": "The API that serves the judge's model; inferred from its id when absent, else `anthropic`.",
          "x-defaultDescription": "inferred from the model, else anthropic"
        },
        "model": {
          "type": "string",
          "minLength": 1,
          "description": "The judge's model.",
          "x-defaultDescription": "claude-sonnet-4-20250514 with anthropic, gpt-5-mini with openai, gemini-2.5-flash with google, claude-sonnet-4@20250514 with vertex-anthropic; none with the others"
        },
        "apiKeyEnvVar": {
          "type": "string",
          "minLength": 1,
          "description": "The variable that holds the key, in place of the provider's usual one.",
          "x-defaultDescription": "the provider's own variable, or the gateway's credential"
        },
        "maxTokens": {
          "type": "integer",
          "minimum": 1,
          "maximum": 4294967295,
          "default": 4096,
          "description": "The most output tokens of an answer. One that is cut off by it is no verdict."
        },
        "temperature": {
          "type": "number",
          "minimum": 0,
          "maximum": 1,
          "default": 0,
          "description": "The temperature. 0 is left out for models that refuse one."
        },
        "effort": {
          "type": "string",
          "minLength": 1,
          "description": "How much a model that reasons should think, in its provider's own word, such as `low` or `high`.",
          "x-defaultDescription": "not set: the provider's own"
        },
        "maxToolOutputSize": {
          "type": "integer",
          "minimum": 1,
          "maximum": 4294967295,
          "default": 10000,
          "description": "How many characters of each tool result the judge is shown. It is told how much was cut."
        },
        "timeoutMs": {
          "type": "integer",
          "minimum": 1,
          "maximum": 4294967295,
          "default": 900000,
          "description": "How long one answer may take, in milliseconds, with the waits before tries. Without one in time there is no verdict."
        }
      },
      "required": [
        "rubric"
      ]
    }
    "#);
    insta::assert_json_snapshot!(bench.judge("criteria", None).definition().options["properties"]["criteria"], @r#"
    {
      "type": "array",
      "minItems": 1,
      "description": "What the trial has to meet, each a thing that a person could check.",
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "id",
          "text"
        ],
        "properties": {
          "id": {
            "type": "string",
            "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]*$",
            "description": "Its id, unique in the list."
          },
          "text": {
            "type": "string",
            "minLength": 1,
            "description": "What is to be met."
          },
          "required": {
            "type": "boolean",
            "default": true,
            "description": "Whether it decides the judge; otherwise it is only reported."
          }
        }
      }
    }
    "#);
}
