//! What calls bring.

use std::time::Duration;

use mst_mcp::CallFailure;
use mst_testkit::mcp::Mode;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Stdio, lookup, within};

#[tokio::test]
async fn a_call_brings_the_result_as_sent() {
    let server = Stdio::fake(Mode::ExtraFields);
    let session = server.session().await;
    let outcome = lookup(&session).await;
    assert_eq!((outcome.text.as_str(), outcome.is_error, outcome.failure), ("bin 7", false, None));
    let raw = json!({"content": [{"type": "text", "text": "bin 7", "x-font": "mono"}], "x-took": 3, "_meta": {"example.invalid/a": 1}});
    assert_eq!(outcome.raw, Some(raw));
    session.close().await;
    server.assert_nothing_left();
}

#[tokio::test]
async fn fc01_stray_lines_are_counted_and_skipped() {
    let session = Stdio::fake(Mode::StrayLines).session().await;
    assert_eq!(lookup(&session).await.text, "bin 7");
    let seen = session.observation();
    assert_eq!(seen.first_stray_line.as_deref(), Some("Starting parts server..."));
    assert!(matches!(seen.stray_lines, Some(4..=5)), "{seen:?}");
    let count = seen.stray_lines.unwrap_or_default();
    assert_eq!(
        seen.warnings,
        [format!(
            "parts wrote {count} lines to stdout that are no protocol messages, the first: Starting parts server..."
        )]
    );
    session.close().await;
}

#[tokio::test]
async fn fc01_a_frame_glued_to_text_fails_its_call_at_once() {
    let session = Stdio::fake(Mode::GluedFrame).session().await;
    let outcome = within(Duration::from_secs(2), lookup(&session)).await;
    assert!(outcome.is_error && outcome.text.contains("50%{"), "{}", outcome.text);
    assert!(!session.is_gone());
    session.close().await;
}

#[tokio::test]
async fn fc06_a_broken_promise_is_noted() {
    let session = Stdio::fake(Mode::ResultUnstructured).session().await;
    let outcome = lookup(&session).await;
    assert_eq!(outcome.text, "bin 7");
    assert_eq!(outcome.warnings, ["lookup declares an outputSchema and answered without structuredContent"]);
    session.close().await;
}

#[tokio::test]
async fn a_protocol_error_is_a_tool_error() {
    let session = Stdio::fake(Mode::RpcError).session().await;
    let outcome = lookup(&session).await;
    assert!(outcome.is_error);
    insta::assert_snapshot!(outcome.text, @"the server answered with the error -32603: the parts store is on fire");
    session.close().await;
}

#[tokio::test]
async fn malformed_results_and_stray_answers_end_no_session() {
    for (mode, text) in [
        (Mode::MalformedResult, "not a list"),
        (Mode::DuplicateReply, "bin 7"),
        (Mode::Progress, "bin 7"),
        (Mode::AsksPing, "the client answered: {}"),
    ] {
        let session = Stdio::fake(mode).session().await;
        let outcome = within(Duration::from_secs(5), lookup(&session)).await;
        assert_eq!(outcome.text, text, "{mode:?}");
        assert!(!session.is_gone());
        session.close().await;
    }
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_is_no_answer() {
    let session = Stdio::fake(Mode::UnknownId).times(None, Some(300)).session().await;
    let outcome = lookup(&session).await;
    assert!(matches!(outcome.failure, Some(CallFailure::Timeout { .. })), "{outcome:?}");
    assert_eq!(session.observation().warnings, ["parts answered a request that was never sent"]);
    session.close().await;
}

#[tokio::test]
async fn fc33_a_lone_surrogate_is_replaced_with_a_warning() {
    let session = Stdio::fake(Mode::LoneSurrogate).session().await;
    let outcome = lookup(&session).await;
    assert!(!outcome.is_error && outcome.text.contains('\u{FFFD}'), "{outcome:?}");
    assert_eq!(
        session.observation().warnings,
        ["parts sent text that is not valid Unicode; U+FFFD stands in its place"]
    );
    session.close().await;
}

#[tokio::test]
async fn what_the_server_asks_for_is_refused_and_noted() {
    for (mode, method) in [
        (Mode::AsksElicitation, "elicitation/create"),
        (Mode::AsksSampling, "sampling/createMessage"),
        (Mode::AsksRoots, "roots/list"),
    ] {
        let session = Stdio::fake(mode).session().await;
        let outcome = within(Duration::from_secs(5), lookup(&session)).await;
        assert!(outcome.text.contains("-32601"), "{}", outcome.text);
        assert_eq!(session.observation().warnings, [format!("parts asked for {method}, which was refused")]);
        session.close().await;
    }
}

#[tokio::test]
async fn calls_run_side_by_side_and_end_at_their_deadline_or_with_the_caller() {
    let server = Stdio::fake(Mode::HangsInCall).times(None, Some(300));
    let session = server.session().await;
    let cancel = CancellationToken::new();
    let (late, cancelled) = tokio::join!(lookup(&session), async {
        let call = session.call("lookup", None, &cancel);
        cancel.cancel();
        call.await
    });
    assert_eq!(late.text, "the server did not answer the call within 300 ms");
    assert_eq!(cancelled.failure, Some(CallFailure::Cancelled));
    session.close().await;
    server.assert_nothing_left();
}

#[tokio::test]
async fn fc11_a_changed_list_is_noticed_and_listed_again() {
    let session = Stdio::fake(Mode::ListChanged).session().await;
    let cancel = CancellationToken::new();
    let (changes, before) = session.latest();
    assert_eq!(session.list_changes(), changes);
    session.call("list_notes", None, &cancel).await;
    assert_ne!(session.list_changes(), changes);
    let (now, surface) = session.current(&cancel).await.unwrap();
    assert_eq!(session.list_changes(), now);
    assert!(surface.tools.iter().any(|tool| tool.name() == "purge"));
    assert!(std::sync::Arc::ptr_eq(&before, session.surface()), "what was listed first stays what it was");
    let (_, again) = session.current(&cancel).await.unwrap();
    assert!(std::sync::Arc::ptr_eq(&surface, &again), "one change is listed once");
    session.close().await;
}

#[tokio::test]
async fn big_results_pass_quickly() {
    let mut server = Stdio::fake(Mode::BigResult);
    server.entry.args.extend(["--bytes".to_owned(), "20000000".to_owned()]);
    let session = server.session().await;
    let outcome = within(Duration::from_secs(20), lookup(&session)).await;
    assert_eq!(outcome.text.len(), 20_000_000);
    session.close().await;
}
