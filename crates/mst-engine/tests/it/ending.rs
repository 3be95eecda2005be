//! How a run ends: what was cut off is not recorded, and what cannot be graded is not counted.

use std::time::Duration;

use mst_engine::{RunError, Stop};
use mst_model::{Broke, ClientRun, Phase};

use crate::scripted::{Scripted, Turn, options, plan, run, run_with};

#[tokio::test(flavor = "multi_thread")]
async fn a_firm_stop_leaves_what_was_under_way_unrecorded() {
    let folder = tempfile::tempdir().unwrap();
    let stop = Stop::default();
    let client =
        Scripted::new(|prompt| if prompt == "slow" { Turn::says(prompt).taking(60_000) } else { Turn::says(prompt) });
    let cutting = async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        stop.starting.cancel();
        stop.running.cancel();
    };
    let (outcome, ()) =
        tokio::join!(run(plan(&["quick", "slow", "never"], 1), client, folder.path(), stop.clone()), cutting);
    let outcome = outcome.unwrap();
    assert!(outcome.interrupted);
    let saved = folder.path().join("runs").join(outcome.record.run_id.as_str()).join("transcripts/default");
    let mut cases: Vec<String> =
        fs_err::read_dir(saved).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    cases.sort();
    assert_eq!(cases, ["quick"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_infrastructure_failure_is_neither_passed_nor_failed() {
    let folder = tempfile::tempdir().unwrap();
    let client = Scripted::new(|prompt| match prompt {
        "cut" => Turn { run: ClientRun::infrastructure(Broke::Network, true, "reset"), ..Turn::says("") },
        "wrong" => Turn::says("something else"),
        _ => Turn::says(prompt),
    });
    let outcome = run(plan(&["right", "wrong", "cut"], 2), client, folder.path(), Stop::default()).await.unwrap();
    let metrics = &outcome.summary.metrics;
    assert_eq!((&metrics["total"], &metrics["passed"], &metrics["incomplete"]), (&2.into(), &1.into(), &1.into()));
    assert_eq!(metrics["passRate"], 0.5);
    assert_eq!(outcome.failed_cases, 1);
    assert_eq!(outcome.incomplete.reasons()[0].named[0].case_id, "cut");
    assert_eq!(outcome.incomplete.retryable(), outcome.incomplete.len());
    // Nothing is missing: every trial was collected, one of them as a failure that a retry can help.
    assert_eq!(outcome.record.phases.collect, Phase::Complete);
    assert!(outcome.is_latest);
}

/// Cases are joined while others are graded; what ends last is the first, so that the order is not that of the ends.
#[tokio::test(flavor = "multi_thread")]
async fn results_are_in_the_plans_order_whatever_ended_first() {
    const CASES: usize = 400;
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<String> = (0..CASES).map(|number| format!("case-{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let client = Scripted::new(|prompt| {
        let says = if prompt == "case-7" { "something else" } else { prompt };
        Turn::says(says).taking(if prompt == "case-200" { 300 } else { 0 })
    });
    let outcome = run(plan(&ids, 8), client, folder.path(), Stop::default()).await.unwrap();
    let reader = mst_store::RunReader::open(mst_store::EvalLayout::new(folder.path()).run(&outcome.record.run_id));
    let results = reader.unwrap().results().unwrap();
    let found: Vec<&str> = results.view().cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(found, ids);
    let failed: Vec<&str> =
        results.view().cases.iter().filter(|case| case.pass == Some(false)).map(|case| case.id.as_str()).collect();
    assert_eq!(failed, ["case-7"]);
    let metrics = &outcome.summary.metrics;
    assert_eq!((&metrics["total"], &metrics["passed"]), (&CASES.into(), &(CASES - 1).into()));
    let left: Vec<String> = fs_err::read_dir(&outcome.directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert_eq!(left, [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_grading_has_no_scores_and_is_never_latest() {
    let folder = tempfile::tempdir().unwrap();
    let mut ungraded = options(folder.path());
    ungraded.grade = false;
    let client = Scripted::new(Turn::says);
    let outcome =
        run_with(plan(&["a"], 1), client, ungraded.clone(), Stop::default(), Box::new(mst_engine::NullObserver))
            .await
            .unwrap();
    assert_eq!(outcome.record.phases.grade, Phase::Skipped);
    assert!(!outcome.is_latest);
    assert!(!outcome.directory.join("scores").exists());
    let mut redacted = plan(&["a"], 1);
    redacted.redact_stored_responses = true;
    let client = Scripted::new(Turn::says);
    let refused = run_with(redacted, client, ungraded, Stop::default(), Box::new(mst_engine::NullObserver)).await;
    assert!(matches!(refused, Err(RunError::Usage(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_be_written_is_an_error_that_names_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs_err::write(&blocked, "in the way").unwrap();
    let client = Scripted::new(Turn::says);
    let error = run(plan(&["a", "b", "c"], 1), client, &blocked, Stop::default()).await.unwrap_err();
    assert!(matches!(error, RunError::Store { .. }), "{error}");
    assert!(error.to_string().contains("file"), "{error}");
}
