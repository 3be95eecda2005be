//! Large runs.

use mst_model::Ending;
use mst_store::{Eligible, PlannedTrials, RunWriter, Saved};

use crate::support::{case_result, place, run_record, score, scrubbed, trial};

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
