//! Going on with a run that was stopped or killed.

use mst_model::{Broke, Ending};
use mst_store::{Eligible, PlannedTrials, RunLayout, RunWriter, Saved, SavedTrials, StoreError, TrialKey};

use crate::support::{Place, names, place, run_record, scrubbed, trial};

/// A run with `a` finished, `b` broken in a way that a retry helps and `c` in one that it does not, then killed.
fn killed() -> (Place, mst_store::RunLayout) {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    for (case, ending) in [
        ("a", Ending::Trial),
        ("b", Ending::retryable(Broke::Provider, "busy")),
        ("c", Ending::permanent(Broke::Setup, "refused")),
    ] {
        writer.save_trial(&scrubbed(trial(&record, case, 0, &ending))).expect("saved");
    }
    let run = writer.layout().clone();
    drop(writer);
    (place, run)
}

/// Opens a run whose plan has the cases a to d, once each.
fn reopen(run: &RunLayout) -> Result<(RunWriter, SavedTrials), StoreError> {
    let (variant, ids) = ("default".into(), ["a", "b", "c", "d"].map(mst_model::CaseId::from));
    let planned: Vec<PlannedTrials<'_>> =
        ids.iter().map(|case_id| PlannedTrials { variant: &variant, case_id, trials: 1 }).collect();
    RunWriter::open_for_resume(run.clone(), &planned)
}

const AS_KILLED: [Saved; 4] = [Saved::Settled, Saved::Retryable, Saved::Settled, Saved::Missing];

fn key(case: &str) -> TrialKey {
    TrialKey::new("default", case, 0)
}

#[test]
fn fc30_a_killed_run_says_what_it_has() {
    let (_place, run) = killed();
    let (_writer, saved) = reopen(&run).expect("opened");
    assert_eq!(saved.trials, AS_KILLED);
}

#[test]
fn the_journal_is_a_hint_and_is_made_again_from_the_files() {
    let (_place, run) = killed();
    let whole = fs_err::read(run.journal()).expect("there");
    for journal in [None, Some(&whole[..10]), Some(&whole[..0]), Some(b"\xff\xfe nonsense\n".as_slice())] {
        match journal {
            Some(bytes) => fs_err::write(run.journal(), bytes).expect("written"),
            None => fs_err::remove_file(run.journal()).expect("removed"),
        }
        let (_, saved) = reopen(&run).expect("opened");
        assert_eq!(saved.trials, AS_KILLED, "{journal:?}");
        assert_eq!(fs_err::read(run.journal()).expect("there"), whole);
    }
}

#[test]
fn a_trial_that_was_renamed_and_not_noted_is_saved() {
    let (_place, run) = killed();
    let lines = fs_err::read_to_string(run.journal()).expect("there");
    let without_a: String = lines.split_inclusive('\n').skip(1).collect();
    fs_err::write(run.journal(), without_a).expect("written");
    let (_, saved) = reopen(&run).expect("opened");
    assert_eq!(saved.trials, AS_KILLED);

    // The other way round: noted, and its file is gone.
    fs_err::remove_file(run.trial(&key("a"))).expect("removed");
    let (_, saved) = reopen(&run).expect("opened");
    assert_eq!(saved.trials[0], Saved::Missing);
}

#[test]
fn a_retried_trial_that_was_renamed_and_not_noted_counts_as_its_file_says() {
    let (_place, run) = killed();
    let journal = fs_err::read(run.journal()).expect("there");
    let (mut writer, _) = reopen(&run).expect("opened");
    let record = writer.record().clone();
    writer.save_trial(&scrubbed(trial(&record, "b", 0, &Ending::Trial))).expect("saved");
    drop(writer);
    fs_err::write(run.journal(), journal).expect("as if killed before the note");
    let (_, saved) = reopen(&run).expect("opened");
    assert_eq!(saved.trials[1], Saved::Settled);
}

#[test]
fn what_a_killed_writer_left_half_written_is_removed() {
    let (_place, run) = killed();
    fs_err::write(run.root().join(".tmp-abc123"), "half").expect("written");
    fs_err::write(run.trial(&key("a")).with_file_name(".tmp-def456"), "half").expect("written");
    drop(reopen(&run).expect("opened"));
    assert!(names(run.root()).iter().all(|name| !name.contains(".tmp-")));
}

