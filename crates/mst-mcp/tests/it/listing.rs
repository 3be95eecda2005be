//! What servers list.

use mst_mcp::{Fault, NamedServerRef};
use mst_testkit::mcp::Mode;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Stdio, label, logged, names, options};

#[tokio::test]
async fn fc04_every_page_is_read() {
    let session = Stdio::fake(Mode::PagesTwo).session().await;
    assert_eq!(names(&session), ["other", "lookup"]);
    session.close().await;
}

#[tokio::test]
async fn fc04_a_list_without_an_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (mode, want) in [
        (Mode::PagesLoop, r#"parts repeated the cursor "c1" in tools/list"#),
        (Mode::PagesEndless, "parts has more than 64 pages of tools/list"),
    ] {
        let log = folder.path().join(mode.name());
        let server = Stdio::logged(mode, &log);
        assert_eq!(server.connect().await.unwrap_err().to_string(), want);
        assert!(logged(&log, "tools/list").len() <= 64);
        server.assert_nothing_left();
    }
}

#[tokio::test]
async fn fc04_an_empty_cursor_ends_the_list_with_a_warning() {
    let session = Stdio::fake(Mode::PagesEmptyCursor).session().await;
    assert_eq!(names(&session), ["lookup"]);
    let warning = "parts gave an empty cursor in tools/list, which was taken for the end of the list";
    assert_eq!(session.observation().warnings, [warning]);
    session.close().await;
}

#[tokio::test]
async fn tools_keep_every_field() {
    let session = Stdio::fake(Mode::ExtraFields).session().await;
    let lookup = session.surface().tools.iter().find(|tool| tool.name() == "lookup").unwrap();
    assert_eq!(lookup.raw()["x-vendor"], json!({"tier": 2, "tags": ["a", null]}));
    assert_eq!(lookup.raw()["icons"][0]["x-shape"], "round");
    assert_eq!(session.observation().server_info.unwrap()["x-build"], json!({"commit": "abc"}));
    session.close().await;
}

#[tokio::test]
async fn fc11_hints_decide_what_is_read_only() {
    let session = Stdio::fake(Mode::WriteHints).session().await;
    let read_only: Vec<_> = session.surface().tools.iter().filter(|tool| tool.is_read_only()).collect();
    let names: Vec<_> = read_only.iter().map(|tool| tool.name()).collect();
    assert!(names.contains(&"list_notes"), "{names:?}");
    for write in ["save_note", "wipe", "peek"] {
        assert!(!names.contains(&write), "{write} counts as read-only");
    }
    session.close().await;
}

#[tokio::test]
async fn fc12_schemas_stay_as_declared() {
    let session = Stdio::fake(Mode::Schemas).session().await;
    let declared = serde_json::to_string(&**session.surface()).unwrap();
    for kept in ["$ref", "$defs", "anyOf", "allOf"] {
        assert!(declared.contains(kept), "{kept} is gone from {declared}");
    }
    session.close().await;
}

#[tokio::test]
async fn readiness_needs_tools() {
    let cancel = CancellationToken::new();
    let label = label();
    for (mode, min_tools, want) in [
        (Mode::Plain, None, None),
        (Mode::Plain, Some(3), Some("parts listed 2 tools, fewer than its minTools of 3")),
        (Mode::NoTools, None, Some("parts listed no tools")),
    ] {
        let mut server = Stdio::fake(mode);
        server.entry.min_tools = min_tools;
        let config = server.config();
        let probed = mst_mcp::probe(NamedServerRef { label: &label, config: &config }, &options(), &cancel).await;
        assert_eq!(probed.as_ref().err().map(ToString::to_string).as_deref(), want);
        server.assert_nothing_left();
    }
}

#[tokio::test]
async fn a_list_that_is_none_is_an_error_that_says_so() {
    let error = Stdio::fake(Mode::MalformedList).connect().await.unwrap_err();
    assert!(matches!(error.fault, Fault::Request(_)), "{error}");
    assert!(error.to_string().starts_with("parts answered tools/list wrongly: "), "{error}");
}
