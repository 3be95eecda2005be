//! Plans: variants as patches, client defaults, selections, batches.

use mst_model::{Provider, ServerLabel, WriteMode};
use serde_json::{Value, json};

use crate::catalog::{Eval, config, three_cases};

fn plan_of(over: &Value) -> mst_config::Plan {
    Eval::new(&config(over)).plan()
}

#[test]
fn a_plain_config_has_one_variant_and_one_batch() {
    let plan = plan_of(&json!({}));
    insta::assert_json_snapshot!(plan, @r#"
    {
      "name": "parts-eval",
      "contentHash": "fe39768aa069826de8d6d8ca183a8d881d692f25bd363b97c534127ea0a71150",
      "variants": [
        {
          "name": "default",
          "servers": {
            "parts": {
              "transport": "stdio",
              "command": "parts-server"
            }
          },
          "client": {
            "name": "api",
            "model": "claude-x",
            "pricedModel": "claude-x",
            "options": {
              "model": "claude-x"
            }
          },
          "toolMap": {},
          "tools": {},
          "metrics": [],
          "batches": [
            {
              "dataset": 0,
              "client": {
                "name": "api",
                "model": "claude-x",
                "pricedModel": "claude-x",
                "options": {
                  "model": "claude-x"
                }
              },
              "cases": [
                {
                  "case": 0,
                  "id": "bin",
                  "trials": 1,
                  "passThreshold": 1.0
                },
                {
                  "case": 1,
                  "id": "count",
                  "trials": 1,
                  "passThreshold": 1.0
                },
                {
                  "case": 2,
                  "id": "list",
                  "trials": 4,
                  "passThreshold": 0.5
                }
              ]
            }
          ]
        }
      ],
      "baseline": "default",
      "datasets": [
        {
          "record": {
            "name": "parts",
            "caseCount": 3,
            "contentHash": "b71033fab22c24575f26c647be527a29dbcee5d71daf9b0c009eb6fd8634b027",
            "type": "file"
          },
          "cases": [
            {
              "id": "bin",
              "input": "Which bin?",
              "tags": [
                "bins"
              ],
              "assertions": {
                "toolCallCount": {
                  "max": 9
                }
              }
            },
            {
              "id": "count",
              "input": "How many?",
              "tags": [
                "counts"
              ],
              "assertions": {
                "toolCallCount": {
                  "max": 9
                }
              }
            },
            {
              "id": "list",
              "input": "List.",
              "trials": 4,
              "passThreshold": 0.5,
              "assertions": {
                "toolCallCount": {
                  "max": 9
                }
              }
            }
          ]
        }
      ],
      "concurrency": 1,
      "partial": false,
      "redactStoredResponses": true,
      "pricing": {},
      "writes": {},
      "warnings": []
    }
    "#);
}

#[test]
fn options_are_inherited_by_the_same_client_alone() {
    let plan = plan_of(&json!({
        "clientOptions": { "systemPrompt": "a", "maxToolCalls": 1 }, "timeout": 9, "temperature": 0.5,
        "variants": [
            { "name": "same", "clientOptions": { "systemPrompt": "b" } },
            { "name": "other", "client": "desktop" },
            { "name": "full-name", "client": "mst/client/api", "model": "gpt-x" },
        ],
    }));
    let options: Vec<Value> = plan.variants.iter().map(|variant| json!(variant.client.options)).collect();
    assert_eq!(
        options,
        [
            json!({ "systemPrompt": "b", "maxToolCalls": 1, "timeout": 9, "temperature": 0.5, "model": "claude-x" }),
            json!({ "timeout": 9 }),
            json!({ "systemPrompt": "a", "maxToolCalls": 1, "timeout": 9, "temperature": 0.5, "model": "gpt-x" }),
        ]
    );
    let names: Vec<&str> = plan.variants.iter().map(|variant| variant.client.name.as_str()).collect();
    assert_eq!(names, ["api", "desktop", "api"]);
}

#[test]
fn settings_that_every_variant_replaces_are_checked_all_the_same() {
    let over = json!({
        "clientOptions": { "systemPromt": "x" }, "metrics": ["pased"],
        "variants": [{ "name": "a", "client": "desktop", "metrics": [] }],
    });
    let mut config = config(&over);
    config.as_object_mut().expect("an object").remove("model");
    insta::assert_snapshot!(Eval::new(&config).errors(), @r#"
    eval.json:1:205: the client "api" has no option "systemPromt"; did you mean "systemPrompt"?
    eval.json:1:235: there is no metric "pased"; did you mean "passed"?
    "#);
}

#[test]
fn a_metric_of_one_judge_names_it_and_is_reported_under_its_name() {
    let over = json!({ "metrics": [
        { "type": "judge_pass_for", "judge": "mst/judge/task-completion" },
        { "metric": "judge_pass_for", "judge": "tool-use", "name": "tools_ok" },
    ] });
    let metrics = plan_of(&over).variants.remove(0).metrics;
    let found: Vec<_> = metrics.iter().map(|metric| (metric.name.as_str(), metric.judge.as_deref())).collect();
    assert_eq!(found, [("judge_task_completion_pass", Some("task-completion")), ("tools_ok", Some("tool-use"))]);
    let wrong = json!({ "metrics": ["judge_pass_for", { "type": "passed", "judge": "tool-use" }] });
    insta::assert_snapshot!(Eval::new(&config(&wrong)).errors(), @r#"
    eval.json:1:160: metric "judge_pass_for" needs a "judge": its name in results
    eval.json:1:177: metric "passed" takes no "judge"
    "#);
}

#[test]
fn the_default_model_prices_a_variant_that_names_none() {
    let mut plain = config(&json!({}));
    plain.as_object_mut().expect("an object").remove("model");
    let client = Eval::new(&plain).plan().variants.remove(0).client;
    assert_eq!((client.model, client.priced_model.as_deref()), (None, Some("claude-sonnet-4-20250514")));
}

#[test]
fn the_baseline_comes_first_and_a_flag_keeps_the_order() {
    let over = json!({ "variants": [{ "name": "a" }, { "name": "b" }, { "name": "c" }], "baseline": "b" });
    let mut eval = Eval::new(&config(&over));
    let names = |plan: &mst_config::Plan| plan.variants.iter().map(|v| v.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&eval.plan()), ["b", "a", "c"]);
    eval.flags.variants = vec!["c".to_owned(), "a".to_owned()];
    let plan = eval.plan();
    assert_eq!(names(&plan), ["a", "c"]);
    assert_eq!((plan.baseline.as_str(), plan.partial), ("b", true));
    assert_eq!(json!(plan.selection), json!({ "variants": ["a", "c"] }));
}

#[test]
fn servers_are_picked_by_label() {
    let server = json!({ "transport": "stdio", "command": "x" });
    let plan = plan_of(&json!({
        "servers": { "one": server, "two": server },
        "variants": [{ "name": "all" }, { "name": "none", "servers": [] }, { "name": "second", "servers": ["two"] }],
    }));
    let labels: Vec<Vec<&str>> =
        plan.variants.iter().map(|variant| variant.servers.keys().map(ServerLabel::as_str).collect()).collect();
    assert_eq!(labels, [vec!["one", "two"], vec![], vec!["two"]]);
}

#[test]
fn controls_come_from_the_flag_then_the_case_then_the_config() {
    let mut eval = Eval::new(&config(&json!({ "run": { "trials": 2, "passThreshold": 0.75 } })));
    let trials = |eval: &Eval| {
        let plan = eval.plan();
        plan.variants[0].batches[0].cases.iter().map(|case| (case.trials, case.pass_threshold)).collect::<Vec<_>>()
    };
    assert_eq!(trials(&eval), [(2, 0.75), (2, 0.75), (4, 0.5)]);
    eval.flags.trials = Some(7);
    assert_eq!(trials(&eval), [(7, 0.75), (7, 0.75), (7, 0.5)]);
}

#[test]
fn cases_are_selected_by_id_tag_and_count() {
    let narrowed = json!({ "filterTags": ["bins", "counts"], "maxCases": 1 });
    let mut eval = Eval::new(&config(&narrowed));
    let ids = |eval: &Eval| {
        let plan = eval.plan();
        let ids: Vec<String> = plan.datasets[0].cases.iter().map(|case| case.id.to_string()).collect();
        (ids.join(" "), plan.partial)
    };
    assert_eq!(ids(&eval), ("bin".to_owned(), false));
    eval.flags.max_cases = Some(5);
    assert_eq!(ids(&eval), ("bin count".to_owned(), true));
    eval.flags.filter_tags = vec!["counts".to_owned()];
    assert_eq!(ids(&eval), ("count".to_owned(), true));
    eval.flags = mst_config::SelectionFlags { cases: vec!["list".to_owned(), "bin".to_owned()], ..Default::default() };
    assert_eq!(ids(&eval), ("bin list".to_owned(), true));
}

#[test]
fn flags_that_name_nothing_are_refused_all_at_once() {
    let mut eval = Eval::new(&config(&json!({})));
    eval.flags = mst_config::SelectionFlags {
        variants: vec!["defualt".to_owned()],
        cases: vec!["bni".to_owned()],
        filter_tags: vec!["bin".to_owned()],
        max_cases: Some(0),
        trials: Some(0),
    };
    insta::assert_snapshot!(eval.errors(), @r#"
    --max-cases must be at least 1
    --trials must be at least 1
    --variant: there is no variant "defualt"; did you mean "default"?
    --case: there is no case "bni"; did you mean "bin"?
    --filter-tag: no case has the tag "bin"; did you mean "bins"?
    "#);
}

#[test]
fn a_filter_that_leaves_nothing_is_refused() {
    insta::assert_snapshot!(Eval::new(&config(&json!({ "filterTags": ["none"] }))).errors(), @r#"no case is left to run: none has one of the tags none"#);
}

#[test]
fn cases_with_a_client_of_their_own_make_batches() {
    let eval = Eval::new(&config(&json!({})));
    let mut dataset = three_cases();
    dataset["cases"][1]["model"] = json!("gpt-x");
    dataset["cases"][2]["clientOptions"] = json!({});
    eval.write("parts.json", dataset.to_string());
    let plan = eval.plan();
    let batches: Vec<(Option<&str>, Vec<&str>)> = plan.variants[0]
        .batches
        .iter()
        .map(|batch| (batch.client.model.as_deref(), batch.cases.iter().map(|case| case.id.as_str()).collect()))
        .collect();
    assert_eq!(batches, [(Some("claude-x"), vec!["bin", "list"]), (Some("gpt-x"), vec!["count"])]);
}

#[test]
fn the_template_stands_around_every_input() {
    let plan = plan_of(&json!({ "inputTemplate": "<{{input}}|{{input}}>" }));
    assert_eq!(plan.datasets[0].cases.get(0).input, "Which bin?");
    assert_eq!(plan.variants[0].prompt("Which bin?"), "<Which bin?|Which bin?>");
}

#[test]
fn the_content_hash_knows_no_order_of_keys_and_no_datasets() {
    let one = Eval::new(&json!({ "name": "a", "client": "api", "datasets": ["parts.json"], "trials": 1 }));
    let two = Eval::new(&json!({ "trials": 1.0, "datasets": ["parts.json"], "client": "api", "name": "a" }));
    two.write("parts.json", json!({ "name": "p", "cases": [{ "id": "x", "input": "x" }] }).to_string());
    let (one, two) = (one.plan(), two.plan());
    assert_eq!(one.content_hash, two.content_hash);
    assert_ne!(one.datasets[0].record.content_hash, two.datasets[0].record.content_hash);
}

#[test]
fn a_dry_run_says_what_would_run() {
    let mut eval = Eval::new(&config(&json!({ "name": "a/b" })));
    eval.flags.cases = vec!["bin".to_owned()];
    let mut dry_run = eval.load().unwrap_or_else(|error| panic!("{error}")).dry_run;
    let output = eval.relative(dry_run["outputDir"].as_str().expect("a path"));
    dry_run["outputDir"] = json!(output);
    insta::assert_json_snapshot!(dry_run, @r#"
    {
      "name": "a/b",
      "outputDir": ".mcp-test-results/a%2Fb",
      "datasets": [
        {
          "type": "file",
          "path": "parts.json",
          "name": "parts",
          "caseCount": 1,
          "contentHash": "5b8798cd1c48cd5d41010b778dd15b5eb01f271d831312b2334df8ee4d974a68"
        }
      ],
      "variants": [
        "default"
      ],
      "partial": true,
      "selection": {
        "cases": [
          "bin"
        ]
      },
      "runner": {
        "name": "local",
        "shards": 1
      },
      "plan": [
        {
          "variant": "default",
          "client": "api",
          "model": "claude-x",
          "servers": [
            "parts"
          ],
          "cases": 1,
          "trials": 1
        }
      ]
    }
    "#);
}

#[test]
fn things_worth_knowing_are_warnings() {
    let eval = Eval::new(&config(&json!({
        "model": "some-model", "inputTemplate": "no place",
        "servers": {
            "far": { "transport": "http", "serverUrl": "http://example.com/mcp" },
            "here": { "transport": "http", "serverUrl": "http://127.0.0.1:9/mcp" },
            "local": { "transport": "http", "serverUrl": "http://localhost/mcp" },
        },
    })));
    insta::assert_snapshot!(eval.warnings(), @r#"
    eval.json:1:71: no provider can be told from the model "some-model"; "anthropic" is used; set "provider"
    eval.json:1:133: the server "far" is reached over plain http, not on this machine; use https
    eval.json:1:305: "inputTemplate" has no "{{input}}", so every case sends the same prompt
    "#);
}

#[test]
fn limits_are_bound_to_providers_and_servers() {
    let plan = plan_of(&json!({ "limits": { "providers": { "vertex": 2, "openai": 3 }, "servers": { "parts": 1 } } }));
    insta::assert_json_snapshot!(plan.limits, @r#"
    {
      "providers": {
        "vertex-anthropic": 2,
        "openai": 3
      },
      "servers": {
        "parts": 1
      }
    }
    "#);
    assert!(plan_of(&json!({ "limits": {} })).limits.is_empty());
}

#[test]
fn a_client_counts_towards_the_provider_that_serves_its_model() {
    for (over, want) in [
        (json!({ "model": "claude-x" }), Some(Provider::Anthropic)),
        (json!({ "model": "gpt-x" }), Some(Provider::OpenAi)),
        (json!({ "model": "gpt-x", "provider": "google" }), Some(Provider::Google)),
        (json!({ "model": "claude-x@20260101" }), Some(Provider::VertexAnthropic)),
        (json!({ "model": "something-else" }), None),
    ] {
        let plan = plan_of(&over);
        assert_eq!(plan.variants[0].client.provider(), want, "{over}");
        assert_eq!(plan.variants[0].batches[0].client.provider(), want, "{over}");
    }
}

#[test]
fn a_live_server_takes_a_flag_in_the_variants_that_run() {
    let variants = json!([{ "name": "with" }, { "name": "without", "servers": [] }]);
    let mut eval = Eval::new(&config(&json!({ "writes": { "parts": "live" }, "variants": variants })));
    let load = |eval: &Eval, allow| {
        let mut request = eval.request("eval.json");
        request.allow_live_writes = allow;
        mst_config::load(&request).map(|loaded| loaded.plan.writes).map_err(|error| eval.relative(&error.to_string()))
    };
    insta::assert_snapshot!(load(&eval, false).expect_err("no flag"), @r#"eval.json:1:167: the server "parts" is live: what a model writes would reach the service; if it may, run with --allow-live-writes"#);
    assert_eq!(load(&eval, true).expect("the flag")[&ServerLabel::from("parts")], WriteMode::Live);
    eval.flags.variants = vec!["without".to_owned()];
    load(&eval, false).expect("no live server takes part");
}

/// The judges of a plan's variants, by name.
fn judges_of_variants(eval: &Eval) -> Vec<(String, Vec<String>, bool)> {
    let names = |variant: &mst_config::PlannedVariant| variant.judges.iter().map(|judge| judge.name.clone()).collect();
    let variants = eval.plan().variants;
    variants.iter().map(|variant| (variant.name.to_string(), names(variant), variant.own_judges)).collect()
}

#[test]
fn a_variants_judges_replace_the_configs_and_an_empty_list_turns_them_off() {
    let eval = Eval::new(&config(&json!({
        "judges": ["task-completion", { "type": "rubric", "rubric": "correctness" }],
        "variants": [
            { "name": "a" },
            { "name": "b", "judges": [{ "type": "rubric", "rubric": "completeness", "threshold": 0.9 }] },
            { "name": "c", "judges": [] },
        ],
    })));
    let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        judges_of_variants(&eval),
        [
            ("a".to_owned(), texts(&["task-completion", "correctness"]), false),
            ("b".to_owned(), texts(&["completeness"]), true),
            ("c".to_owned(), Vec::new(), true),
        ]
    );
}

#[test]
fn an_option_may_be_missing_where_every_case_adds_it() {
    let criteria = |id: &str| json!([{ "id": id, "text": "It is so." }]);
    let case = |id: &str, judges: &Value| json!({ "id": id, "input": "?", "judges": judges });
    let eval = Eval::new(&config(&json!({ "judges": [{ "type": "criteria", "provider": "openai" }] })));
    let own = json!([{ "type": "criteria", "criteria": criteria("a") }]);
    eval.write("parts.json", json!({ "name": "parts", "cases": [case("one", &own)] }).to_string());
    assert_eq!(judges_of_variants(&eval)[0].1, ["criteria"]);
    eval.write(
        "parts.json",
        json!({ "name": "parts", "cases": [case("one", &own), case("two", &json!([]))] }).to_string(),
    );
    assert_eq!(eval.errors(), "eval.json:1:159: the judge \"criteria\" needs the option \"criteria\"");
}

#[test]
fn an_override_is_checked_together_with_what_it_overrides() {
    let eval = Eval::new(&config(&json!({ "judges": [
        { "type": "rubric", "name": "mine", "rubric": "correctness" }, "task-completion",
    ] })));
    let judges = json!([{ "type": "rubric", "name": "mine", "model": 7 }, { "type": "rubric", "name": "task-completion", "rubric": "correctness" }]);
    eval.write(
        "parts.json",
        json!({ "name": "parts", "cases": [{ "id": "one", "input": "?", "judges": judges }] }).to_string(),
    );
    insta::assert_snapshot!(eval.errors(), @r#"
    parts.json:1:99: case "one": the option "model" of the judge "rubric": the value is not of type "string"
    parts.json:1:102: case "one": "task-completion" is the name of the judge "rubric" here and of the judge "task-completion" in the eval config
    "#);
}

#[test]
fn pairwise_judges_are_read_from_the_top_and_compare_when_the_baseline_runs_beside_another() {
    let variants = json!([{ "name": "a" }, { "name": "b" }, { "name": "c" }]);
    let judges = json!(["mst/pairwise-judge/preference"]);
    let mut eval = Eval::new(&config(&json!({ "variants": variants, "baseline": "b", "pairwiseJudges": judges })));
    let plan = eval.plan();
    assert_eq!((plan.pairwise_judges.len(), plan.pairwise_judges[0].judge.as_str()), (1, "preference"));
    for (chosen, compares, warning) in [
        (&[][..], true, None),
        (&["a", "b"], true, None),
        (
            &["a", "c"],
            false,
            Some("--variant leaves the baseline \"b\" out: pairwise judges are not asked in this run"),
        ),
        (
            &["b"],
            false,
            Some("--variant leaves the baseline alone: pairwise judges have nothing to compare in this run"),
        ),
    ] {
        eval.flags.variants = chosen.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(eval.plan().compares(), compares, "{chosen:?}");
        let warnings = eval.warnings();
        assert_eq!(warnings.strip_prefix("warning: ").unwrap_or(&warnings), warning.unwrap_or_default(), "{chosen:?}");
    }
    let alone = Eval::new(&config(&json!({ "pairwiseJudges": ["preference"] })));
    assert!(!alone.plan().compares());
    assert!(alone.warnings().contains("the eval has one variant alone"), "{}", alone.warnings());
}
