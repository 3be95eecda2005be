//! Streamable HTTP that goes wrong in the middle of a session: what is sent again, what fails, what ends a trial.

use std::time::Duration;

use mst_mcp::{CallFailure, CallOutcome, Session};
use mst_model::{Broke, Ending, HttpServer, ServerConfig};
use mst_testkit::mcp::{FakeMcpHttp, Mode};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::support::{connect, http, lookup, within};

async fn session(mode: Mode, change: impl FnOnce(&mut HttpServer)) -> (FakeMcpHttp, Session) {
    let server = FakeMcpHttp::start_mode(mode);
    let mut entry = http(&server);
    change(&mut entry);
    let session = connect(&ServerConfig::Http(entry)).await.unwrap_or_else(|error| panic!("{error}"));
    (server, session)
}

async fn call(session: &Session) -> CallOutcome {
    within(Duration::from_secs(10), lookup(session)).await
}

fn statuses(server: &FakeMcpHttp, method: &str) -> Vec<u16> {
    let exchanges = server.exchanges().into_iter();
    exchanges.filter(|exchange| exchange.body["method"] == method).filter_map(|exchange| exchange.status).collect()
}

#[tokio::test]
async fn a_session_that_the_server_ended_is_begun_again_once() {
    let (server, session) = session(Mode::SessionLost, |_| {}).await;
    let outcome = call(&session).await;
    assert_eq!((outcome.text.as_str(), outcome.failure), ("bin 7", None));
    assert_eq!(statuses(&server, "tools/call"), [404, 200]);
    assert_eq!(server.messages("initialize").len(), 2);
    assert_eq!(server.messages("notifications/initialized").len(), 2);
    let ids: Vec<Option<String>> = server
        .exchanges()
        .iter()
        .filter(|exchange| matches!(exchange.body["method"].as_str(), Some("initialize" | "tools/call")))
        .map(|exchange| exchange.headers.get("mcp-session-id").cloned())
        .collect();
    let id = |number| Some(format!("session-000{number}"));
    assert_eq!(ids, [None, id(1), None, id(2)], "a new session begins without an id");
    assert_eq!(session.observation().warnings, ["parts ended its session (HTTP 404); a new one was begun"]);
    assert_ne!(session.list_changes(), session.latest().0, "the new session is to be listed again");
    assert!(session.current(&CancellationToken::new()).await.is_ok());
    session.close().await;
}

#[tokio::test]
async fn a_session_that_is_lost_again_ends_the_connection() {
    let (server, session) = session(Mode::SessionLostAlways, |_| {}).await;
    let outcome = call(&session).await;
    assert_eq!(outcome.text, "the server ended the session (HTTP 404) during the call");
    assert_eq!((outcome.failure, outcome.ending), (Some(CallFailure::SessionLost), None));
    assert!(session.is_gone());
    let sent = server.messages("tools/call").len();
    assert!(call(&session).await.is_error, "later calls fail at once");
    assert_eq!((sent, server.messages("tools/call").len()), (2, 2));
    session.close().await;
}

#[tokio::test]
async fn calls_at_once_that_lose_their_session_begin_one_together() {
    let (server, session) = session(Mode::SessionLost, |_| {}).await;
    let calls = futures::future::join_all((0..8).map(|_| call(&session))).await;
    assert!(calls.iter().all(|outcome| outcome.text == "bin 7"), "{calls:?}");
    assert_eq!(server.messages("initialize").len(), 2);
    session.close().await;
}

#[tokio::test]
async fn fc09_a_429_is_waited_for_as_told() {
    let (server, session) = session(Mode::RateLimited, |_| {}).await;
    let outcome = call(&session).await;
    assert_eq!((outcome.text.as_str(), outcome.failure), ("bin 7", None));
    assert!(outcome.duration >= Duration::from_secs(2), "it was told to wait a second, twice: {:?}", outcome.duration);
    assert_eq!(statuses(&server, "tools/call"), [429, 429, 200]);
    let warning = "parts answered HTTP 429; its requests were sent again after a wait";
    assert_eq!(session.observation().warnings, [warning]);
    session.close().await;
}

