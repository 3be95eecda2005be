//! Agreeing on a protocol revision.

use std::time::Duration;

use mst_model::ProtocolSetting;
use mst_testkit::mcp::{FakeMcpHttp, Mode};
use serde_json::Value;

use crate::support::{Stdio, connect, http, logged, lookup, within};

fn offered(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|message| message["params"]["protocolVersion"].as_str()).collect()
}

#[tokio::test]
async fn fc08_revisions_are_negotiated() {
    let folder = tempfile::tempdir().unwrap();
    for (mode, revision, tried) in [
        (Mode::Plain, "2025-11-25", &["2025-11-25"][..]),
        (Mode::VersionOld, "2024-11-05", &["2025-11-25"]),
        (Mode::VersionRefused, "2025-03-26", &["2025-11-25", "2025-03-26"]),
        (Mode::Modern, "2026-07-28", &["2025-11-25"]),
    ] {
        let log = folder.path().join(mode.name());
        let session = Stdio::logged(mode, &log).session().await;
        assert_eq!(session.observation().protocol_version.as_deref(), Some(revision));
        assert_eq!(lookup(&session).await.text, "bin 7", "{mode:?}");
        assert_eq!(offered(&logged(&log, "initialize")), tried);
        assert!(session.observation().server_info.is_some());
        session.close().await;
    }
}

#[tokio::test]
async fn fc08_what_cannot_be_agreed_on_fails_at_once_with_both_versions() {
    for (mode, want) in [
        (
            Mode::VersionUnknown,
            r#"parts answered initialize with the protocol version "1999-01-01", and 2025-11-25 was offered"#,
        ),
        (Mode::VersionMissing, "parts answered initialize without a protocolVersion (2025-11-25 was offered)"),
    ] {
        let server = Stdio::fake(mode);
        let error = within(Duration::from_secs(3), server.connect()).await.unwrap_err();
        assert_eq!(error.to_string(), want);
        server.assert_nothing_left();
    }
}

#[tokio::test]
async fn fc08_http_refusals_keep_the_server_s_words_and_later_requests_the_version() {
    let server = FakeMcpHttp::start_mode(Mode::VersionText);
    let error = connect(&mst_model::ServerConfig::Http(http(&server))).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "parts answered initialize with HTTP 400: Bad Request: Unsupported protocol version (supported versions: \
         2025-03-26, 2024-11-05)"
    );

    let server = FakeMcpHttp::start_mode(Mode::VersionOld);
    let session = connect(&mst_model::ServerConfig::Http(http(&server))).await.unwrap();
    lookup(&session).await;
    session.close().await;
    for exchange in server.exchanges() {
        let version = exchange.headers.get("mcp-protocol-version").map(String::as_str);
        let is_first = exchange.body["method"] == "initialize";
        assert_eq!(version, (!is_first).then_some("2024-11-05"), "{exchange:?}");
    }
}

#[tokio::test]
async fn a_pinned_revision_is_the_only_one() {
    let pinned = |mode, revision: &str| {
        let mut server = Stdio::fake(mode);
        server.entry.protocol = ProtocolSetting::Revision(revision.to_owned());
        server
    };
    for (mode, revision) in
        [(Mode::Plain, "2025-06-18"), (Mode::Modern, "2026-07-28"), (Mode::VersionOld, "2024-11-05")]
    {
        let session = pinned(mode, revision).session().await;
        assert_eq!(session.protocol_version(), revision);
        session.close().await;
    }
    for (mode, revision, want) in [
        (
            Mode::VersionOld,
            "2025-06-18",
            r#"parts answered initialize with the protocol version "2024-11-05", and 2025-06-18 was offered"#,
        ),
        (
            Mode::VersionRefused,
            "2025-06-18",
            "parts refused initialize with the protocol version 2025-06-18; it speaks 2025-03-26",
        ),
        (
            Mode::Plain,
            "2020-01-01",
            "parts has a setting that cannot be used: the protocol revision 2020-01-01 is not known",
        ),
    ] {
        assert_eq!(pinned(mode, revision).connect().await.unwrap_err().to_string(), want);
    }
}

#[tokio::test]
async fn auto_probes_on_a_connection_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    for (mode, revision, starts) in [(Mode::Modern, "2026-07-28", 2), (Mode::Plain, "2025-11-25", 2)] {
        let log = folder.path().join(mode.name());
        let mut server = Stdio::logged(mode, &log);
        server.entry.protocol = ProtocolSetting::Auto;
        let session = server.session().await;
        assert_eq!(session.protocol_version(), revision);
        session.close().await;
        let text = fs_err::read_to_string(&log).unwrap();
        assert_eq!(text.matches("\"start\"").count(), starts, "{text}");
        server.assert_nothing_left();
    }
}
