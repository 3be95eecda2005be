//! Streamable HTTP.

use std::time::Duration;

use axum::response::IntoResponse as _;
use mst_mcp::{CallFailure, Fault};
use mst_model::{AccessAuth, HttpServer, ServerConfig};
use mst_testkit::mcp::{FakeMcpHttp, HttpOptions, McpOptions, Mode};
use serde_json::{Value, json};

use crate::support::{connect, http, lookup, names, within};

fn start(mode: Mode, change: impl FnOnce(&mut HttpOptions)) -> FakeMcpHttp {
    let mut options = HttpOptions { mcp: McpOptions::mode(mode), ..HttpOptions::default() };
    change(&mut options);
    FakeMcpHttp::start(options)
}

#[tokio::test]
async fn json_and_event_streams_bring_the_same() {
    for (sse, stateless) in [(false, false), (true, false), (false, true), (true, true)] {
        for mode in [Mode::Plain, Mode::PagesTwo, Mode::Progress, Mode::Modern, Mode::AsksPing] {
            let server = start(mode, |options| (options.sse, options.stateless) = (sse, stateless));
            if mode == Mode::AsksPing && stateless {
                continue;
            }
            let session = connect(&ServerConfig::Http(http(&server))).await.unwrap();
            assert!(names(&session).contains(&"lookup"));
            let outcome = within(Duration::from_secs(5), lookup(&session)).await;
            assert!(!outcome.is_error, "{mode:?} {sse} {stateless}: {outcome:?}");
            session.close().await;
            let deleted = server.exchanges().iter().any(|exchange| exchange.method == "DELETE");
            assert_eq!(deleted, !stateless && mode != Mode::Modern, "{mode:?} {sse} {stateless}");
        }
    }
}

#[tokio::test]
async fn tokens_and_headers_are_sent_with_every_request() {
    let server = start(Mode::Plain, |options| options.bearer = Some("s3cret-token".to_owned()));
    let mut entry = http(&server);
    let refused = connect(&ServerConfig::Http(entry.clone())).await.unwrap_err();
    assert!(refused.is_authentication());
    assert!(refused.to_string().starts_with("parts refused the credentials for initialize (HTTP 401)"), "{refused}");

    entry.auth = Some(AccessAuth { access_token: Some("s3cret-token".to_owned()), ..AccessAuth::default() });
    entry.headers.insert("X-Team".to_owned(), "parts".to_owned());
    let session = connect(&ServerConfig::Http(entry.clone())).await.unwrap();
    lookup(&session).await;
    session.close().await;
    let later: Vec<_> = server.exchanges().into_iter().skip(1).collect();
    assert!(later.len() >= 4);
    for exchange in later {
        assert_eq!(exchange.headers["authorization"], "Bearer s3cret-token");
        assert_eq!(exchange.headers["x-team"], "parts");
    }

    entry.auth = Some(AccessAuth { access_token_env: Some("NOT_SET".to_owned()), ..AccessAuth::default() });
    let missing = connect(&ServerConfig::Http(entry)).await.unwrap_err();
    assert_eq!(missing.to_string(), "parts needs a token, and the variable NOT_SET is not set");
    assert!(missing.is_authentication());
}

#[tokio::test]
async fn user_info_becomes_basic_authorization_and_never_shows() {
    let server = start(Mode::Plain, |_| {});
    let url = server.url().replace("http://", "http://bot:pa%40ss@") + "?key=s3cret";
    let entry = HttpServer { server_url: url, ..HttpServer::default() };
    let session = connect(&ServerConfig::Http(entry)).await.unwrap();
    session.close().await;
    assert_eq!(server.exchanges()[0].headers["authorization"], "Basic Ym90OnBhQHNz");

    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://bot:pass@{closed}/mcp?key=s3cret");
    let entry = HttpServer { server_url: url, ..HttpServer::default() };
    let error = connect(&ServerConfig::Http(entry)).await.unwrap_err();
    insta::assert_snapshot!(error, @"parts could not be reached for initialize: Connection refused (os error 111)");
}

