//! How trials end.

use std::time::Duration;

use mst_ext::ClientOpenError;
use mst_model::Broke;
use mst_testkit::{Mode, Reply, Script};
use serde_json::{Value, json};

use crate::bench::{Bench, broke};

#[tokio::test]
async fn fc09_a_rejected_key_is_a_setup_failure_that_is_not_retried() {
    let bench =
        Bench::new(Script::strict().always("p-1", Reply::status(401, "429 too many"))).server("parts", Mode::Plain);
    let run = bench.run().await;
    assert_eq!(broke(&run), Some((Broke::Setup, false)));
    assert_eq!(bench.provider.requests().len(), 1);
}

#[tokio::test]
async fn fc09_limits_and_broken_connections_are_retryable() {
    let limited = Reply::status(429, "slow").header("retry-after", "0");
    for (reply, want) in [(limited, Broke::Provider), (Reply::reset(), Broke::Network)] {
        let bench = Bench::new(Script::strict().always("p-1", reply)).server("parts", Mode::Plain);
        let run = bench.run().await;
        assert_eq!(broke(&run), Some((want, true)), "{:?}", run.error);
    }
}

#[tokio::test]
async fn fc09_a_text_about_limits_is_an_answer() {
    let usage = mst_testkit::Usage::default();
    let usage = mst_testkit::Usage { input: 0, output: 0, ..usage };
    let reply = Reply::text("HTTP 429: quota exceeded").with_usage(usage);
    let run = Bench::new(Script::strict().on("p-1", [reply])).run().await;
    assert_eq!((broke(&run), run.final_text.as_str()), (None, "HTTP 429: quota exceeded"));
    assert!(run.diagnostics.notes.iter().any(|note| note.contains("0 tokens")), "{:?}", run.diagnostics);
}

#[tokio::test]
async fn fc20_a_refusal_is_an_error_of_the_trial() {
    for model in ["claude-x", "gpt-x"] {
        let bench = Bench::new(Script::strict().always("p-1", Reply::refusal("I can't help with that.")))
            .options(json!({ "model": model }));
        let run = bench.run().await;
        assert_eq!(broke(&run), None, "{model}");
        assert!(run.error.as_deref().is_some_and(|error| error.contains("refused")), "{model}: {:?}", run.error);
        assert_eq!(bench.provider.requests().len(), 1, "{model}");
    }
}

#[tokio::test]
async fn fc20_a_filtered_answer_is_an_error_of_the_trial() {
    let reply = Reply { text: None, ..Reply::text("") }.with_finish_reason("content_filter");
    let bench = Bench::new(Script::strict().always("p-1", reply)).options(json!({ "model": "gpt-x" }));
    let run = bench.run().await;
    assert_eq!(run.error.as_deref(), Some("the provider filtered the answer (content_filter)"));
    assert_eq!(bench.provider.requests().len(), 1);
}

#[tokio::test]
async fn an_interrupted_trial_counts_for_nothing() {
    let bench = Bench::new(Script::strict().always("p-1", Reply::hang())).server("parts", Mode::Plain);
    let cancel = bench.cancel.clone();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        cancel.cancel();
    };
    let (run, ()) = tokio::time::timeout(Duration::from_secs(10), async { tokio::join!(bench.run(), stop) })
        .await
        .expect("it ends");
    assert_eq!(broke(&run), Some((Broke::Deadline, true)));
    assert_eq!(run.error.as_deref(), Some("interrupted"));
}

#[tokio::test]
async fn options_and_keys_are_checked_before_the_first_trial() {
    let open = async |options: Value, key: bool| {
        let mut bench = Bench::new(Script::strict()).options(options);
        if !key {
            bench.env.clear();
        }
        bench.try_run().await.err()
    };
    assert!(matches!(open(json!({ "model": "claude-x" }), false).await, Some(ClientOpenError::Credentials(_))));
    assert!(matches!(open(json!({ "temperature": 2 }), true).await, Some(ClientOpenError::Setup(_))));
    assert!(matches!(
        open(json!({ "model": "m", "provider": "openai-compatible" }), true).await,
        Some(ClientOpenError::Setup(_))
    ));
}

#[tokio::test]
async fn a_key_that_only_the_client_knows_is_taken_out_of_the_result() {
    let key = "sk-only-the-client-knows";
    let reply = Reply::text(format!("the key is {key}"));
    let bench = Bench::new(Script::strict().on("p-1", [reply]))
        .options(json!({ "model": "claude-x", "env": { "ANTHROPIC_API_KEY": key } }));
    let run = bench.run().await;
    assert_eq!(run.final_text, "the key is [REDACTED]");
    assert_eq!(bench.provider.last_request().header("x-api-key"), Some(key));
}
