//! Room for trials: limits, providers that throttle, and grading that takes its time.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mst_config::{Limits, Plan};
use mst_engine::{Observer, RunEvent, Stop};
use mst_ext::ClientSignal;
use mst_model::{EvalCase, Provider, ProviderThrottling};
use serde_json::json;

use crate::scripted::{Scripted, Turn, options, plan, run, run_with};

/// A plan of cases in two batches: those that begin with `a` ask Anthropic, the others OpenAI.
fn two_providers(ids: &[&str], concurrency: u32) -> Plan {
    let mut plan = plan(ids, concurrency);
    let batches = &mut plan.variants[0].batches;
    let mut other = batches[0].clone();
    for (batch, provider, is_mine) in [(&mut batches[0], "anthropic", true), (&mut other, "openai", false)] {
        batch.client.options.insert("provider".to_owned(), json!(provider));
        batch.cases.retain(|case| case.id.as_str().starts_with('a') == is_mine);
    }
    batches.push(other);
    plan
}

/// A client that counts how many trials of each letter run at once.
fn counting(counts: &Arc<[[AtomicUsize; 2]; 2]>) -> Scripted {
    let counts = Arc::clone(counts);
    let mut client = Scripted::new(|prompt| Turn::says(prompt).taking(60));
    client.around = Some(Arc::new(move |prompt, begins| {
        let [now, most] = &counts[usize::from(!prompt.starts_with('a'))];
        if begins {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        } else {
            now.fetch_sub(1, Ordering::SeqCst);
        }
    }));
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_s_limit_holds_for_its_own_trials_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = two_providers(&["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5", "b5"], 6);
    plan.limits.providers = [(Provider::Anthropic, 1)].into_iter().collect();
    let counts = Arc::new(<[[AtomicUsize; 2]; 2]>::default());
    let outcome = run(plan, counting(&counts), folder.path(), Stop::default()).await.unwrap();
    assert_eq!(outcome.summary.metrics["passed"], 10);
    let most = [0, 1].map(|letter| counts[letter][1].load(Ordering::SeqCst));
    assert_eq!(most, [1, 5], "one at a time, and all of the others at once beside it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_a_server_that_no_trial_uses_limits_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = two_providers(&["a1", "b1", "a2", "b2", "a3", "b3"], 6);
    plan.limits = Limits { servers: [("slack".into(), 2)].into_iter().collect(), ..Limits::default() };
    let counts = Arc::new(<[[AtomicUsize; 2]; 2]>::default());
    let outcome = run(plan, counting(&counts), folder.path(), Stop::default()).await.unwrap();
    assert_eq!(outcome.summary.metrics["passed"], 6);
    let most: usize = [0, 1].map(|letter| counts[letter][1].load(Ordering::SeqCst)).iter().sum();
    assert!(most > 2, "{most}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fc09_a_throttled_provider_s_trials_wait_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let refused = ClientSignal::RateLimited {
        provider: Provider::Anthropic,
        retry_after: Duration::from_millis(700),
        concurrency: Some(1),
    };
    let begun = Arc::new(Mutex::new(Vec::<(String, Instant)>::new()));
    let mut client = Scripted::new(move |prompt| match prompt {
        "a1" => Turn::says(prompt).telling(refused).waiting().taking(700),
        _ => Turn::says(prompt).taking(10),
    });
    let seen = Arc::clone(&begun);
    client.around = Some(Arc::new(move |prompt, begins| {
        if begins {
            seen.lock().unwrap().push((prompt.to_owned(), Instant::now()));
        }
    }));
    let log = Arc::clone(&client.log);
    let plan = two_providers(&["a1", "a2", "a3", "b1", "b2", "b3"], 1);
    let outcome = run(plan, client, folder.path(), Stop::default()).await.unwrap();
    assert_eq!(outcome.summary.metrics["passed"], 6);
    let at = |id: &str| begun.lock().unwrap().iter().find(|(begun, _)| begun == id).expect("it ran").1;
    for id in ["a2", "a3"] {
        assert!(at(id) - at("a1") >= Duration::from_millis(650), "{id} began before its provider wanted it");
    }
    // With one place alone, the others can only run in the one that a1 lent.
    let log = log.lock().unwrap();
    let place = |line: &str| log.iter().position(|logged| logged == line).expect("it happened");
    for id in ["b1", "b2"] {
        assert!(place(&format!("end {id}")) < place("end a1"), "{log:?}");
    }
    let seen = outcome.record.throttling[&Provider::Anthropic];
    assert_eq!((seen.refused, seen.lowest_concurrency), (1, 1));
    assert!((600..5_000).contains(&seen.waited_ms), "{seen:?}");
    assert_eq!(outcome.summary.telemetry.expect("counts").throttling[&Provider::Anthropic], seen);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_run_keeps_what_its_first_part_was_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused =
        ClientSignal::RateLimited { provider: Provider::Anthropic, retry_after: Duration::ZERO, concurrency: Some(2) };
    let first = Scripted::new(move |prompt| Turn {
        run: mst_model::ClientRun::infrastructure(mst_model::Broke::Provider, true, "limited"),
        ..Turn::says(prompt).telling(refused)
    });
    let ids = ["a1", "a2"];
    let outcome = run(two_providers(&ids, 1), first, folder.path(), Stop::default()).await.unwrap();
    let wanted = ProviderThrottling { refused: 2, lowest_concurrency: 2, waited_ms: 0 };
    assert_eq!(outcome.record.throttling[&Provider::Anthropic], wanted);
    let mut again = options(folder.path());
    again.resume = Some(outcome.record.run_id.to_string());
    let second = Scripted::new(Turn::says);
    let observer = Box::new(mst_engine::NullObserver);
    let outcome = run_with(two_providers(&ids, 1), second, again, Stop::default(), observer).await.unwrap();
    assert_eq!(outcome.summary.metrics["passed"], 2);
    assert_eq!(outcome.record.throttling[&Provider::Anthropic], wanted);
}

/// An observer that notes which trials are saved, in order.
struct Saved(Arc<Mutex<Vec<String>>>);

impl Observer for Saved {
    fn event(&mut self, event: &RunEvent) {
        if let RunEvent::TrialSaved { case_id, .. } = event {
            self.0.lock().expect("no test panics while it holds this").push(case_id.to_string());
        }
    }
}

fn transcript(folder: &Path, case: &str) -> bool {
    let runs = fs_err::read_dir(folder.join("runs")).expect("a run");
    let run = runs.map(|entry| entry.expect("an entry").path()).next().expect("one run");
    run.join("transcripts/default").join(case).join("0.json").is_file()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_that_runs_for_ever_holds_up_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..60).map(|at| format!("c{at}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut plan = plan(&ids, 4);
    let stuck: mst_model::Assertions = serde_json::from_value(json!({ "matchesPattern": "^(a+)+$" })).unwrap();
    let mut cases: Vec<EvalCase> = plan.datasets[0].cases.iter().collect();
    cases[0].assertions = Some(stuck);
    plan.datasets[0].cases = cases.into_iter().collect();
    let on_disk = Arc::new(Mutex::new(None));
    let (seen, place) = (Arc::clone(&on_disk), folder.path().to_owned());
    let client = Scripted::new(move |prompt| {
        if prompt == "c59" {
            *seen.lock().unwrap() = Some(transcript(&place, "c0"));
        }
        let text = if prompt == "c0" { format!("{}!", "a".repeat(64)) } else { prompt.to_owned() };
        Turn::says(&text).taking(2)
    });
    let saved = Arc::new(Mutex::new(Vec::new()));
    let observer = Box::new(Saved(Arc::clone(&saved)));
    let outcome = run_with(plan, client, options(folder.path()), Stop::default(), observer).await.unwrap();
    assert_eq!(outcome.summary.metrics["passed"], 59);
    assert_eq!(outcome.incomplete.len(), 1);
    let saved = saved.lock().unwrap();
    assert_eq!((saved.len(), saved.last().map(String::as_str)), (60, Some("c0")));
    assert_eq!(*on_disk.lock().unwrap(), Some(true), "its transcript was on the disk while it was being graded");
}
