//! Attempts that fail: what is repeated, what is not, and as what it ends.

use std::time::{Duration, Instant};

use mst_llm::{LlmConnector, LlmError, LlmSettings, RetryPolicy};
use mst_model::Provider;
use mst_testkit::provider::{FakeProvider, Reply, Rule, Script, When};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::setup::{FORMS, ask, clock, connect, env, fake_env, fake_model, request, settings};

#[tokio::test]
async fn fc09_a_limit_is_waited_out_as_the_provider_asks() {
    for provider in FORMS {
        let replies = [Reply::rate_limited(1), Reply::status(503, "down"), Reply::text("bin 7")];
        let fake = FakeProvider::start(Script::strict().on("bin", replies)).await;
        let started = Instant::now();
        let reply = ask(&fake_model(provider, &fake), &request(provider, "Which bin?")).await.expect("a reply");
        assert_eq!(reply.text(), "bin 7", "{provider}");
        assert!(started.elapsed() >= Duration::from_secs(1), "{provider}");
        assert_eq!(
            reply.notes,
            [
                "attempt 1 of 4 answered 429; asked again after 1000 ms",
                "attempt 2 of 4 answered 503; asked again after 11 ms"
            ]
        );
    }
}

#[tokio::test]
async fn fc09_a_failure_ends_as_what_broke_after_its_attempts() {
    for provider in FORMS {
        let limited = Reply::status(429, "slow");
        let rows = [
            (limited.clone(), "limited 4", 4),
            (limited.header("retry-after", "61"), "limited 1", 1),
            (Reply::status(401, "429 slow down"), "auth", 1),
            (Reply::status(403, "no"), "auth", 1),
            (Reply::status(400, "context_length_exceeded"), "bad 400", 1),
            (Reply::status(404, "no"), "bad 404", 1),
            (Reply::status(529, "busy"), "unavailable 529", 4),
            (Reply::reset(), "network", 4),
            (Reply::text("a long answer that is cut").cut(), "network", 4),
            (Reply::raw(200, "<html>429</html>"), "unreadable", 1),
            (Reply::raw(400, json!({"error": {"code": "context_length_exceeded"}})), "overflow", 1),
        ];
        for (reply, want, asked) in rows {
            let rule = Rule::new(When::text("bin"), [reply.clone()]).repeating();
            let fake = FakeProvider::start(Script::strict().rule(rule)).await;
            let error =
                ask(&fake_model(provider, &fake), &request(provider, "Which bin?")).await.expect_err("an error");
            let got = match &error {
                LlmError::RateLimited { attempts, .. } => format!("limited {attempts}"),
                LlmError::Auth { .. } => "auth".to_owned(),
                LlmError::BadRequest { status, .. } => format!("bad {status}"),
                LlmError::Unavailable { status, .. } => format!("unavailable {status}"),
                LlmError::Network { .. } => "network".to_owned(),
                LlmError::Unreadable { .. } => "unreadable".to_owned(),
                LlmError::ContextOverflow { .. } => "overflow".to_owned(),
                other => format!("{other:?}"),
            };
            assert_eq!((got.as_str(), fake.requests().len()), (want, asked), "{provider}: {error}");
            assert!(!error.to_string().contains("127.0.0.1"), "{error}");
        }
    }
}

#[tokio::test]
async fn nobody_listening_is_a_network_failure() {
    for provider in FORMS {
        let fake = FakeProvider::start(Script::strict()).await;
        let llm = fake_model(provider, &fake);
        drop(fake);
        let error = ask(&llm, &request(provider, "Which bin?")).await.expect_err("an error");
        assert!(matches!(error, LlmError::Network { attempts: 4, .. }), "{error}");
        assert!(!error.to_string().contains("127.0.0.1"), "{error}");
    }
}

#[tokio::test]
async fn https_needs_nothing_that_is_not_there() {
    let env = env(&[("ANTHROPIC_BASE_URL", "https://127.0.0.1:9"), ("ANTHROPIC_API_KEY", "k")]);
    let llm = connect(settings(Provider::Anthropic, env)).expect("the settings are whole");
    let error = ask(&llm, &request(Provider::Anthropic, "Which bin?")).await.expect_err("nobody listens");
    assert!(matches!(error, LlmError::Network { .. }), "{error}");
}

