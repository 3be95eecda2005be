//! Every revision over both transports: pinned, as the server's own choice, and by a probe.

use mst_mcp::Session;
use mst_model::{HttpServer, ProtocolProbe, ProtocolSetting, ServerConfig};
use mst_testkit::mcp::{FakeMcpHttp, HttpOptions, McpOptions, Mode};

use crate::support::{Stdio, connect, http, lookup};

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const STATELESS: &str = "2026-07-28";

fn setting(text: &str) -> ProtocolSetting {
    ProtocolSetting::parse(text).expect("a setting")
}

/// What came of a connection: the revision, or how it failed.
async fn settled(connected: Result<Session, mst_mcp::McpError>) -> String {
    match connected {
        Ok(session) => {
            let answer = lookup(&session).await;
            session.close().await;
            assert_eq!(answer.text, "bin 7", "at {}", session.protocol_version());
            session.protocol_version().to_owned()
        }
        Err(error) => error.to_string(),
    }
}

async fn over_stdio(mode: Mode, protocol: &str) -> String {
    let mut server = Stdio::fake(mode);
    server.entry.protocol = setting(protocol);
    let settled = settled(server.connect().await).await;
    server.assert_nothing_left();
    settled
}

async fn over_http(mode: Mode, protocol: &str, sse: bool) -> String {
    let options = HttpOptions { mcp: McpOptions::mode(mode), sse, ..HttpOptions::default() };
    let server = FakeMcpHttp::start(options);
    let entry = HttpServer { protocol: setting(protocol), ..http(&server) };
    let settled = settled(connect(&ServerConfig::Http(entry)).await).await;
    // Every request after the handshake names the revision, and none that was begun without it does.
    for exchange in server.exchanges() {
        let named = exchange.headers.get("mcp-protocol-version").map(String::as_str);
        match exchange.body["method"].as_str() {
            Some("initialize") => assert_eq!(named, None),
            Some("server/discover") => assert_eq!(named, Some(STATELESS)),
            Some(_) => assert_eq!(named, Some(settled.as_str()), "{exchange:?}"),
            None => {}
        }
    }
    settled
}

async fn everywhere(mode: Mode, protocol: &str) -> String {
    let stdio = over_stdio(mode, protocol).await;
    for sse in [false, true] {
        assert_eq!(over_http(mode, protocol, sse).await, stdio, "{mode:?} {protocol} sse={sse}");
    }
    stdio
}

#[tokio::test]
async fn every_revision_can_be_pinned() {
    for revision in LEGACY {
        assert_eq!(everywhere(Mode::Plain, revision).await, revision);
    }
    assert_eq!(everywhere(Mode::Modern, STATELESS).await, STATELESS);
}

#[tokio::test]
async fn a_pinned_revision_fails_on_another_answer() {
    for revision in &LEGACY[1..] {
        let want =
            format!(r#"parts answered initialize with the protocol version "2024-11-05", and {revision} was offered"#);
        assert_eq!(everywhere(Mode::VersionOld, revision).await, want);
    }
    // A server without the stateless revision, and one without any other.
    let refused = over_stdio(Mode::Plain, STATELESS).await;
    assert_eq!(refused, "parts answered server/discover with the error -32601: method not found: server/discover");
    let refused = over_http(Mode::Plain, STATELESS, false).await;
    assert_eq!(refused, "parts answered server/discover with HTTP 400: Bad Request: Mcp-Session-Id header is required");
    let refused = everywhere(Mode::Modern, "2025-11-25").await;
    assert_eq!(refused, "parts refused initialize with the protocol version 2025-11-25; it speaks none that it names");
}

#[tokio::test]
async fn legacy_takes_any_answer_and_falls_back_to_the_stateless_revision() {
    for (mode, want) in [
        (Mode::Plain, "2025-11-25"),
        (Mode::VersionOld, "2024-11-05"),
        (Mode::VersionRefused, "2025-03-26"),
        (Mode::Modern, STATELESS),
    ] {
        assert_eq!(everywhere(mode, "legacy").await, want, "{mode:?}");
    }
}

#[tokio::test]
async fn auto_finds_the_newest() {
    for (mode, want) in [(Mode::Plain, "2025-11-25"), (Mode::VersionOld, "2024-11-05"), (Mode::Modern, STATELESS)] {
        assert_eq!(everywhere(mode, "auto").await, want, "{mode:?}");
    }
}

#[tokio::test]
async fn a_probe_that_is_not_answered_ends_at_its_limit() {
    let mut server = Stdio::script("read line; read line; echo \"$line\" >&2; sleep 60");
    server.entry.protocol = ProtocolSetting::Auto;
    server.entry.protocol_probe = Some(ProtocolProbe { timeout_ms: Some(150) });
    server.entry.connect_timeout_ms = Some(1_000);
    let begun = std::time::Instant::now();
    let error = server.connect().await.unwrap_err();
    // The probe had its 150 ms on a process of its own, and the handshake on another what was left of its time.
    assert_eq!(error.to_string(), "parts did not answer initialize within 1 s");
    assert!(begun.elapsed().as_secs() < 10);
    server.assert_nothing_left();
}
