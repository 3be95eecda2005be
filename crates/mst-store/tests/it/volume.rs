//! Large runs.

use std::time::Instant;

use mst_model::Ending;
use mst_store::{Eligible, RunWriter};

use crate::support::{case_result, place, run_record, score, scrubbed, trial};

/// Saves a run of this many trials with two scores each, and returns the microseconds a saved file took.
fn microseconds_a_file(trials: usize) -> f64 {
    let place = place();
    let record = run_record(0, false);
    let mut writer = RunWriter::create(&place.eval, record.clone()).expect("made");
    let started = Instant::now();
    for n in 0..trials {
        let case = format!("case-{n}");
        writer.save_trial(&scrubbed(trial(&record, &case, 0, &Ending::Trial))).expect("saved");
        writer.save_score(&score(&record, "regex", &case, 0)).expect("saved");
        writer.save_score(&score(&record, "toolsTriggered", &case, 0)).expect("saved");
    }
    let spent = started.elapsed().as_secs_f64() * 1e6 / (trials * 3) as f64;
    let cases = (0..trials).map(|n| Ok(case_result(&format!("case-{n}"))));
    writer.save_results_from(cases).expect("saved");
    let run = writer.finish(Eligible::Yes).expect("finished").run;

    let (_, saved) = RunWriter::open_for_resume(run).expect("opened");
    assert_eq!(saved.endings.len(), trials);
    spent
}

#[test]
fn hundreds_of_trials_are_saved_and_found_again() {
    microseconds_a_file(300);
}

#[test]
#[ignore = "a measurement: 20,000 trials on disk"]
fn twenty_thousand_trials() {
    println!("{:.0} microseconds a file", microseconds_a_file(20_000));
}
