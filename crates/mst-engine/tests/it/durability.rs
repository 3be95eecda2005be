//! Runs beside one another, clocks that are set back, and disks that fail.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use mst_engine::{NullObserver, RunError, RunEvent, Stop};
use mst_model::{Clock, LatestRecord, Phase, Timestamp};

use crate::scripted::{Scripted, Turn, deps, options, plan, run, run_with};

/// A clock that is an hour earlier each time it is looked at.
struct Backwards(AtomicI64);

impl Clock for Backwards {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_sub(3_600_000, Ordering::SeqCst)).expect("in range")
    }
}

fn latest(folder: &Path) -> LatestRecord {
    let text = fs_err::read_to_string(folder.join("latest.json")).expect("a latest run");
    serde_json::from_str(&text).expect("its record")
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_one_second_have_ids_of_their_own_and_the_last_one_collected_is_the_latest() {
    let folder = tempfile::tempdir().unwrap();
    let slow = Scripted::new(|prompt| Turn::says(prompt).taking(300));
    let (slow, quick) = tokio::join!(
        run(plan(&["a", "b"], 1), slow, folder.path(), Stop::default()),
        run(plan(&["a", "b"], 1), Scripted::new(Turn::says), folder.path(), Stop::default()),
    );
    let (slow, quick) = (slow.unwrap(), quick.unwrap());
    assert_ne!(slow.record.run_id, quick.record.run_id);
    for outcome in [&slow, &quick] {
        assert_eq!(outcome.record.phases.collect, Phase::Complete);
        let trial = outcome.directory.join("transcripts/default/b/0.json");
        let trial: mst_model::TrialRecord = serde_json::from_str(&fs_err::read_to_string(trial).unwrap()).unwrap();
        assert_eq!(trial.run_id, outcome.record.run_id);
    }
    assert_eq!(latest(folder.path()).run_id, slow.record.run_id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_back_makes_no_time_negative_and_holds_nothing_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut backwards = deps(Scripted::new(|prompt| Turn::says(prompt).taking(400)));
    backwards.clock = Arc::new(Backwards(AtomicI64::new(1_791_050_531_000)));
    let outcome = mst_engine::run(
        plan(&["a", "b", "c", "d"], 1),
        backwards,
        options(folder.path()),
        Stop::default(),
        Box::new(NullObserver),
    );
    let outcome = outcome.await.unwrap();
    assert!(outcome.is_latest);
    assert!(outcome.summary.duration_ms >= 0.0);
    assert!(outcome.record.finished_at >= Some(outcome.record.created_at));
    assert!(outcome.summary.variants[0].result.duration_ms >= 1600.0, "trials are timed by another clock");

    // The next run begins at an earlier time and ends later: it is the latest.
    let next = run(plan(&["a"], 1), Scripted::new(Turn::says), folder.path(), Stop::default()).await.unwrap();
    assert_eq!(latest(folder.path()).run_id, next.record.run_id);
}

/// Removes the run's directory once a trial is saved.
struct RemoveRun(std::path::PathBuf);

impl mst_engine::Observer for RemoveRun {
    fn event(&mut self, event: &RunEvent) {
        if matches!(event, RunEvent::TrialSaved { .. }) {
            let _already_gone = fs_err::remove_dir_all(self.0.join("runs"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_saved_ends_the_trials_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let client = Scripted::new(|prompt| {
        let takes = if prompt == "never ends" { 60_000 } else { 200 };
        Turn::says(prompt).taking(takes)
    });
    let log = Arc::clone(&client.log);
    let ids = ["never ends", "a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let observer = Box::new(RemoveRun(folder.path().to_owned()));
    let ended = run_with(plan(&ids, 2), client, options(folder.path()), Stop::default(), observer).await;
    let error = ended.unwrap_err();
    assert!(matches!(error, RunError::Store { .. }), "{error}");
    assert!(error.to_string().contains("was removed while the run was being written"), "{error}");
    let begun = log.lock().unwrap().iter().filter(|line| line.starts_with("run ")).count();
    assert!(begun < ids.len(), "every trial was begun");
    assert!(!folder.path().join("runs").exists());
}

/// More trials than a resume reads one by one.
fn large() -> mst_config::Plan {
    let mut large = plan(&["a", "b"], 8);
    for case in &mut large.variants[0].batches[0].cases {
        case.trials = 1_020;
    }
    large
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_in_a_believed_file_of_a_large_run_is_named_and_never_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let first = run(large(), Scripted::new(Turn::says), folder.path(), Stop::default()).await.unwrap();
    assert!(first.is_latest);
    let path = |trial: &str| first.directory.join("transcripts/default").join(trial);
    let torn = path("a/0.json");
    let text = fs_err::read(&torn).unwrap();
    fs_err::write(&torn, &text[..text.len() / 2]).unwrap();
    fs_err::remove_file(path("b/1000.json")).unwrap();
    let results = fs_err::read(first.directory.join("results.json")).unwrap();

    let client = Scripted::new(Turn::says);
    let log = Arc::clone(&client.log);
    let mut again = options(folder.path());
    again.resume = Some(first.record.run_id.to_string());
    let ended = run_with(large(), client, again.clone(), Stop::default(), Box::new(NullObserver)).await;
    let error = ended.unwrap_err().to_string();
    assert!(error.contains("transcripts/default/a/0.json: EOF while parsing"), "{error}");
    let ran = |log: &crate::scripted::Log| log.lock().unwrap().iter().filter(|line| line.starts_with("run ")).count();
    assert_eq!(ran(&log), 1, "what was missing is collected");
    assert!(path("b/1000.json").is_file(), "and saved");
    assert_eq!(fs_err::read(first.directory.join("results.json")).unwrap(), results, "nothing is joined from it");

    fs_err::remove_file(&torn).unwrap();
    let client = Scripted::new(Turn::says);
    let log = Arc::clone(&client.log);
    let mended = run_with(large(), client, again, Stop::default(), Box::new(NullObserver)).await.unwrap();
    assert_eq!((ran(&log), mended.trials), (1, (2_040, 2_040)));
    assert_eq!(mended.record.phases.collect, Phase::Complete);
}
