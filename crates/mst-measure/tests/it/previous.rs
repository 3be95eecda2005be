//! The previous run: which one that is, and what changed since.

use indexmap::IndexMap;
use mst_measure::previous::{CaseEnd, RunSide, VariantSide, is_previous, previous_run};
use mst_measure::stats::Passes;
use mst_model::{CaseId, ChangeAssessment, Phase, RunRecord};
use serde_json::{Value, json};

fn record(id: &str) -> RunRecord {
    serde_json::from_value(json!({
        "format": "mst.run/v1", "kind": "run", "runId": id, "evalName": "e", "configId": "e", "contentHash": "c",
        "createdAt": "2026-10-07T18:25:04.000Z", "mst": { "version": "0.1.0" },
        "variants": [{ "name": "a" }, { "name": "b" }],
        "datasets": [{ "name": "d", "caseCount": 2, "contentHash": "h" }], "partial": false,
        "redactStoredResponses": true, "runner": { "name": "local", "shards": 1 },
        "phases": { "collect": "complete", "grade": "complete" },
    }))
    .expect("a record")
}

const NOW: &str = "20261008T182504Z-7f3c2a";
const BEFORE: &str = "20261007T182504Z-a3f9c1";

#[test]
fn the_previous_run_is_comparable_graded_and_complete() {
    let (now, before) = (record(NOW), record(BEFORE));
    assert!(is_previous(&now, &before, false));
    assert!(!is_previous(&now, &before, true), "a stopping rule ended it");
    let changed = |change: &dyn Fn(&mut RunRecord)| {
        let mut other = before.clone();
        change(&mut other);
        is_previous(&now, &other, false)
    };
    let narrowed = json!({ "cases": ["x"] });
    for (what, change, want) in [
        ("another eval", &(|run: &mut RunRecord| run.config_id = "f".to_owned()) as &dyn Fn(&mut RunRecord), false),
        ("an edited config", &|run| run.content_hash = "d".to_owned(), true),
        ("other variants", &|run| drop(run.variants.pop()), false),
        ("the variants in another order", &|run| run.variants.reverse(), true),
        ("a partial run", &|run| run.partial = true, false),
        ("an ungraded one", &|run| run.phases.grade = Phase::Skipped, false),
        ("one without all verdicts", &|run| run.phases.grade = Phase::Partial, false),
        ("one that was stopped", &|run| run.phases.collect = Phase::Partial, false),
        ("the offline baseline's", &|run| run.variants[0].offline = true, false),
        ("another grading of the same trials", &|run| run.run_id = now.run_id.regrade(2), false),
        ("a regrade of an earlier run", &|run| run.run_id = run.run_id.regrade(2), true),
    ] {
        assert_eq!(changed(change), want, "{what}");
    }
    let narrow = |run: &mut RunRecord, selection: &Value| {
        run.partial = true;
        run.selection = serde_json::from_value(selection.clone()).expect("a selection");
    };
    let mut one = now.clone();
    narrow(&mut one, &narrowed);
    for (selection, want) in [(narrowed, true), (json!({ "cases": ["y"] }), false)] {
        let mut other = before.clone();
        narrow(&mut other, &selection);
        assert_eq!(is_previous(&one, &other, false), want, "{selection}");
    }
}

fn end(passed: u64, counted: u64) -> CaseEnd {
    CaseEnd { pass: (counted == 3).then_some(passed == 3), passes: Passes { passed, counted }, is_regression: false }
}

fn side(id: &str, cases: &[(&str, CaseEnd)], rate: f64) -> RunSide {
    let cases: IndexMap<CaseId, CaseEnd> = cases.iter().map(|(id, end)| (CaseId::from(*id), *end)).collect();
    let variant = VariantSide { passed_rate: Some(rate), trial_pass_rate: Some(rate / 2.0), cases };
    RunSide { record: record(id), pass_rate: Some(rate), variants: [("a".into(), variant)].into_iter().collect() }
}

#[test]
fn a_variant_s_change_is_the_paired_test_of_its_headline_cases() {
    let guard = |passed| CaseEnd { is_regression: true, ..end(passed, 3) };
    let names = ["c0", "c1", "c2", "c3", "c4", "c5"];
    let all = |passed: u64| names.map(|name| (name, end(passed, 3)));
    let before = [&all(3)[..], &[("gone", end(3, 3)), ("open", end(3, 3)), ("guard", guard(3))]].concat();
    let now = [&all(0)[..], &[("new", end(3, 3)), ("open", end(2, 2)), ("guard", guard(0))]].concat();
    let got = previous_run(&side(NOW, &now, 0.25), &side(BEFORE, &before, 1.0));
    assert_eq!((got.run_id.as_str(), got.same_config, got.pass_rate), (BEFORE, true, Some(1.0)));
    let variant = &got.variants["a"];
    assert_eq!((got.pass_rate_delta, variant.pass_rate_delta), (Some(-0.75), Some(-0.75)));
    assert_eq!(variant.trial_pass_rate_delta, Some(-0.375));
    let change = variant.change.as_ref().expect("a change");
    assert_eq!((change.cases, change.mean, change.assessment), (6, -1.0, ChangeAssessment::Worse));
    let shown = |ids: &[CaseId]| ids.iter().map(CaseId::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(shown(&variant.regressed), "c0 c1 c2 c3 c4 c5 guard", "an incomplete case flips nothing");
    assert_eq!((shown(&variant.added), shown(&variant.removed)), ("new".to_owned(), "gone".to_owned()));
    let back = previous_run(&side(NOW, &before, 1.0), &side(BEFORE, &now, 0.25));
    assert_eq!(shown(&back.variants["a"].improved), "c0 c1 c2 c3 c4 c5 guard");
    // Where every case guards, the guards are the headline cases.
    let guards = |passed| names.map(|name| (name, guard(passed)));
    let got = previous_run(&side(NOW, &guards(0), 0.0), &side(BEFORE, &guards(3), 1.0));
    assert_eq!(got.variants["a"].change.as_ref().map(|change| change.cases), Some(6));
    let none = previous_run(&side(NOW, &[("x", end(3, 3))], 1.0), &side(BEFORE, &[("y", end(3, 3))], 1.0));
    assert!(none.variants["a"].change.is_none(), "no case in common");
}

#[test]
fn what_else_differs_is_said() {
    let cases = [("c", end(3, 3))];
    let notes = |change: &dyn Fn(&mut RunRecord)| {
        let mut before = side(BEFORE, &cases, 1.0);
        change(&mut before.record);
        let got = previous_run(&side(NOW, &cases, 1.0), &before);
        (got.same_config, got.notes.join("; "))
    };
    assert_eq!(notes(&|_| {}), (true, String::new()));
    assert_eq!(notes(&|run| run.content_hash = "d".to_owned()), (false, String::new()));
    let (same, said) = notes(&|run| {
        run.mst.version = "2.0.0-beta.12".to_owned();
        run.content_hash = "of-another-form".to_owned();
    });
    assert!(!same && said.contains("mst 2.0.0-beta.12 hashes eval configs otherwise"), "{said}");
    let (_, said) = notes(&|run| run.datasets.clear());
    assert_eq!(said, "the datasets changed between the runs");
    let judges = json!([{ "type": "rubric", "level": "config", "optionsHash": "h", "identity": "i" }]);
    let (_, said) = notes(&|run| run.judges = serde_json::from_value(judges.clone()).expect("judges"));
    assert!(said.starts_with("the judges changed"), "{said}");
}