#[test]
fn an_empty_file_of_a_power_cut_is_collected_again() {
    let (_place, run) = killed();
    for content in [&b""[..], &[0; 64]] {
        fs_err::write(run.trial(&key("a")), content).expect("written");
        let (_, saved) = reopen(&run).expect("opened");
        assert_eq!(saved.empty, [run.trial(&key("a"))]);
        assert_eq!(saved.trials[0], Saved::Missing);
    }
}

#[test]
fn one_writer_a_run() {
    let (_place, run) = killed();
    let first = reopen(&run).expect("opened");
    let error = reopen(&run).map(drop).expect_err("it is locked");
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    #[cfg(target_os = "linux")]
    assert!(error.to_string().ends_with(&format!("by another process (pid {})", std::process::id())), "{error}");
    drop(first);
    drop(reopen(&run).expect("the lock ended with its writer"));
    assert!(names(run.root()).iter().all(|name| !name.contains("lock")));
}

#[test]
fn what_cannot_be_resumed_is_refused_by_name() {
    type Change = fn(&mst_store::RunLayout);
    fn edit(path: &std::path::Path, from: &str, to: &str) {
        let text = fs_err::read_to_string(path).expect("there");
        assert!(text.contains(from), "{text}");
        fs_err::write(path, text.replace(from, to)).expect("written");
    }
    let table: &[(&str, Change, &str)] = &[
        (
            "a redacted run",
            |run| edit(&run.run_record(), "\"redactStoredResponses\": false", "\"redactStoredResponses\": true"),
            "run 20261007T182504Z-7f3c00 was stored with redactStoredResponses, without the answers that grading needs",
        ),
        (
            "a regrade",
            |run| {
                edit(
                    &run.run_record(),
                    "\"kind\": \"run\",",
                    "\"kind\": \"run\", \"gradedFrom\": \"20261007T182504Z-aaaaaa\",",
                );
            },
            "20261007T182504Z-7f3c00 is a regrade and collected nothing; it grades 20261007T182504Z-aaaaaa",
        ),
        (
            "another run's record",
            |run| edit(&run.run_record(), "7f3c00", "7f3c11"),
            "[run]/run.json: runId is \"20261007T182504Z-7f3c11\", its place says \"20261007T182504Z-7f3c00\"",
        ),
        (
            "another run's trial",
            |run| edit(&run.trial(&key("b")), "7f3c00", "7f3c11"),
            "[run]/transcripts/default/b/0.json: runId is \"20261007T182504Z-7f3c11\", its place says \"20261007T182504Z-7f3c00\"",
        ),
        (
            "a trial in another case's place",
            |run| edit(&run.trial(&key("b")), "\"caseId\": \"b\"", "\"caseId\": \"z\""),
            "[run]/transcripts/default/b/0.json: caseId is \"z\", its place says \"b\"",
        ),
        (
            "a torn trial",
            |run| {
                let text = fs_err::read_to_string(run.trial(&key("b"))).expect("there");
                fs_err::write(run.trial(&key("b")), &text[..60]).expect("written");
            },
            "[run]/transcripts/default/b/0.json: EOF while parsing a string at line 4 column 13",
        ),
        (
            "an ending of a newer version",
            |run| edit(&run.trial(&key("b")), "\"broke\": \"provider\"", "\"broke\": \"moon\""),
            "[run]/transcripts/default/b/0.json: /ending/broke is \"moon\", which this version of mst does not know: upgrade mst",
        ),
        (
            "a trial of a newer format",
            |run| edit(&run.trial(&key("b")), "mst.run/v1", "mst.run/v2"),
            "[run]/transcripts/default/b/0.json: format \"mst.run/v2\"; this mst reads \"mst.run/v1\": use the mst that wrote the run, named in its run.json, or a later one",
        ),
        (
            "a trial that is torn at its end",
            |run| {
                let text = fs_err::read_to_string(run.trial(&key("a"))).expect("there");
                fs_err::write(run.trial(&key("a")), &text[..text.len() - 3]).expect("written");
            },
            "[run]/transcripts/default/a/0.json: EOF while parsing an object at line 47 column 3",
        ),
        (
            "another kind of file",
            |run| edit(&run.trial(&key("a")), "\"kind\": \"trial\",", "\"kind\": \"score\","),
            "[run]/transcripts/default/a/0.json: expected kind \"trial\", found \"score\"",
        ),
        (
            "a folder in a trial's place",
            |run| {
                fs_err::remove_file(run.trial(&key("a"))).expect("removed");
                fs_err::create_dir(run.trial(&key("a"))).expect("made");
            },
            "[run]/transcripts/default/a/0.json is a folder, where a trial's file belongs",
        ),
        (
            "a link in a trial's place",
            |run| {
                fs_err::remove_file(run.trial(&key("a"))).expect("removed");
                std::os::unix::fs::symlink(run.trial(&key("b")), run.trial(&key("a"))).expect("made");
            },
            "[run]/transcripts/default/a/0.json is a symbolic link, where a trial's file belongs",
        ),
        (
            "a trial too many",
            |run| {
                fs_err::copy(run.trial(&key("a")), run.trial(&TrialKey::new("default", "a", 1))).expect("copied");
            },
            "[run]/transcripts/default/a/1.json is no trial of the plan",
        ),
        (
            "a case that the plan does not have",
            |run| fs_err::create_dir(run.transcripts().join("default/z")).expect("made"),
            "[run]/transcripts/default/z is no case of the plan",
        ),
        (
            "a variant that the plan does not have",
            |run| fs_err::create_dir(run.transcripts().join("other")).expect("made"),
            "[run]/transcripts/other is no variant of the plan",
        ),
        (
            "a newer format",
            |run| edit(&run.run_record(), "mst.run/v1", "mst.run/v2"),
            "[run]/run.json: format \"mst.run/v2\", written by mst 0.1.0; this mst reads \"mst.run/v1\": use mst 0.1.0 or later",
        ),
    ];
    for (what, change, want) in table {
        let (_place, run) = killed();
        change(&run);
        let before = names(run.root());
        let error = reopen(&run).map(drop).expect_err(what).to_string();
        assert_eq!(error.replace(&run.root().display().to_string(), "[run]"), *want, "{what}");
        assert_eq!(names(run.root()), before, "{what}");
    }
}

