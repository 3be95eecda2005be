//! What servers ask of the client, over both transports and in both ways: as requests, and inside a result.

use std::time::Duration;

use mst_mcp::{CallFailure, Session};
use mst_model::{Answers, HttpServer, ServerConfig, ServerRequestOutcome};
use mst_testkit::mcp::{FakeMcpHttp, Mode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Stdio, connect, http, lookup, within};

fn answers(value: Value) -> Answers {
    serde_json::from_value(value).expect("answers")
}

/// Connects to a fake over both transports and hands each session to a check.
async fn over_both(mode: Mode, value: Value, check: impl AsyncFn(&Session, &str)) {
    let mut server = Stdio::fake(mode);
    server.entry.answers = Some(answers(value.clone()));
    let session = server.session().await;
    within(Duration::from_secs(10), check(&session, "stdio")).await;
    session.close().await;
    server.assert_nothing_left();

    let server = FakeMcpHttp::start_mode(mode);
    let entry = HttpServer { answers: Some(answers(value)), ..http(&server) };
    let session = connect(&ServerConfig::Http(entry)).await.unwrap_or_else(|error| panic!("{error}"));
    within(Duration::from_secs(10), check(&session, "http")).await;
    session.close().await;
}

fn outcomes(session: &Session) -> Vec<(String, ServerRequestOutcome)> {
    session.observation().requests.into_iter().map(|request| (request.method, request.outcome)).collect()
}