#[tokio::test]
async fn fc09_a_429_for_longer_than_a_call_may_take_breaks_the_trial() {
    let (server, session) = session(Mode::RateLimitedAlways, |_| {}).await;
    let outcome = call(&session).await;
    let wait = Some(Duration::from_hours(1));
    assert_eq!(outcome.failure, Some(CallFailure::RateLimited { retry_after: wait, waits: 0 }));
    let reason = "parts answered tools/call with HTTP 429; it asks to wait 3600 s";
    assert_eq!(outcome.ending, Some(Ending::retryable(Broke::Network, reason)));
    assert_eq!(server.messages("tools/call").len(), 1);
    session.close().await;
}

#[tokio::test]
async fn a_token_that_is_refused_in_the_middle_breaks_the_trial_for_good() {
    let (_server, session) = session(Mode::TokenExpires, |_| {}).await;
    assert_eq!(call(&session).await.text, "bin 7");
    let outcome = call(&session).await;
    let reason = "parts refused the credentials for tools/call (HTTP 401): the token has expired";
    assert_eq!(outcome.ending, Some(Ending::permanent(Broke::Setup, reason)));
    session.close().await;
}

/// A call whose answer was lost may have run: it fails, and is not sent again, whatever `retryAttempts` says.
#[tokio::test]
async fn a_call_whose_answer_is_lost_fails_and_is_not_repeated() {
    for (mode, want) in [
        (Mode::FailsInCall, "the server answered the call with HTTP 503"),
        (Mode::NoAnswer, "the server answered the call wrongly: HTTP 202 without an answer"),
        (Mode::ResetInCall, "the server could not be reached for the call: "),
    ] {
        let (server, session) = session(mode, |entry| entry.retry_attempts = Some(3)).await;
        let outcome = call(&session).await;
        assert!(outcome.is_error && outcome.text.starts_with(want), "{mode:?}: {}", outcome.text);
        assert_eq!((outcome.ending, server.messages("tools/call").len()), (None, 1), "{mode:?}");
        assert!(!session.is_gone(), "{mode:?}");
        session.close().await;
    }
}

#[tokio::test]
async fn a_stream_that_closes_before_its_answer_is_polled() {
    let (server, session) = session(Mode::ClosesBeforeAnswer, |_| {}).await;
    let outcome = call(&session).await;
    assert_eq!((outcome.text.as_str(), outcome.failure), ("bin 7", None));
    let polls: Vec<String> = server
        .exchanges()
        .into_iter()
        .filter(|exchange| exchange.method == "GET")
        .filter_map(|exchange| exchange.headers.get("last-event-id").cloned())
        .collect();
    let id = server.messages("tools/call")[0]["id"].to_string();
    assert_eq!(polls, vec![id; 3]);
    session.close().await;
}

#[tokio::test]
async fn retries_reach_a_server_that_starts_late() {
    let reserved = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = reserved.local_addr().unwrap().port();
    drop(reserved);
    let url = format!("http://127.0.0.1:{port}/mcp");
    let entry = |retries| HttpServer { server_url: url.clone(), retry_attempts: retries, ..HttpServer::default() };
    let error = connect(&ServerConfig::Http(entry(None))).await.unwrap_err();
    assert!(error.to_string().contains("could not be reached for initialize"), "{error}");

    let late = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let options = mst_testkit::mcp::HttpOptions::default();
        FakeMcpHttp::serve(port, options).expect("the port is free again")
    };
    let config = ServerConfig::Http(entry(Some(8)));
    let (server, session) = tokio::join!(late, connect(&config));
    let session = session.unwrap();
    assert_eq!(call(&session).await.text, "bin 7");
    session.close().await;
    drop(server);
}

#[tokio::test]
async fn a_tool_whose_headers_break_the_rules_is_left_out() {
    let (server, session) = session(Mode::ModernHeaders, |_| {}).await;
    let listed: Vec<&str> = session.surface().tools.iter().map(mst_mcp::ListedTool::name).collect();
    assert_eq!(listed, ["lookup"]);
    let warning = r#"parts lists the tool "echo" with an x-mcp-header of "text" that cannot be the name of a header, so that it is left out"#;
    assert_eq!(session.observation().warnings, [warning]);
    call(&session).await;
    let sent = server.exchanges().into_iter().find(|exchange| exchange.body["method"] == "tools/call").unwrap();
    let header = |name: &str| sent.headers.get(name).map(String::as_str);
    assert_eq!(
        [header("mcp-method"), header("mcp-name"), header("mcp-param-part")],
        [Some("tools/call"), Some("lookup"), Some("p-1")]
    );
    assert_eq!(sent.body["params"].get("inputResponses"), None::<&Value>);
    session.close().await;
}
