//! How trials are collected: sessions, concurrency, stopping, resuming.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mst_engine::{RunError, Shortfall, Stop};
use mst_ext::{ClientOpenError, Continuation};
use mst_model::{Broke, Ending, Phase};

use crate::scripted::{Scripted, StopAfter, Turn, options, plan, run, run_with};

fn ending(folder: &std::path::Path, run_id: &str, case: &str) -> Ending {
    let path = folder.join("runs").join(run_id).join("transcripts/default").join(case).join("0.json");
    let text = fs_err::read_to_string(path).expect("a saved trial");
    serde_json::from_str::<mst_model::TrialRecord>(&text).expect("a trial").ending
}

#[tokio::test(flavor = "multi_thread")]
async fn one_session_takes_one_trial_after_the_other_and_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let client = Scripted::new(Turn::says);
    let log = Arc::clone(&client.log);
    let outcome = run(plan(&["a", "b"], 1), client, folder.path(), Stop::default()).await.unwrap();
    assert_eq!(outcome.failed_cases, 0);
    assert!(outcome.is_latest);
    assert_eq!(outcome.record.phases.collect, Phase::Complete);
    // The first pair is the check before anything is spent.
    assert_eq!(*log.lock().unwrap(), ["open", "close", "open", "run a", "end a", "run b", "end b", "close"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_reset_or_replaced_as_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let client = Scripted::new(|prompt| match prompt {
        "a" => Turn::says(prompt).then(Continuation::Reset),
        "b" => Turn::says(prompt).then(Continuation::Stop),
        _ => Turn::says(prompt),
    });
    let log = Arc::clone(&client.log);
    run(plan(&["a", "b", "c"], 1), client, folder.path(), Stop::default()).await.unwrap();
    let wanted = [
        "open", "close", "open", "run a", "end a", "reset", "run b", "end b", "close", "open", "run c", "end c",
        "close",
    ];
    assert_eq!(*log.lock().unwrap(), wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn trials_run_at_once_up_to_the_least_of_both_limits() {
    for (concurrency, most_of_client, wanted) in [(4, None, 4), (4, Some(2), 2), (1, None, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut client = Scripted::new(|prompt| Turn::says(prompt).taking(100));
        client.running = Some((Arc::clone(&now), Arc::clone(&most)));
        client.max_concurrency = most_of_client;
        let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
        run(plan(&ids, concurrency), client, folder.path(), Stop::default()).await.unwrap();
        assert_eq!(most.load(Ordering::SeqCst), wanted, "concurrency {concurrency}, client {most_of_client:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_not_to_be_had_gives_endings_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Scripted::new(Turn::says);
    client.opening = Some(ClientOpenError::Unavailable("the desktop is leased".to_owned()));
    let outcome = run(plan(&["a", "b"], 1), client, folder.path(), Stop::default()).await.unwrap();
    assert_eq!(outcome.incomplete.len(), 2);
    assert!(!outcome.is_latest || outcome.record.phases.collect == Phase::Complete);
    let ending = ending(folder.path(), outcome.record.run_id.as_str(), "a");
    assert_eq!(ending, Ending::retryable(Broke::ClientApp, "the desktop is leased"));
    assert!(outcome.shortfalls.contains(&Shortfall::Other));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_wrong_options_stops_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Scripted::new(Turn::says);
    client.opening = Some(ClientOpenError::Setup("no such voice".to_owned()));
    let error = run(plan(&["a"], 1), client, folder.path(), Stop::default()).await.unwrap_err();
    assert!(matches!(error, RunError::ClientSetup { .. }), "{error}");
    assert!(!folder.path().join("latest.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_cleanup_makes_the_trial_an_infrastructure_failure() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Scripted::new(|prompt| Turn::says(prompt).then(Continuation::Stop));
    client.close_fails = true;
    let outcome = run(plan(&["a"], 1), client, folder.path(), Stop::default()).await.unwrap();
    let ending = ending(folder.path(), outcome.record.run_id.as_str(), "a");
    assert_eq!(ending, Ending::retryable(Broke::ClientApp, "the window stayed open"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_is_resumed_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let stop = Stop::default();
    let client = Scripted::new(|prompt| Turn::says(prompt).taking(100));
    let observer = Box::new(StopAfter { left: 2, stop: stop.clone() });
    let ids = ["a", "b", "c", "d"];
    let first = run_with(plan(&ids, 1), client, options(folder.path()), stop, observer).await.unwrap();
    assert!(first.interrupted);
    assert_eq!(first.record.phases.collect, Phase::Partial);
    assert!(!folder.path().join("latest.json").exists());

    let client = Scripted::new(Turn::says);
    let log = Arc::clone(&client.log);
    let mut again = options(folder.path());
    again.resume = Some(first.record.run_id.short().to_owned());
    let second =
        run_with(plan(&ids, 1), client, again, Stop::default(), Box::new(mst_engine::NullObserver)).await.unwrap();
    assert_eq!(second.record.run_id, first.record.run_id);
    assert_eq!(second.summary.metrics["passed"], 4);
    assert!(second.is_latest);
    let ran = log.lock().unwrap().iter().filter(|line| line.starts_with("run ")).count();
    assert!((1..=2).contains(&ran), "{ran} trials ran again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resume_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(plan(&["a"], 1), Scripted::new(Turn::says), folder.path(), Stop::default()).await.unwrap();
    let resume = |plan| {
        let mut options = options(folder.path());
        options.resume = Some(done.record.run_id.to_string());
        run_with(plan, Scripted::new(Turn::says), options, Stop::default(), Box::new(mst_engine::NullObserver))
    };
    let mut edited = plan(&["a"], 1);
    edited.content_hash = "0".repeat(64);
    let mut renamed = plan(&["a"], 1);
    renamed.name = "another".to_owned();
    for (plan, wanted) in [
        (plan(&["a"], 1), "nothing is missing"),
        (edited, "the eval config changed"),
        (renamed, "it is a run of the eval"),
        (plan(&["a", "b"], 1), "the dataset \"cases\" changed"),
    ] {
        let error = resume(plan).await.unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}
