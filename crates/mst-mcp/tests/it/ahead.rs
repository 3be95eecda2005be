//! Sessions that are made ahead of need.

use std::path::Path;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use mst_mcp::{Expected, Lease, McpError, ServerPool, SessionRequest};
use mst_model::{ServerConfig, ServerLabel, SessionScope, TapeScope};
use mst_testkit::mcp::Mode;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::support::{Stdio, label, lookup, options, within};

/// A pool and one server of it.
struct Bench {
    pool: ServerPool,
    server: Stdio,
    servers: IndexMap<ServerLabel, ServerConfig>,
    cancel: CancellationToken,
}

impl Bench {
    fn new(server: Stdio) -> Self {
        let servers = [(label(), server.config())].into_iter().collect();
        Self { pool: ServerPool::new(options()), server, servers, cancel: CancellationToken::new() }
    }

    fn expect(&self, trials: usize, at_once: usize) {
        let (servers, cancel) = (&self.servers, &self.cancel);
        self.pool.expect(Expected { batch: "baseline/0", servers, trials, at_once, cancel });
    }

    async fn take(&self) -> Result<Lease, McpError> {
        let scope = &TapeScope::batch("baseline/0");
        let (label, config) = self.servers.first().expect("one server");
        let wanted = SessionRequest { label, config, batch: "baseline/0", scope };
        self.pool.take(wanted, &CancellationToken::new()).await
    }

    /// Ends everything and checks that nothing is left.
    async fn end(self) {
        within(Duration::from_secs(10), self.pool.close_all()).await;
        self.server.assert_nothing_left();
    }
}

fn lines(log: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(log).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn starts(log: &Path) -> usize {
    lines(log).iter().filter(|line| line.get("start").is_some()).count()
}

/// Returns the most processes that were there at once, as they log their starts and ends.
fn most_alive(log: &Path) -> usize {
    let (mut alive, mut most) = (0_usize, 0);
    for line in lines(log) {
        if line.get("start").is_some() {
            alive += 1;
            most = most.max(alive);
        } else if line.get("eof").is_some() {
            alive -= 1;
        }
    }
    most
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "waited too long until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn spare(at_once: usize) -> usize {
    at_once.min(std::thread::available_parallelism().expect("cores").get())
}

#[tokio::test]
async fn exactly_as_many_sessions_are_made_as_there_are_trials_and_never_too_many_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for (trials, at_once) in [(20, 3), (1, 8), (3, 1)] {
        let log = folder.path().join(format!("{trials}-{at_once}"));
        let bench = Bench::new(Stdio::logged(Mode::Plain, &log));
        bench.expect(trials, at_once);
        bench.expect(trials, at_once);
        let gate = tokio::sync::Semaphore::new(at_once);
        let trial = || async {
            let _room = gate.acquire().await.expect("open");
            let lease = bench.take().await.expect("a session");
            assert_eq!(lookup(&lease).await.text, "bin 7");
            lease.release().await;
        };
        futures::future::join_all((0..trials).map(|_| trial())).await;
        bench.end().await;
        assert_eq!(starts(&log), trials);
        let most = most_alive(&log);
        assert!(most <= at_once + spare(at_once), "{most} at once of {trials} by {at_once}");
    }
}

#[tokio::test]
async fn a_session_that_waits_was_listed_and_nothing_more_and_the_trial_that_takes_it_starts_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let bench = Bench::new(Stdio::logged(Mode::Plain, &log));
    bench.expect(1, 4);
    until("a session waits", || !crate::support::logged(&log, "tools/list").is_empty()).await;
    let sent: Vec<_> = lines(&log).iter().filter_map(|line| Some(line["in"]["method"].as_str()?.to_owned())).collect();
    assert_eq!(sent, ["initialize", "notifications/initialized", "tools/list"]);
    let lease = bench.take().await.expect("the session");
    assert_eq!(lookup(&lease).await.text, "bin 7");
    assert_eq!(starts(&log), 1);
    lease.release().await;
    bench.end().await;
}

#[tokio::test]
async fn a_session_that_died_or_changed_its_list_while_it_waited_is_not_handed_out() {
    let answers = r#"
        answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
        read -r line; answer 1 '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}'
        read -r line; read -r line; answer 2 '{"tools":[{"name":"lookup"}]}'
        mkdir "$DIR/first" 2>/dev/null && FIRST "$DIR"
        read -r line; answer 3 '{"content":[{"type":"text","text":"bin 7"}]}'
        cat >/dev/null
    "#;
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    for first in ["exit 3;:".to_owned(), format!("{{ printf '%s\\n' '{changed}'; cat >/dev/null; }};:")] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut server = Stdio::script(&answers.replace("FIRST", &first));
        server.entry.env.insert("DIR".to_owned(), folder.path().display().to_string());
        let bench = Bench::new(server);
        bench.expect(1, 1);
        until("the first server got so far", || folder.path().join("first").exists()).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        let lease = bench.take().await.expect("another session");
        assert_eq!(lookup(&lease).await.text, "bin 7", "{first}");
        lease.release().await;
        bench.end().await;
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_made_ahead_of_need_is_the_error_of_the_trial_that_needs_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let bench = Bench::new(Stdio::logged(Mode::DiesAtStart, &log));
    bench.expect(5, 1);
    until("the first has died", || starts(&log) == 1).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(starts(&log), 1, "it was tried again before a trial needed it");
    let error = bench.take().await.expect_err("it dies again");
    assert!(error.to_string().starts_with("parts exited with status 3 during initialize"), "{error}");
    assert_eq!(starts(&log), 2);
    bench.end().await;
}

#[tokio::test]
async fn a_trial_waits_for_a_session_that_is_being_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut server = Stdio::logged(Mode::SlowStart, &log);
    server.entry.args.extend(["--delay-ms".to_owned(), "400".to_owned()]);
    let bench = Bench::new(server);
    bench.expect(1, 1);
    until("it starts", || starts(&log) == 1).await;
    bench.take().await.expect("the session").release().await;
    assert_eq!(starts(&log), 1, "the trial started another");
    bench.end().await;
}

#[tokio::test]
async fn what_nobody_will_take_is_ended() {
    for cancelled in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let bench = Bench::new(Stdio::logged(Mode::StaysAfterEof, &log));
        bench.expect(9, 2);
        let listed = || crate::support::logged(&log, "tools/list").len() == spare(2);
        until("as many wait as may", listed).await;
        if cancelled {
            bench.cancel.cancel();
        } else {
            bench.pool.close_batch("baseline/0").await;
        }
        until("they are gone", || bench.server.left().is_empty()).await;
        assert_eq!(starts(&log), spare(2));
        bench.end().await;
    }
}

#[tokio::test]
async fn a_server_that_is_being_ended_keeps_no_trial_waiting_and_counts_as_alive() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let bench = Bench::new(Stdio::logged(Mode::StaysAfterEof, &log));
    bench.expect(6, 1);
    for _ in 0..6 {
        let lease = bench.take().await.expect("a session");
        lease.release().await;
        assert!(!bench.server.left().is_empty(), "the end was waited for");
        assert!(bench.server.left().len() <= 1 + spare(1), "{:?}", bench.server.left());
    }
    bench.end().await;
    assert_eq!(starts(&log), 6);
}

#[tokio::test]
async fn a_shared_server_and_a_run_with_a_tape_have_nothing_ahead() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut server = Stdio::logged(Mode::Plain, &log);
    server.entry.session = SessionScope::Shared;
    let bench = Bench::new(server);
    bench.expect(5, 5);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(starts(&log), 0);
    bench.end().await;
}
