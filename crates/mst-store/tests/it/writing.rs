//! What a run leaves behind.

use mst_model::{Ending, Phase};
use mst_store::{Eligible, EvalLayout, RunWriter, StoreError, check_writable, read_latest};

use crate::support::{at, case_result, files, names, place, run_record, score, scrubbed, trial, variant};

#[test]
fn a_run_is_saved_as_it_goes_and_latest_comes_last() {
    let place = place();
    let mut record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    writer.save_trial(&scrubbed(trial(&record, "docs/1", 0, &Ending::Trial))).expect("saved");
    writer.save_score(&score(&record, "judge.a/b", "docs/1", 0)).expect("saved");
    writer.maybe_sync(at(0)).expect("synced");
    writer.maybe_sync(at(2)).expect("synced");
    assert!(read_latest(&place.eval).expect("read").is_none(), "not before the run is finished");

    record.variants.push(variant("default"));
    record.phases.collect = Phase::Complete;
    record.phases.grade = Phase::Complete;
    record.finished_at = Some(at(5));
    writer.save_run_record(record.clone()).expect("saved");
    save_results(&mut writer, "docs/1");
    let finished = writer.finish(Eligible::Yes).expect("finished");
    assert!(finished.is_latest);

    insta::assert_snapshot!(names(place.eval.root()).join("\n"), @r"
    latest.json
    runs/20261007T182504Z-7f3c00/journal.jsonl
    runs/20261007T182504Z-7f3c00/results.json
    runs/20261007T182504Z-7f3c00/run.json
    runs/20261007T182504Z-7f3c00/scores/judge.a%2Fb/default/docs%2F1/0.json
    runs/20261007T182504Z-7f3c00/transcripts/default/docs%2F1/0.json
    ");
    for (name, bytes) in files(place.eval.root()) {
        if std::path::Path::new(&name).extension().is_some_and(|extension| extension == "json") {
            let text = String::from_utf8(bytes).expect("UTF-8");
            assert!(text.starts_with("{\n  \"format\": \"mst.run/v1\",\n  \"kind\": "), "{name}: {text}");
            assert!(text.ends_with("}\n") && !text.ends_with("\n\n"), "{name}");
        }
    }
    insta::assert_snapshot!(fs_err::read_to_string(place.eval.latest()).expect("there"), @r#"
    {
      "format": "mst.run/v1",
      "kind": "latest",
      "runId": "20261007T182504Z-7f3c00",
      "createdAt": "2026-10-07T18:25:04.000Z",
      "path": "runs/20261007T182504Z-7f3c00"
    }
    "#);
    insta::assert_snapshot!(fs_err::read_to_string(finished.run.journal()).expect("there"), @r#"{"variant":"default","caseId":"docs/1","trial":0,"ending":{"kind":"trial"}}"#);
}

#[test]
fn fc33_the_files_keep_the_exact_text() {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    let saved = scrubbed(trial(&record, "a", 0, &Ending::Trial));
    writer.save_trial(&saved).expect("saved");
    let key = mst_store::TrialKey::of_trial(saved.get());
    let read = writer.reader().expect("a run").trial(&key).expect("there");
    assert_eq!(read.view(), saved.get());
}

#[test]
fn fc35_a_redacted_run_stores_no_answer_and_no_tool_output() {
    let place = place();
    let record = run_record(0, true);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    writer.save_trial(&scrubbed(trial(&record, "a", 0, &Ending::Trial))).expect("saved");
    writer.save_score(&score(&record, "judge.x", "a", 0)).expect("saved");
    save_results(&mut writer, "a");
    writer.finish(Eligible::No).expect("finished");
    for (name, bytes) in files(place.eval.root()) {
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(!text.contains("secret-answer"), "{name}: {text}");
    }
    let trial =
        fs_err::read_to_string(place.eval.run(&record.run_id).trial(&mst_store::TrialKey::new("default", "a", 0)));
    insta::assert_snapshot!(trial.expect("there"), @r#"
    {
      "format": "mst.run/v1",
      "kind": "trial",
      "runId": "20261007T182504Z-7f3c00",
      "variant": "default",
      "caseId": "a",
      "datasetName": "parts",
      "trial": 0,
      "durationMs": 12.5,
      "infrastructureError": false,
      "ending": {
        "kind": "trial"
      },
      "transcript": {
        "events": [
          {
            "kind": "tool_call",
            "source": "mcp",
            "name": "lookup",
            "server": "parts",
            "arguments": {
              "id": "p-1"
            },
            "isError": false,
            "id": "call-1"
          }
        ],
        "modelCalls": [
          {
            "id": "m-1",
            "model": "m"
          }
        ]
      },
      "clientTelemetry": {
        "requests": 2
      }
    }
    "#);
}

#[test]
fn the_run_that_was_collected_last_is_the_latest_whatever_the_clock_says() {
    let place = place();
    let started_first = RunWriter::create(&place.eval, run_record(0, false)).expect("made");
    let started_last = RunWriter::create(&place.eval, run_record(9, false)).expect("made");
    for (writer, seconds) in [(started_last, 9), (started_first, 0)] {
        assert!(writer.finish(Eligible::Yes).expect("finished").is_latest);
        let latest = read_latest(&place.eval).expect("read").expect("there");
        assert_eq!(latest.run_id, run_record(seconds, false).run_id);
    }
}

#[test]
fn a_regrade_of_an_older_collection_leaves_the_newer_run_the_latest() {
    let place = place();
    let regrade = |seconds: i64, number: u32| {
        let collected = run_record(seconds, false);
        let record = mst_model::RunRecord {
            run_id: collected.run_id.regrade(number),
            graded_from: Some(collected.run_id.clone()),
            ..collected
        };
        RunWriter::create(&place.eval, record).expect("made").finish(Eligible::Yes).expect("finished").is_latest
    };
    let newest = RunWriter::create(&place.eval, run_record(9, false)).expect("made");
    assert!(newest.finish(Eligible::Yes).expect("finished").is_latest);
    for (seconds, number, becomes) in [(0, 2, false), (9, 2, true), (8, 2, false), (9, 3, true)] {
        assert_eq!(regrade(seconds, number), becomes, "a regrade of what was collected at {seconds}");
    }
    let latest = read_latest(&place.eval).expect("read").expect("there");
    assert_eq!(latest.run_id, run_record(9, false).run_id.regrade(3));
}

#[test]
fn a_run_whose_directory_was_removed_is_not_made_again() {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    writer.save_trial(&scrubbed(trial(&record, "a", 0, &Ending::Trial))).expect("saved");
    fs_err::remove_dir_all(writer.layout().root()).expect("removed");
    let gone = |result: Result<(), StoreError>| {
        let error = result.expect_err("the directory is gone");
        assert!(matches!(error, StoreError::Gone(_)) && error.is_machine_fault(), "{error}");
    };
    gone(writer.save_trial(&scrubbed(trial(&record, "a", 1, &Ending::Trial))));
    gone(writer.save_run_record(record));
    gone(writer.begin_results().map(drop));
    assert!(!writer.layout().root().exists());
}

#[test]
fn a_run_is_made_once() {
    let place = place();
    let writer = RunWriter::create(&place.eval, run_record(0, false)).expect("made");
    let again = RunWriter::create(&place.eval, run_record(0, false));
    assert!(matches!(again, Err(StoreError::Exists(_))));
    drop(writer);
    let again = RunWriter::create(&place.eval, run_record(0, false));
    assert!(matches!(again, Err(StoreError::Exists(_))));
}

#[test]
fn results_that_are_given_up_leave_the_old_ones_and_nothing_temporary() {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    save_results(&mut writer, "a");
    let before = files(place.eval.root());
    let mut results = writer.begin_results().expect("begun");
    results.add(case_result("b")).expect("added");
    drop(results);
    assert_eq!(files(place.eval.root()), before);
}

#[test]
fn a_place_that_takes_no_files_is_found_out_before_the_run() {
    let place = place();
    check_writable(place.eval.root()).expect("it can be made");
    assert!(!place.eval.root().exists(), "nothing was made");
    fs_err::write(place.eval.root(), "a file in the way").expect("written");
    let error =
        check_writable(&EvalLayout::new(place.eval.root().join("deeper")).root().join("x")).expect_err("no folder");
    assert!(error.is_machine_fault());
}

#[test]
fn results_written_case_by_case_are_laid_out_as_any_other_file() {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    for cases in [&[][..], &["a"], &["a", "b\n"]] {
        let results = mst_model::Results {
            format: mst_model::RUN_FORMAT.to_owned(),
            kind: "results".to_owned(),
            run_id: record.run_id.clone(),
            cases: cases.iter().map(|id| case_result(id)).collect(),
        };
        writer.save_results(&results).expect("saved");
        let text = fs_err::read(place.eval.run(&record.run_id).results()).expect("there");
        assert_eq!(String::from_utf8(text), String::from_utf8(mst_store::to_bytes(&results)), "{cases:?}");
    }
}

fn save_results(writer: &mut RunWriter, case: &str) {
    let mut results = writer.begin_results().expect("begun");
    results.add(case_result(case)).expect("added");
    writer.finish_results(results).expect("saved");
}

#[test]
fn results_that_go_on_are_saved_as_if_they_ended_there() {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    let saved = |writer: &RunWriter| fs_err::read_to_string(writer.layout().results()).expect("there");
    let mut going_on = writer.begin_results().expect("begun");
    for count in 0..3 {
        writer.save_results_so_far(&mut going_on).expect("saved");
        let so_far = saved(&writer);
        let mut whole = writer.begin_results().expect("begun");
        (0..count).try_for_each(|n| whole.add(case_result(&format!("case-{n}")))).expect("added");
        writer.finish_results(whole).expect("saved");
        assert_eq!(so_far, saved(&writer), "{count}");
        going_on.add(case_result(&format!("case-{count}"))).expect("added");
    }
    drop(going_on);
    let left = files(place.eval.root()).iter().filter(|(name, _)| name.contains("tmp")).count();
    assert_eq!(left, 0);
}