#[test]
fn a_trial_that_was_collected_again_leaves_one_line_in_the_journal() {
    let (_place, run) = killed();
    let (mut writer, _) = reopen(&run).expect("opened");
    let record = writer.record().clone();
    writer.save_trial(&scrubbed(trial(&record, "b", 0, &Ending::Trial))).expect("saved");
    let lines = || fs_err::read_to_string(run.journal()).expect("there").lines().count();
    assert_eq!(lines(), 4, "the later line of a trial counts");
    writer.finish(Eligible::No).expect("finished");
    assert_eq!(lines(), 3);
    let (_, saved) = reopen(&run).expect("opened");
    assert_eq!(saved.trials, [Saved::Settled, Saved::Settled, Saved::Settled, Saved::Missing]);
}

#[test]
fn what_a_killed_writer_left_beside_a_score_is_removed_at_the_end() {
    let (_place, run) = killed();
    let folder = run.scores().join("regex/default/a");
    fs_err::create_dir_all(&folder).expect("made");
    fs_err::write(folder.join(".tmp-abc123"), "half").expect("written");
    reopen(&run).expect("opened").0.finish(Eligible::No).expect("finished");
    assert!(names(run.root()).iter().all(|name| !name.contains(".tmp-")));
}

#[test]
fn a_resumed_run_keeps_fields_of_a_newer_version() {
    let (_place, run) = killed();
    let path = run.run_record();
    let text = fs_err::read_to_string(&path).expect("there");
    let newer = text.replace("\"version\": \"0.1.0\"", "\"version\": \"0.1.0\",\n    \"build\": \"x\"");
    fs_err::write(&path, &newer).expect("written");
    let (mut writer, _) = reopen(&run).expect("opened");
    let mut record = writer.record().clone();
    record.phases.collect = mst_model::Phase::Complete;
    writer.save_run_record(record).expect("saved");
    let saved = fs_err::read_to_string(&path).expect("there");
    assert_eq!(saved, newer.replace("\"collect\": \"partial\"", "\"collect\": \"complete\""));
}