#[tokio::test]
async fn scripted_answers_reach_a_server_and_are_recorded() {
    let script = json!({
        "elicitation": [{ "match": "size", "action": "accept", "content": { "size": "large" } }, { "action": "cancel" }],
        "sampling": [{ "text": "bin 9" }],
        "roots": ["file:///work"],
    });
    for (mode, method, want) in [
        (Mode::AsksElicitation, "elicitation/create", r#"{"action":"accept","content":{"size":"large"}}"#),
        (Mode::AsksUrl, "elicitation/create", r#"{"action":"cancel"}"#),
        (
            Mode::AsksSampling,
            "sampling/createMessage",
            r#"{"role":"assistant","content":{"type":"text","text":"bin 9"},"model":"scripted","stopReason":"endTurn"}"#,
        ),
        (Mode::AsksRoots, "roots/list", r#"{"roots":[{"uri":"file:///work"}]}"#),
    ] {
        over_both(mode, script.clone(), async |session, transport| {
            let outcome = lookup(session).await;
            assert_eq!(outcome.text, format!("the client answered: {want}"), "{transport}");
            let seen = session.observation();
            assert_eq!(outcomes(session), [(method.to_owned(), ServerRequestOutcome::Answered)], "{transport}");
            assert_eq!(seen.requests[0].answer.as_ref().map(Value::to_string).as_deref(), Some(want));
            assert_eq!(seen.warnings, Vec::<String>::new(), "{transport}");
        })
        .await;
    }
}

#[tokio::test]
async fn what_has_no_answer_is_refused_as_the_protocol_says_and_recorded() {
    let not_found = r#"{"code":-32601,"message":"method not found"}"#;
    for (mode, script, method, want) in [
        (Mode::AsksElicitation, json!({}), "elicitation/create", not_found),
        (Mode::AsksSampling, json!({}), "sampling/createMessage", not_found),
        (Mode::AsksRoots, json!({}), "roots/list", not_found),
        (
            Mode::AsksElicitation,
            json!({ "elicitation": [{ "match": "colour", "action": "accept" }] }),
            "elicitation/create",
            r#"{"action":"decline"}"#,
        ),
    ] {
        over_both(mode, script, async |session, transport| {
            let outcome = lookup(session).await;
            assert_eq!(outcome.text, format!("the client answered: {want}"), "{transport}");
            assert_eq!(outcomes(session), [(method.to_owned(), ServerRequestOutcome::Refused)], "{transport}");
            let warning = format!("parts asked for {method}, which was refused");
            assert_eq!(session.observation().warnings, [warning], "{transport}");
        })
        .await;
    }
}

#[tokio::test]
async fn sampling_texts_run_out() {
    over_both(Mode::AsksSampling, json!({ "sampling": [{ "text": "one" }, { "text": "two" }] }), async |session, _| {
        for want in [r#""text":"one""#, r#""text":"two""#, r#"{"code":-1,"message":"user rejected sampling request"}"#]
        {
            let outcome = lookup(session).await;
            assert!(outcome.text.contains(want), "{}", outcome.text);
        }
    })
    .await;
}

#[tokio::test]
async fn pings_are_answered_and_logs_are_kept() {
    over_both(Mode::AsksPing, json!({}), async |session, transport| {
        assert_eq!(lookup(session).await.text, "the client answered: {}", "{transport}");
        let seen = session.observation();
        assert_eq!((seen.requests.len(), seen.unsolicited.get("ping")), (0, Some(&1)), "{transport}");
    })
    .await;
    over_both(Mode::Progress, json!({}), async |session, transport| {
        assert_eq!(lookup(session).await.text, "bin 7");
        let mark = session.mark();
        let seen = session.observation();
        assert_eq!(seen.unsolicited.get("notifications/message"), Some(&1), "{transport}");
        assert_eq!((seen.log[0].level.as_str(), seen.log[0].text.as_str()), ("info", "looking"));
        let later = session.observation_since(&mark);
        assert_eq!((later.log.len(), later.unsolicited.len()), (0, 0), "a later trial tells only of its own time");
    })
    .await;
}

#[tokio::test]
async fn input_that_a_result_asks_for_is_given_in_another_round() {
    let script = json!({
        "elicitation": [{ "action": "accept", "content": { "size": "small" } }],
        "sampling": [{ "text": "bin 9" }],
        "roots": ["file:///work"],
    });
    over_both(Mode::ModernAsks, script.clone(), async |session, transport| {
        let outcome = lookup(session).await;
        let want = r#"the client answered: {"size":{"action":"accept","content":{"size":"small"}}}"#;
        assert_eq!((outcome.text.as_str(), outcome.is_error), (want, false), "{transport}");
        assert_eq!(outcomes(session), [("elicitation/create".to_owned(), ServerRequestOutcome::Answered)]);
    })
    .await;
    over_both(Mode::ModernAsksMuch, script.clone(), async |session, transport| {
        let outcome = lookup(session).await;
        assert!(!outcome.is_error, "{transport}: {outcome:?}");
        for part in [r#""size":{"action":"accept""#, r#""text":"bin 9""#, r#""uri":"file:///work""#] {
            assert!(outcome.text.contains(part), "{transport}: {}", outcome.text);
        }
        assert_eq!(session.observation().requests.len(), 3);
    })
    .await;
    over_both(Mode::ModernAsksForEver, script, async |session, transport| {
        let outcome = lookup(session).await;
        let want = "the server asked for input during the call: it asked more than 10 times";
        assert_eq!((outcome.text.as_str(), outcome.is_error), (want, true), "{transport}");
        assert_eq!(session.observation().requests.len(), 10);
    })
    .await;
}

#[tokio::test]
async fn input_that_nothing_answers_is_a_tool_error_that_says_so() {
    for script in [json!({}), json!({ "elicitation": [{ "match": "colour", "action": "accept" }] })] {
        over_both(Mode::ModernAsks, script, async |session, transport| {
            let outcome = lookup(session).await;
            let want =
                r#"the server asked for input during the call: nothing answers its elicitation/create "Which size?""#;
            assert_eq!((outcome.text.as_str(), outcome.is_error), (want, true), "{transport}");
            assert!(matches!(outcome.failure, Some(CallFailure::InputRefused { .. })), "{transport}");
            assert_eq!(outcome.ending, None, "{transport}");
            assert_eq!(outcomes(session), [("elicitation/create".to_owned(), ServerRequestOutcome::Refused)]);
        })
        .await;
    }
    over_both(Mode::ModernTask, json!({}), async |session, transport| {
        let outcome = lookup(session).await;
        let want = r#"the server answered the call wrongly: a result of the type "task""#;
        assert_eq!((outcome.text.as_str(), outcome.is_error), (want, true), "{transport}");
    })
    .await;
}

#[tokio::test]
async fn changes_are_subscribed_to_where_there_is_no_standing_stream() {
    over_both(Mode::ModernListChanged, json!({}), async |session, transport| {
        let cancel = CancellationToken::new();
        let subscribed = async {
            while session.observation().unsolicited.is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        within(Duration::from_secs(5), subscribed).await;
        session.call("list_notes", None, &cancel).await;
        let noticed = async {
            while session.list_changes() == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        within(Duration::from_secs(5), noticed).await;
        let (_, now) = session.current(&cancel).await.unwrap();
        assert!(now.tools.iter().any(|tool| tool.name() == "purge"), "{transport}");
    })
    .await;
}

#[tokio::test]
async fn capabilities_are_declared_where_there_are_answers() {
    for (mode, pointer) in [
        (Mode::Plain, "/params/capabilities"),
        (Mode::Modern, "/params/_meta/io.modelcontextprotocol~1clientCapabilities"),
    ] {
        for (script, want) in [
            (json!({}), json!({})),
            (json!({ "roots": [] }), json!({ "roots": {} })),
            (
                json!({ "elicitation": [{ "action": "accept" }], "sampling": [{ "text": "x" }] }),
                json!({ "sampling": {}, "elicitation": { "form": {}, "url": {} } }),
            ),
        ] {
            let server = FakeMcpHttp::start_mode(mode);
            let entry = HttpServer { answers: Some(answers(script)), ..http(&server) };
            connect(&ServerConfig::Http(entry)).await.unwrap().close().await;
            let method = if mode == Mode::Plain { "initialize" } else { "server/discover" };
            let sent = &server.messages(method)[0];
            assert_eq!(sent.pointer(pointer), Some(&want), "{sent}");
        }
    }
}