#[tokio::test]
async fn statuses_and_faults_are_told() {
    let error = connect(&ServerConfig::Http(http(&start(Mode::Unavailable, |_| {})))).await.unwrap_err();
    assert!(matches!(error.fault, Fault::Request(CallFailure::Http { status: 503, .. })), "{error}");

    let server = start(Mode::HangsInCall, |_| {});
    let mut entry = http(&server);
    entry.call_timeout_ms = Some(200);
    let session = connect(&ServerConfig::Http(entry)).await.unwrap();
    assert!(matches!(lookup(&session).await.failure, Some(CallFailure::Timeout { .. })));
    within(Duration::from_secs(2), session.close()).await;

    let server = start(Mode::LoneSurrogate, |options| options.sse = true);
    let session = connect(&ServerConfig::Http(http(&server))).await.unwrap();
    assert!(lookup(&session).await.text.contains('\u{FFFD}'));
    session.close().await;
}

/// Serves a router on a free port while the returned set lives.
async fn serve(app: axum::Router) -> (String, tokio::task::JoinSet<std::io::Result<()>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a loopback port is free");
    let url = format!("http://{}/mcp", listener.local_addr().expect("a bound socket has an address"));
    let mut serving = tokio::task::JoinSet::new();
    serving.spawn(async move { axum::serve(listener, app).await });
    (url, serving)
}

fn stream(text: String) -> axum::response::Response {
    ([("content-type", "text/event-stream")], text).into_response()
}

fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

/// A server that cuts every call's stream after an id, and sends the rest, and a notification, to whom asks with a GET.
async fn cutting(method: axum::http::Method, headers: axum::http::HeaderMap, body: String) -> axum::response::Response {
    if method == "GET" {
        return match headers.get("last-event-id") {
            Some(id) => {
                let result = json!({"content": [{"type": "text", "text": "late"}]});
                let id: u64 = id.to_str().ok().and_then(|id| id.parse().ok()).unwrap_or_default();
                stream(event(&json!({"jsonrpc": "2.0", "id": id, "result": result})))
            }
            None => stream(event(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))),
        };
    }
    let message: Value = serde_json::from_str(&body).unwrap_or_default();
    let result = match message["method"].as_str() {
        Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}}),
        Some("tools/list") => json!({"tools": [{"name": "lookup"}]}),
        Some("tools/call") => return stream(format!("id: {}\nretry: 10\ndata:\n\n", message["id"])),
        _ => return axum::http::StatusCode::ACCEPTED.into_response(),
    };
    axum::Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}

#[tokio::test]
async fn a_stream_that_was_cut_is_asked_for_its_rest() {
    let (url, _serving) = serve(axum::Router::new().fallback(cutting)).await;
    let session = connect(&ServerConfig::Http(HttpServer { server_url: url, ..HttpServer::default() })).await.unwrap();
    let outcome = within(Duration::from_secs(5), lookup(&session)).await;
    assert_eq!((outcome.text.as_str(), outcome.failure), ("late", None));
    let noticed = async {
        while session.list_changes() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(Duration::from_secs(5), noticed).await;
    session.close().await;
}

#[tokio::test]
async fn the_transport_of_2024_is_recognised() {
    let old = |method: axum::http::Method| async move {
        if method == "GET" {
            return stream("event: endpoint\ndata: /messages?session=1\n\n".to_owned());
        }
        axum::http::StatusCode::METHOD_NOT_ALLOWED.into_response()
    };
    let (url, _serving) = serve(axum::Router::new().fallback(old)).await;
    let error =
        connect(&ServerConfig::Http(HttpServer { server_url: url, ..HttpServer::default() })).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "parts speaks only the HTTP+SSE transport of 2024-11-05, which needs a bridge to Streamable HTTP"
    );
}
