//! Golden run directories of released formats: every reader reads them and saves them again byte for byte.

use std::path::{Path, PathBuf};

use mst_model::{Ending, LatestRecord, Results, RunRecord, ScoreRecord, Summary, TrialRecord};
use mst_store::{Doc, EvalLayout, PlannedTrials, RunReader, RunWriter, Saved, TrialKey, find_run};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::support::{files, place};

fn golden() -> EvalLayout {
    EvalLayout::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/v1/small"))
}

/// Reads a document and returns it as saved again, untouched and after its view was set to an equal one.
fn saved_again<T: Serialize + DeserializeOwned + Clone>(path: &Path, bytes: &[u8], kind: &str) -> [Vec<u8>; 2] {
    let mut doc = Doc::<T>::parse(bytes, path, kind).expect("a golden file is read");
    let untouched = doc.to_bytes();
    doc.set(doc.view().clone());
    [untouched, doc.to_bytes()]
}

#[test]
fn golden_runs_are_saved_again_byte_for_byte() {
    let root = golden().root().to_owned();
    let mut kinds = std::collections::BTreeSet::new();
    for (name, bytes) in files(&root) {
        if Path::new(&name).extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let path = root.join(&name);
        let kind =
            serde_json::from_slice::<serde_json::Value>(&bytes).expect("JSON")["kind"].as_str().map(str::to_owned);
        let kind = kind.expect("every file says its kind");
        let saved = match kind.as_str() {
            "run" => saved_again::<RunRecord>(&path, &bytes, &kind),
            "trial" => saved_again::<TrialRecord>(&path, &bytes, &kind),
            "score" => saved_again::<ScoreRecord>(&path, &bytes, &kind),
            "results" => saved_again::<Results>(&path, &bytes, &kind),
            "summary" => saved_again::<Summary>(&path, &bytes, &kind),
            "latest" => saved_again::<LatestRecord>(&path, &bytes, &kind),
            other => panic!("no reader for {other}"),
        };
        for again in saved {
            assert_eq!(
                String::from_utf8(again).expect("UTF-8"),
                String::from_utf8(bytes.clone()).expect("UTF-8"),
                "{name}"
            );
        }
        kinds.insert(kind);
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["latest", "results", "run", "score", "summary", "trial"]);
}

#[test]
fn a_golden_run_is_read_as_what_it_says() {
    let eval = golden();
    let reader = RunReader::open(find_run(&eval, "7f3c2a").expect("found")).expect("opened");
    assert_eq!(reader.record().view().eval_name, "parts-eval");
    let endings: Vec<Ending> = reader
        .trial_paths()
        .expect("listed")
        .iter()
        .map(|path| reader.trial_at(path).expect("read").into_view().ending)
        .collect();
    assert_eq!(endings, [Ending::Trial, Ending::Trial, Ending::Trial]);
    let scores = reader.scores(&TrialKey::new("default", "docs/port", 1)).expect("read");
    assert!(!scores["textContains"].view().score.pass);
    assert_eq!(reader.results().expect("read").view().cases.len(), 2);
    assert_eq!(reader.summary().expect("read").view().variants.len(), 1);
}

#[test]
fn a_golden_run_can_be_gone_on_with() {
    let place = place();
    let source = golden().root().to_owned();
    for (name, bytes) in files(&source) {
        let path: PathBuf = place.eval.root().join(name);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs_err::write(path, bytes).expect("written");
    }
    let run = find_run(&place.eval, "7f3c2a").expect("found");
    let reader = RunReader::open(run.clone()).expect("opened");
    let mut trials: Vec<TrialRecord> = reader
        .trial_paths()
        .expect("listed")
        .iter()
        .map(|path| reader.trial_at(path).expect("read").into_view())
        .collect();
    trials.dedup_by(|next, first| (&next.variant, &next.case_id) == (&first.variant, &first.case_id));
    let planned: Vec<PlannedTrials<'_>> = trials
        .iter()
        .map(|trial| PlannedTrials { variant: &trial.variant, case_id: &trial.case_id, trials: 2 })
        .collect();
    let (mut writer, saved) = RunWriter::open_for_resume(run, &planned).expect("opened");
    assert_eq!(saved.trials.iter().filter(|saved| **saved == Saved::Settled).count(), 3);
    writer.save_run_record(writer.record().clone()).expect("saved");
    drop(writer);
    assert_eq!(files(place.eval.root()), files(&source), "nothing changed that was not asked for");
}
