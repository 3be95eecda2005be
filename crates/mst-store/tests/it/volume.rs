//! Large runs.

use mst_model::{Broke, Ending};
use mst_store::{Eligible, PlannedTrials, RunLayout, RunReader, RunWriter, Saved, SavedTrials, StoreError, TrialKey};

use crate::support::{Place, case_result, place, run_record, score, scrubbed, trial};

#[test]
fn hundreds_of_trials_are_saved_and_found_again() {
    let trials = 300;
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    for n in 0..trials {
        let case = format!("case-{n}");
        writer.save_trial(&scrubbed(trial(&record, &case, 0, &Ending::Trial))).expect("saved");
        writer.save_score(&score(&record, "regex", &case, 0)).expect("saved");
        writer.save_score(&score(&record, "toolsTriggered", &case, 0)).expect("saved");
    }
    let mut results = writer.begin_results().expect("begun");
    for n in 0..trials {
        results.add(case_result(&format!("case-{n}"))).expect("added");
    }
    writer.finish_results(results).expect("saved");
    let run = writer.finish(Eligible::Yes).expect("finished").run;

    let ids: Vec<mst_model::CaseId> = (0..trials).map(|n| format!("case-{n}").into()).collect();
    let variant = "default".into();
    let planned: Vec<PlannedTrials<'_>> =
        ids.iter().map(|case_id| PlannedTrials { variant: &variant, case_id, trials: 1 }).collect();
    let (_, saved) = RunWriter::open_for_resume(run, &planned).expect("opened");
    assert_eq!(saved.trials, vec![Saved::Settled; trials]);
}

/// More than are read one by one: a hundred lie before those that were saved last.
const LARGE: u32 = 2_100;

/// A run of one case with more trials than are read one by one, killed. The 51st is worth another try.
fn large() -> (Place, RunLayout) {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    for n in 0..LARGE {
        let ending = if n == 50 { Ending::retryable(Broke::Provider, "busy") } else { Ending::Trial };
        writer.save_trial(&scrubbed(trial(&record, "a", n, &ending))).expect("saved");
    }
    let run = writer.layout().clone();
    (place, run)
}

fn reopen(run: &RunLayout) -> Result<SavedTrials, StoreError> {
    let (variant, case_id) = ("default".into(), "a".into());
    let planned = [PlannedTrials { variant: &variant, case_id: &case_id, trials: LARGE }];
    RunWriter::open_for_resume(run.clone(), &planned).map(|(_, saved)| saved)
}

fn key(trial: u32) -> TrialKey {
    TrialKey::new("default", "a", trial)
}

/// Cuts a trial's file in half.
fn tear(run: &RunLayout, trial: u32) {
    let path = run.trial(&key(trial));
    let text = fs_err::read(&path).expect("there");
    fs_err::write(&path, &text[..text.len() / 2]).expect("written");
}

#[test]
fn of_a_large_run_what_was_saved_last_is_looked_at_and_the_rest_believed() {
    let (_place, run) = large();
    let journal = fs_err::read(run.journal()).expect("there");
    fs_err::remove_file(run.trial(&key(7))).expect("removed");
    fs_err::write(run.trial(&key(LARGE - 1)), "").expect("emptied, as by a power cut");
    let saved = reopen(&run).expect("opened");
    assert_eq!(
        (saved.trials[6], saved.trials[7], saved.trials[50]),
        (Saved::Settled, Saved::Missing, Saved::Retryable)
    );
    assert_eq!(saved.trials[LARGE as usize - 1], Saved::Missing);
    assert_eq!(saved.empty, [run.trial(&key(LARGE - 1))]);
    let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
    let left = [&lines[..7], &lines[8..LARGE as usize - 1]].concat().concat();
    assert_eq!(fs_err::read(run.journal()).expect("there"), left, "the rest stays in its order");

    // A file that no one looks at now is named as soon as anyone reads it.
    tear(&run, 3);
    assert_eq!(reopen(&run).expect("opened").trials[3], Saved::Settled);
    let error = RunReader::open(run.clone()).expect("a run").trial_view(&key(3)).expect_err("it is torn").to_string();
    assert!(error.contains("a/3.json: EOF while parsing"), "{error}");
}

#[test]
fn of_a_large_run_a_torn_file_that_was_saved_last_or_is_not_noted_is_named() {
    let (_place, run) = large();
    let journal = fs_err::read(run.journal()).expect("there");
    let torn_line = &journal[..journal.len() - 9];
    for (trial, journal) in
        [(LARGE - 2_000, Some(&journal[..])), (50, Some(&journal[..])), (3, None), (3, Some(torn_line))]
    {
        match journal {
            Some(bytes) => fs_err::write(run.journal(), bytes).expect("written"),
            None => fs_err::remove_file(run.journal()).expect("removed"),
        }
        let whole = fs_err::read(run.trial(&key(trial))).expect("there");
        tear(&run, trial);
        let error = reopen(&run).expect_err("it is torn").to_string();
        assert!(error.contains(&format!("a/{trial}.json: EOF while parsing")), "{error}");
        fs_err::write(run.trial(&key(trial)), whole).expect("mended");
        assert_eq!(reopen(&run).expect("opened").trials.len(), LARGE as usize);
    }
}

#[test]
fn a_trial_of_a_large_run_that_was_collected_twice_is_believed_as_its_last_line_says() {
    let (_place, run) = large();
    let text = fs_err::read_to_string(run.journal()).expect("there");
    let retried = text.lines().nth(50).expect("a line");
    assert!(retried.contains("busy"), "{retried}");
    let later = text.lines().nth(51).expect("a line").replace("\"trial\":51", "\"trial\":50");
    fs_err::write(run.journal(), format!("{text}{later}\n")).expect("written");
    let trial = run.trial(&key(50));
    let ran = fs_err::read_to_string(run.trial(&key(51))).expect("there").replace("\"trial\": 51", "\"trial\": 50");
    fs_err::write(trial, ran).expect("written");
    assert!(reopen(&run).expect("opened").trials.iter().all(|saved| *saved == Saved::Settled));
    let journal = fs_err::read_to_string(run.journal()).expect("there");
    assert_eq!(journal.lines().count(), LARGE as usize, "one line a trial");
    assert!(!journal.contains("busy"));
}
