//! The HTTP transport, in process and as a program.

use mst_testkit::TestEnv;
use mst_testkit::mcp::{FakeMcpHttp, HttpOptions, McpOptions, Mode};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::fake_program::FakeProgram;

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Answer {
    /// Reads the JSON body, or the last event of a stream.
    fn json(&self) -> Value {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        serde_json::from_str(data.unwrap_or(&self.body)).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

async fn post(url: &str, headers: &[(&str, &str)], message: &Value) -> reqwest::Result<Answer> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut request =
        client.post(url).body(message.to_string()).header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await?;
    Ok(Answer { status: response.status().as_u16(), headers: response.headers().clone(), body: response.text().await? })
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
}

fn call(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "lookup", "arguments": {"id": "p-1"}}})
}

/// Opens a session and returns its id.
async fn open(url: &str) -> String {
    let answer = post(url, &[], &initialize()).await.unwrap();
    answer.headers["mcp-session-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn sessions_versions_and_both_kinds_of_body_are_served() {
    for sse in [false, true] {
        let fake = FakeMcpHttp::start(HttpOptions { sse, ..HttpOptions::default() });
        let url = fake.url();
        let session = open(&url).await;
        let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-06-18")];
        let answer = post(&url, &headers, &call(2)).await.unwrap();
        assert_eq!((answer.status, answer.json()["result"]["content"][0]["text"].as_str()), (200, Some("bin 7")));
        assert_eq!(answer.headers["content-type"], if sse { "text/event-stream" } else { "application/json" });
        let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(post(&url, &headers, &note).await.unwrap().status, 202);
        assert_eq!(post(&url, &[], &call(3)).await.unwrap().status, 400);
        assert_eq!(post(&url, &[("mcp-session-id", "gone")], &call(3)).await.unwrap().status, 404);
        let exchange = &fake.exchanges()[1];
        assert_eq!((exchange.headers["mcp-protocol-version"].as_str(), exchange.status), ("2025-06-18", Some(200)));
        assert_eq!(fake.messages("tools/call").len(), 3);
    }
}

#[tokio::test]
async fn http_modes_refuse_as_they_say() {
    let fake = FakeMcpHttp::start(HttpOptions { bearer: Some("secret".into()), ..HttpOptions::default() });
    assert_eq!(post(&fake.url(), &[], &initialize()).await.unwrap().status, 401);
    assert_eq!(post(&fake.url(), &[("authorization", "Bearer secret")], &initialize()).await.unwrap().status, 200);

    let fake = FakeMcpHttp::start_mode(Mode::VersionText);
    let refused = post(&fake.url(), &[], &initialize()).await.unwrap();
    assert!(refused.status == 400 && refused.body.contains("supported versions: 2025-03-26"), "{}", refused.body);

    let fake = FakeMcpHttp::start_mode(Mode::SessionLost);
    let session = open(&fake.url()).await;
    assert_eq!(post(&fake.url(), &[("mcp-session-id", &session)], &call(2)).await.unwrap().status, 404);
    let session = open(&fake.url()).await;
    assert_eq!(post(&fake.url(), &[("mcp-session-id", &session)], &call(3)).await.unwrap().status, 200);

    let fake = FakeMcpHttp::start_mode(Mode::RateLimited);
    let session = open(&fake.url()).await;
    let mut statuses = Vec::new();
    for id in 2..5 {
        statuses.push(post(&fake.url(), &[("mcp-session-id", &session)], &call(id)).await.unwrap().status);
    }
    assert_eq!(statuses, [429, 429, 200]);
    assert_eq!(post(&FakeMcpHttp::start_mode(Mode::Unavailable).url(), &[], &initialize()).await.unwrap().status, 503);
}

#[tokio::test]
async fn a_server_that_dies_resets_its_connections() {
    let fake = FakeMcpHttp::start_mode(Mode::DiesInCall);
    let session = open(&fake.url()).await;
    assert!(post(&fake.url(), &[("mcp-session-id", &session)], &call(2)).await.is_err());
    assert!(post(&fake.url(), &[], &initialize()).await.is_err());
}

#[tokio::test]
async fn the_stateless_version_needs_no_session() {
    let fake = FakeMcpHttp::start_mode(Mode::Modern);
    let refused = post(&fake.url(), &[], &initialize()).await.unwrap();
    assert_eq!((refused.status, refused.json()["error"]["code"].as_i64()), (400, Some(-32022)));
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": meta}});
    let listed = post(&fake.url(), &[("mcp-protocol-version", "2026-07-28")], &list).await.unwrap();
    assert_eq!(listed.json()["result"]["tools"][0]["name"], "lookup");
}

#[tokio::test]
async fn a_call_asks_the_client_on_its_own_stream() {
    let fake = FakeMcpHttp::start(HttpOptions { mcp: McpOptions::mode(Mode::AsksRoots), ..HttpOptions::default() });
    let url = fake.url();
    let session = open(&url).await;
    let headers = [("mcp-session-id", session.as_str())];
    let (asking, waiting) = (call(2), json!({"jsonrpc": "2.0", "id": "ask-1", "result": {"roots": []}}));
    let answer = async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        post(&url, &headers, &waiting).await
    };
    let (called, answered) = tokio::join!(post(&url, &headers, &asking), answer);
    let called = called.unwrap();
    assert!(called.body.contains("roots/list"), "{}", called.body);
    assert_eq!(called.json()["result"]["content"][0]["text"], "the client answered: {\"roots\":[]}");
    assert_eq!(answered.unwrap().status, 202);
}

#[tokio::test]
async fn broken_bodies_go_out_as_they_are() {
    for (mode, sse, expected) in [
        (Mode::StrayLines, false, "[cache] miss\n{\"jsonrpc\""),
        (Mode::GluedFrame, true, "data: 50%{\"jsonrpc\""),
        (Mode::LoneSurrogate, true, r"\ud800"),
        (Mode::LoneSurrogate, false, r"\ud800"),
        (Mode::Progress, false, "notifications/message"),
    ] {
        let fake = FakeMcpHttp::start(HttpOptions { mcp: McpOptions::mode(mode), sse, ..HttpOptions::default() });
        let session = open(&fake.url()).await;
        let answer = post(&fake.url(), &[("mcp-session-id", &session)], &call(2)).await.unwrap();
        assert!(answer.body.contains(expected), "{}: {}", mode.name(), answer.body);
    }
}

#[tokio::test]
async fn the_program_serves_and_logs() {
    let env = TestEnv::new();
    let log = env.path("http.log");
    let mut fake =
        FakeProgram::start(&env, &["mcp-http", "--mode", "plain", "--stateless", "--log", log.to_str().unwrap()]);
    let url = fake.json()["url"].as_str().unwrap().to_owned();
    let answer = post(&url, &[("x-api-key", "k-1")], &initialize()).await.unwrap();
    assert!(answer.status == 200 && answer.headers.get("mcp-session-id").is_none());
    assert_eq!(post(&url, &[], &call(2)).await.unwrap().status, 200);
    assert_eq!(fake.wait(), Some(0));
    let lines = env.read_lines("http.log");
    assert_eq!(lines[0]["http"]["headers"]["x-api-key"], "k-1");
    assert_eq!(lines.iter().filter(|line| line["in"]["method"] == "tools/call").count(), 1);
}
