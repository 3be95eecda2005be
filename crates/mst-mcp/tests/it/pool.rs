//! Sessions of a whole run.

use std::sync::LazyLock;
use std::time::Duration;

use mst_mcp::{ServerPool, SessionRequest};
use mst_model::{ServerConfig, ServerLabel, SessionScope, TapeScope};
use mst_testkit::mcp::Mode;
use tokio_util::sync::CancellationToken;

use crate::support::{Stdio, label, lookup, options, within};

fn wanted<'a>(label: &'a ServerLabel, config: &'a ServerConfig, batch: &'a str) -> SessionRequest<'a> {
    static SCOPE: LazyLock<TapeScope> = LazyLock::new(|| TapeScope::trial(&"baseline".into(), &"bin".into(), 0));
    SessionRequest { label, config, batch, scope: &SCOPE }
}

fn starts(log: &std::path::Path) -> usize {
    fs_err::read_to_string(log).unwrap_or_default().matches("\"start\"").count()
}

#[tokio::test]
async fn each_trial_has_a_session_of_its_own_or_a_batch_shares_one() {
    let folder = tempfile::tempdir().unwrap();
    let (label, cancel) = (label(), CancellationToken::new());
    for (scope, want) in [(SessionScope::Trial, 3), (SessionScope::Shared, 1)] {
        let log = folder.path().join(format!("{scope:?}"));
        let mut server = Stdio::logged(Mode::Plain, &log);
        server.entry.session = scope;
        let (config, pool) = (server.config(), ServerPool::new(options()));
        let trial = || async {
            let lease = pool.take(wanted(&label, &config, "baseline"), &cancel).await.unwrap();
            assert_eq!(lookup(&lease).await.text, "bin 7");
            assert_eq!(lease.is_shared(), scope == SessionScope::Shared);
            lease.release().await;
        };
        tokio::join!(trial(), trial(), trial());
        assert_eq!(starts(&log), want, "{scope:?}");
        pool.close_all().await;
        server.assert_nothing_left();
    }
}

#[tokio::test]
async fn a_shared_session_that_died_is_replaced_and_batches_stay_apart() {
    let (label, cancel) = (label(), CancellationToken::new());
    let mut server = Stdio::fake(Mode::DiesInCall);
    server.entry.session = SessionScope::Shared;
    let (config, pool) = (server.config(), ServerPool::new(options()));
    for _ in 0..2 {
        let lease = pool.take(wanted(&label, &config, "baseline"), &cancel).await.unwrap();
        assert!(within(Duration::from_secs(3), lookup(&lease)).await.is_error);
        lease.release().await;
    }
    pool.prepare(&label, &config, "other", &cancel).await.unwrap();
    let other = pool.take(wanted(&label, &config, "other"), &cancel).await.unwrap();
    pool.close_batch("baseline").await;
    assert!(!other.is_gone());
    pool.close_batch("other").await;
    assert!(other.is_gone());
    server.assert_nothing_left();
}

#[tokio::test]
async fn what_a_probe_learned_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let server = Stdio::logged(Mode::Modern, &log);
    let (label, config, cancel) = (label(), server.config(), CancellationToken::new());
    let pool = ServerPool::new(options());
    pool.probe(&label, &config, &cancel).await.unwrap();
    assert_eq!(starts(&log), 2, "one refuses initialize, one is discovered");
    pool.take(wanted(&label, &config, "baseline"), &cancel).await.unwrap().release().await;
    assert_eq!(starts(&log), 3);
}

#[tokio::test]
async fn dropping_a_lease_ends_its_own_session() {
    let server = Stdio::fake(Mode::StaysAfterEof);
    let (label, config, cancel) = (label(), server.config(), CancellationToken::new());
    drop(ServerPool::new(options()).take(wanted(&label, &config, "baseline"), &cancel).await.unwrap());
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.assert_nothing_left();
}
