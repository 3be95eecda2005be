//! Processes: how they start, die and end, and that none is left.

use std::time::{Duration, Instant};

use mst_mcp::{CallFailure, Fault, NamedServerRef, Phase};
use mst_testkit::mcp::Mode;
use tokio_util::sync::CancellationToken;

use crate::support::{Stdio, label, lookup, options, within};

#[tokio::test]
async fn fc03_a_server_that_never_answers_is_ended_with_its_children() {
    let server = Stdio::fake(Mode::NeverAnswers).times(Some(700), None);
    let begun = Instant::now();
    let error = server.connect().await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(error.to_string(), "parts did not answer initialize within 700 ms");
    server.assert_nothing_left();
}

#[tokio::test]
async fn fc03_a_server_that_dies_in_a_call_fails_it_at_once() {
    let server = Stdio::fake(Mode::DiesInCall);
    let session = server.session().await;
    let outcome = within(Duration::from_secs(10), lookup(&session)).await;
    assert_eq!(
        outcome.text,
        "the server exited with status 3 during the call; its stderr ends with: panic: out of memory"
    );
    let again = within(Duration::from_secs(10), lookup(&session)).await;
    assert_eq!(again.failure, outcome.failure);
    assert!(session.is_gone());
    session.close().await;
    server.assert_nothing_left();
}

#[tokio::test]
async fn fc03_a_server_that_stays_is_ended_after_a_short_grace() {
    for mode in [Mode::StaysAfterEof, Mode::Plain] {
        let server = Stdio::fake(mode);
        let session = server.session().await;
        let begun = Instant::now();
        session.close().await;
        assert!(begun.elapsed() < Duration::from_secs(10), "{mode:?} took {:?}", begun.elapsed());
        server.assert_nothing_left();
        assert!(matches!(lookup(&session).await.failure, Some(CallFailure::NotSent { .. })));
    }
}

#[tokio::test]
async fn a_server_that_ignores_sigterm_is_killed_with_what_it_started() {
    // The script answers the two requests of a connection, then lives on with a child that ignores SIGTERM too.
    let script = r#"
        trap '' TERM
        sh -c "trap '' TERM; while :; do sleep 1; done" &
        answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
        read -r line; answer 1 '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}'
        read -r line; read -r line; answer 2 '{"tools":[{"name":"lookup"}]}'
        while :; do sleep 1; done
    "#;
    let server = Stdio::script(script);
    let session = server.session().await;
    let begun = Instant::now();
    session.close().await;
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    server.assert_nothing_left();
}

#[tokio::test]
async fn a_server_that_dies_at_the_start_says_why() {
    let server = Stdio::fake(Mode::DiesAtStart);
    let error = within(Duration::from_secs(10), server.connect()).await.unwrap_err();
    assert_eq!(error.phase, Phase::Initialize);
    assert!(
        error.to_string().starts_with("parts exited with status 3 during initialize; its stderr ends with: "),
        "{error}"
    );
    server.assert_nothing_left();
}

#[tokio::test]
async fn a_server_that_closes_its_stdout_is_gone() {
    let server = Stdio::script("exec 1>&-; exec sleep 30");
    let error = within(Duration::from_secs(5), server.connect()).await.unwrap_err();
    assert_eq!(error.to_string(), "parts closed its stdout during initialize");
    server.assert_nothing_left();
}

#[tokio::test]
async fn a_program_that_is_no_server_is_quoted() {
    let error =
        Stdio::script("echo 'usage: parts FILE'; exec sleep 30").times(Some(400), None).connect().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "parts did not answer initialize within 400 ms; it sent a line that could not be read: usage: parts FILE"
    );
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_named() {
    let error = Stdio::program("no-such-program-here", Vec::new()).connect().await.unwrap_err();
    assert_eq!(error.phase, Phase::Spawn);
    assert_eq!(
        error.to_string(),
        "parts could not be started: no-such-program-here: No such file or directory (os error 2)"
    );
}

#[tokio::test]
async fn a_folder_that_does_not_exist_is_named() {
    let mut server = Stdio::fake(Mode::Plain);
    server.entry.cwd = Some("/no/such/folder".to_owned());
    let error = server.connect().await.unwrap_err();
    assert_eq!(error.to_string(), "parts could not be started: /no/such/folder is no folder");
}

#[tokio::test]
async fn fc03_a_leader_that_dies_takes_its_descendants_along() {
    let server = Stdio::script("sleep 999 & echo gone >&2; exit 7");
    let error = within(Duration::from_secs(10), server.connect()).await.unwrap_err();
    assert_eq!(error.to_string(), "parts exited with status 7 during initialize; its stderr ends with: gone");
    server.assert_nothing_left();
}

#[tokio::test]
async fn cancelling_and_dropping_leave_nothing() {
    let server = Stdio::fake(Mode::NeverAnswers);
    let (config, options, cancel) = (server.config(), options(), CancellationToken::new());
    let label = label();
    let connecting = mst_mcp::connect(NamedServerRef { label: &label, config: &config }, &options, &cancel);
    let (ended, ()) = tokio::join!(within(Duration::from_secs(10), connecting), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        cancel.cancel();
    });
    assert_eq!(ended.unwrap_err().fault, Fault::Request(CallFailure::Cancelled));
    server.assert_nothing_left();

    let dropped = tokio::time::timeout(Duration::from_millis(300), server.connect()).await;
    assert!(dropped.is_err());
    let session = Stdio::fake(Mode::StaysAfterEof);
    drop(session.session().await);
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.assert_nothing_left();
    session.assert_nothing_left();
}

#[tokio::test]
async fn only_what_is_declared_reaches_a_server() {
    let mut server = Stdio::script("echo \"[$HOME] [$DOCS_TOKEN] [$PWD]\" >&2; exit 4");
    server.entry.env.insert("DOCS_TOKEN".to_owned(), "t".to_owned());
    server.entry.cwd = Some("/".to_owned());
    let error = server.connect().await.unwrap_err();
    assert_eq!(error.to_string(), "parts exited with status 4 during initialize; its stderr ends with: [] [t] [/]");
    server.entry.quiet = true;
    assert_eq!(server.connect().await.unwrap_err().to_string(), "parts exited with status 4 during initialize");
}
