//! What ends without a verdict: never a pass, never a fail.

use mst_ext::JudgeFault;
use mst_testkit::{Reply, Rule, Script, When};
use serde_json::json;

use crate::bench::{Bench, MODELS, good, object, options_for};

fn failed(why: &str) -> JudgeFault {
    JudgeFault::Failed(why.to_owned())
}

/// Returns why, and the input tokens that were paid for it.
fn unusable(fault: JudgeFault) -> (String, u64) {
    match fault {
        JudgeFault::Unusable { why, usage } => (why, usage.input_tokens.expect("the provider reported usage")),
        fault => panic!("{fault:?}"),
    }
}

#[tokio::test]
async fn fc22_an_answer_without_a_verdict_gives_none() {
    for (reply, want) in [
        (Reply::text(r#"{"reasoning":"good"}"#), "it holds no object {pass, score, reasoning}"),
        (Reply::text(r#"{"pass":true,"score":9,"reasoning":""}"#), "its score is 9, not a number from 0 to 1"),
        (Reply::text(r#"{"pass":true,"score":null,"reasoning":""}"#), "its score is null, not a number from 0 to 1"),
        (
            Reply::text(r#"{"pass":true,"score":"0.9","reasoning":""}"#),
            "its score is \"0.9\", not a number from 0 to 1",
        ),
        (
            Reply::text("Done.").with_thinking(r#"{"pass":true,"score":1,"reasoning":"thought"}"#),
            "it holds no JSON object",
        ),
    ] {
        for model in MODELS {
            let bench = Bench::new(Script::strict().always("", reply.clone()));
            let fault = bench.ask("rubric", &options_for("rubric", model), &good()).await.expect_err("no verdict");
            assert_eq!(unusable(fault), (format!("the answer of {model} is no verdict: {want}"), 100));
            assert_eq!(bench.provider.requests().len(), 1, "a rubric is asked once");
        }
    }
}

#[tokio::test]
async fn fc21_an_answer_that_is_cut_off_says_so_and_no_example_in_it_counts() {
    for (name, example) in [
        ("rubric", r#"{"pass":true,"score":1,"reasoning":"x"}"#),
        ("task-completion", r#"{"answer":"yes","reasoning":"x"}"#),
        ("criteria", r#"{"answer":"yes","reasoning":"x"}"#),
    ] {
        for model in MODELS {
            let text = format!("If it were fine I'd say {example}. It isn't: {{\"pass\":false,\"sco");
            let reply = Reply::text(text).with_finish_reason("max_tokens");
            let bench = Bench::new(Script::strict().always("", reply));
            let mut options = options_for(name, model);
            options["maxTokens"] = json!(50);
            if name == "criteria" {
                options["criteria"] = json!([{ "id": "a", "text": "t" }]);
            }
            let fault = bench.ask(name, &options, &good()).await.expect_err("no verdict");
            assert_eq!(
                unusable(fault),
                (format!("the answer of {model} was cut off at maxTokens (50)"), 100),
                "{name}"
            );
            assert_eq!(bench.provider.requests().len(), 1, "the same limit would cut it off again");
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_gives_none() {
    for model in MODELS {
        let bench = Bench::new(Script::strict().always("", Reply::hang()));
        let mut options = options_for("task-completion", model);
        options["timeoutMs"] = json!(200);
        let fault = bench.ask("task-completion", &options, &good()).await.expect_err("no verdict");
        assert_eq!(fault, failed(&format!("{model} did not answer within timeoutMs (200)")));
        assert_eq!(bench.provider.requests().len(), 1, "it is not asked for again");
    }
}

#[tokio::test]
async fn an_unreadable_yes_or_no_answer_is_asked_for_once_more() {
    let readable = Reply::text(r#"{"answer":"no","reasoning":"r"}"#);
    let script = |replies: [Reply; 2]| Script::strict().rule(Rule::new(When::default(), replies).by_arrival());
    let bench = Bench::new(script([Reply::text("I'd say yes."), readable]));
    let score = bench.ask("task-completion", &json!({ "model": "claude-x" }), &good()).await.expect("a verdict");
    assert_eq!((score.pass, score.usage.and_then(|usage| usage.input_tokens)), (Some(false), Some(200)));
    let requests = bench.provider.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body, requests[1].body, "the same question");

    let bench = Bench::new(script([Reply::text("yes"), Reply::text(r#"{"answer":"maybe"}"#)]));
    let fault = bench.ask("task-completion", &json!({ "model": "claude-x" }), &good()).await.expect_err("no verdict");
    let want =
        "the answer of claude-x is no verdict, also when asked again: its answer is \"maybe\", not yes, no or unknown";
    assert_eq!(unusable(fault), (want.to_owned(), 200), "both answers were paid for");

    let bench = Bench::new(script([Reply::text("yes"), Reply::status(400, "no more")]));
    let fault = bench.ask("task-completion", &json!({ "model": "claude-x" }), &good()).await.expect_err("no verdict");
    assert_eq!(unusable(fault), ("anthropic refused the request with status 400: no more".to_owned(), 100));
}

#[tokio::test]
async fn one_question_of_several_without_an_answer_leaves_no_verdict_and_no_usage_is_lost() {
    let yes = Reply::text(r#"{"answer":"yes","reasoning":"r"}"#);
    let script = Script::strict().always("pass arguments that fit", Reply::text("?")).always("", yes);
    let bench = Bench::new(script);
    let fault = bench.ask("tool-use", &json!({ "model": "claude-x" }), &good()).await.expect_err("no verdict");
    let want = "the answer of claude-x is no verdict, also when asked again: it holds no JSON object";
    assert_eq!(unusable(fault), (want.to_owned(), 500), "three answers and two attempts at the fourth");

    // What was not begun is not asked after a fault.
    let bench = Bench::new(Script::strict().always("", Reply::status(400, "no")));
    let criteria: Vec<_> = (0..20).map(|n| json!({ "id": format!("c{n}"), "text": "t" })).collect();
    let options = json!({ "model": "claude-x", "criteria": criteria });
    let fault = bench.ask("criteria", &options, &good()).await.expect_err("no verdict");
    assert_eq!(fault, failed("anthropic refused the request with status 400: no"));
    assert!(bench.provider.requests().len() <= 5, "{}", bench.provider.requests().len());
}

#[tokio::test]
async fn fc20_a_refusal_or_a_filtered_answer_is_no_verdict_and_is_not_asked_again() {
    let verdict = r#"{"answer":"yes","reasoning":"r"}"#;
    for (reply, want) in [
        (
            Reply::refusal("I can't help with that."),
            vec![
                "claude-x refused to judge",
                "gpt-x refused to judge: I can't help with that.",
                "the answer of gemini-x was filtered by its provider",
            ],
        ),
        (
            Reply::text(verdict).with_finish_reason("content_filter"),
            vec![
                "claude-x refused to judge",
                "the answer of gpt-x was filtered by its provider",
                "the answer of gemini-x was filtered by its provider",
            ],
        ),
    ] {
        for (model, want) in MODELS.into_iter().zip(want) {
            let bench = Bench::new(Script::strict().always("", reply.clone()));
            let fault =
                bench.ask("task-completion", &json!({ "model": model }), &good()).await.expect_err("no verdict");
            assert_eq!(unusable(fault), (want.to_owned(), 100));
            assert_eq!(bench.provider.requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_rejected_key_is_a_credential_and_a_full_context_is_not() {
    for (reply, want) in [
        (
            Reply::status(401, "no"),
            JudgeFault::Credentials("anthropic got no usable credentials (status 401)".to_owned()),
        ),
        (Reply::status(413, "too large"), failed("the prompt does not fit the context of claude-x")),
        (Reply::status(400, "no such model"), failed("anthropic refused the request with status 400: no such model")),
    ] {
        let bench = Bench::new(Script::strict().always("", reply));
        let fault = bench.ask("grounded-in-tools", &json!({ "model": "claude-x" }), &good()).await;
        assert_eq!(fault.expect_err("no verdict"), want);
        assert_eq!(bench.provider.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_provider_that_limits_for_a_moment_is_asked_again() {
    let verdict = Reply::text(r#"{"answer":"yes","reasoning":"r"}"#);
    let bench = Bench::new(Script::strict().on("", [Reply::rate_limited(0), verdict]));
    let score = bench.ask("task-completion", &json!({ "model": "claude-x" }), &good()).await.expect("a verdict");
    assert_eq!((score.pass, bench.provider.requests().len()), (Some(true), 2));
    // One that asks to stay away for longer than a call waits is not waited for.
    let bench = Bench::new(Script::strict().always("", Reply::rate_limited(3600)));
    let fault = bench.ask("task-completion", &json!({ "model": "claude-x" }), &good()).await.expect_err("no verdict");
    assert_eq!(fault, failed("anthropic is limiting requests (429) after 1 attempts"));
}

#[tokio::test]
async fn a_verdict_that_is_no_longer_wanted_is_not_waited_for() {
    let bench = Bench::new(Script::strict().always("", Reply::hang()));
    let (options, input) = (json!({ "model": "claude-x" }), good());
    let judged = bench.ask("tool-use", &options, &input);
    let cancelled = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        bench.cancel.cancel();
    };
    let (fault, ()) = tokio::join!(judged, cancelled);
    assert_eq!(fault.expect_err("no verdict"), JudgeFault::Cancelled);
}

#[tokio::test]
async fn fc22_preflight_wants_a_key_and_asks_nobody() {
    let mut bench = Bench::new(Script::strict());
    bench.env.remove("ANTHROPIC_API_KEY");
    let judge = bench.judge("rubric", None);
    for (options, want) in [
        (json!({ "rubric": "conciseness" }), true),
        (json!({ "rubric": "conciseness", "model": "gpt-x" }), false),
        (json!({ "rubric": "conciseness", "model": "gpt-x", "apiKeyEnvVar": "NOT_SET" }), true),
    ] {
        let options = judge.parse(&object(&options)).expect("the options are right");
        let got = judge.preflight(&options).await;
        assert_eq!(matches!(got, Err(JudgeFault::Credentials(_))), want, "{got:?}");
        assert_eq!(got.is_err(), want);
    }
    assert!(bench.provider.all_requests().is_empty());
}

#[tokio::test]
async fn a_key_that_a_model_repeats_is_taken_out_of_its_answer() {
    let bench =
        Bench::new(Script::strict().always("", Reply::text(r#"{"answer":"no","reasoning":"sk-test-anthropic"}"#)));
    let score = bench.ask("task-completion", &json!({ "model": "claude-x" }), &good()).await.expect("a verdict");
    assert_eq!(score.reasoning.as_deref(), Some("[REDACTED]"));
}