#[tokio::test]
async fn proxies_come_from_the_environment_value() {
    let fake = FakeProvider::start(Script::strict().always("bin", Reply::text("by proxy"))).await;
    for (proxy, except, want) in [
        (fake.url(), "", "by proxy"),
        (fake.url(), "127.0.0.1", "the connection to openai failed after 1 attempts"),
        ("http://[".to_owned(), "", "HTTP_PROXY is not the address of a proxy"),
    ] {
        let proxies = env(&[("HTTP_PROXY", &proxy), ("NO_PROXY", except)]);
        let env = env(&[("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), ("OPENAI_API_KEY", "k")]);
        let settings = LlmSettings { retry: RetryPolicy::never(), ..settings(Provider::OpenAi, env) };
        let llm = LlmConnector::new(&proxies, clock()).connect(settings).expect("the settings are whole");
        let got = match ask(&llm, &request(Provider::OpenAi, "bin")).await {
            Ok(reply) => reply.text(),
            Err(error) => error.to_string(),
        };
        assert!(got.starts_with(want), "{got}");
    }
}

#[tokio::test]
async fn cancelling_ends_a_call_at_once() {
    for provider in FORMS {
        for reply in [Reply::hang(), Reply::rate_limited(30)] {
            let fake = FakeProvider::start(Script::strict().always("bin", reply)).await;
            let llm = fake_model(provider, &fake);
            let (cancel, request) = (CancellationToken::new(), request(provider, "Which bin?"));
            let (result, ()) = tokio::join!(llm.chat(&request, &cancel), async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                cancel.cancel();
            });
            assert!(matches!(result, Err(LlmError::Cancelled)), "{provider}");
        }
    }
}

#[tokio::test]
async fn lone_surrogates_do_not_lose_a_reply() {
    let body = r#"{"candidates":[{"content":{"parts":[{"text":"a\ud83d"}]},"finishReason":"STOP"}]}"#;
    let provider = Provider::Google;
    let fake = FakeProvider::start(Script::strict().always("bin", Reply::raw(200, body))).await;
    let reply = ask(&fake_model(provider, &fake), &request(provider, "Which bin?")).await.expect("a reply");
    assert_eq!(reply.text(), "a\u{FFFD}");
    assert_eq!(reply.notes, ["the reply held 1 characters that are not Unicode; U+FFFD stands in their place"]);
}

#[tokio::test]
async fn fc09_a_call_is_not_given_up_while_its_provider_answers_others() {
    let refusal = Reply::status(429, "slow").header("retry-after-ms", "100");
    let unlucky = (0..8).map(|_| refusal.clone()).chain([Reply::text("bin 7")]);
    let script = Script::strict()
        .rule(Rule::new(When::text("unlucky"), unlucky).by_arrival())
        .rule(Rule::new(When::text("other"), [Reply::text("yes")]).repeating());
    let fake = FakeProvider::start(script).await;
    let connector = LlmConnector::new(&env(&[]), clock());
    let provider = Provider::Anthropic;
    let connect = || connector.connect(settings(provider, fake_env(&fake))).expect("the settings are whole");
    let (one, other) = (connect(), connect());
    // So many that a halved gate still has room beside the one that is refused.
    let others = futures::future::join_all((0..8).map(|_| async {
        loop {
            ask(&other, &request(provider, "other")).await.expect("it is answered when it gets through");
        }
    }));
    let unlucky = request(provider, "unlucky");
    let reply = tokio::select! {
        reply = ask(&one, &unlucky) => reply.expect("more refusals than attempts, and yet an answer"),
        _ = others => unreachable!("it asks for ever"),
    };
    assert_eq!(reply.text(), "bin 7");
    let excused = reply.notes.iter().filter(|note| note.starts_with("the provider answered 429 while it took other"));
    assert!(excused.count() >= 5, "{:?}", reply.notes);
}
