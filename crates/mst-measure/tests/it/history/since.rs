//! Each variant's change since the run before.

use mst_model::{CaseId, ChangeAssessment, Phase, RunStatus};

use super::support::{changes, ended, failing, id, only, row, traced, with};

const SEVEN: [&str; 7] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6"];

fn ids(names: &[&str]) -> Vec<CaseId> {
    names.iter().map(|name| CaseId::from(*name)).collect()
}

#[test]
fn a_change_is_the_paired_test_with_the_cases_that_flipped() {
    let rows = traced([row(0), failing(row(1), &SEVEN), failing(row(2), &["c0"])]);
    let (worse, better) = (&rows[1].variants["default"], &rows[2].variants["default"]);
    let change = worse.change.as_ref().expect("a change");
    assert_eq!((change.assessment, change.cases, change.mean), (ChangeAssessment::Worse, 8, -0.875));
    assert!(change.p_worse < 0.025 && change.p_better > 0.975, "{change:?}");
    assert_eq!((&worse.regressed, &worse.improved, &worse.since), (&ids(&SEVEN), &ids(&[]), &Some(id(0))));
    assert!(rows[1].regressed && !rows[0].regressed && !rows[2].regressed);
    assert_eq!((better.improved.len(), better.regressed.len()), (6, 0));
    assert_eq!(better.change.as_ref().map(|change| change.assessment), Some(ChangeAssessment::Better));
    assert!(rows[0].variants["default"].change.is_none(), "the first run has none before it");
}

#[test]
fn headline_cases_are_capability_cases_unless_every_case_guards() {
    let guards = |only_guards: bool| {
        move |row: &mut mst_model::HistoryRow| {
            let variant = only(row);
            variant.regression_cases = ids(if only_guards { &SEVEN } else { &["c0", "c1"] });
            variant.regression_only = only_guards;
        }
    };
    let cases = |only_guards| {
        let rows = traced([with(row(0), guards(only_guards)), with(failing(row(1), &["c0"]), guards(only_guards))]);
        rows[1].variants["default"].change.as_ref().expect("a change").cases
    };
    assert_eq!((cases(false), cases(true)), (6, 8));
}

#[test]
fn an_incomplete_run_is_on_the_line_and_no_later_run_is_compared_with_it() {
    let open = |row: &mut mst_model::HistoryRow| {
        row.status = RunStatus::Incomplete;
        let variant = only(row);
        variant.cases.shift_remove("c3");
        variant.incomplete = 1;
    };
    let rows = traced([row(0), with(failing(row(1), &["c0"]), open), row(2)]);
    let since = |at: usize| rows[at].variants["default"].since.clone();
    assert_eq!((since(1), since(2)), (Some(id(0)), Some(id(0))));
    assert_eq!(rows[1].variants["default"].change.as_ref().map(|change| change.cases), Some(7));
    assert_eq!((rows[1].era, rows[2].era), (Some(1), Some(1)));
    // A run that was not collected or graded to its end is none to compare with either.
    for (collect, grade) in [(Phase::Partial, Phase::Partial), (Phase::Complete, Phase::Partial)] {
        let rows = traced([row(0), ended(row(1), RunStatus::Incomplete, collect, grade), row(2)]);
        assert_eq!(rows[2].variants["default"].since, Some(id(0)), "{collect:?} {grade:?}");
    }
}

#[test]
fn partial_ungraded_and_failed_runs_stand_on_no_line() {
    let partial = with(failing(row(1), &SEVEN), |row| row.partial = true);
    let ungraded = ended(row(1), RunStatus::Ungraded, Phase::Complete, Phase::Skipped);
    let failed = ended(row(1), RunStatus::Failed, Phase::Failed, Phase::Partial);
    for between in [partial, ungraded, failed] {
        // Whatever such a run ran with changes nothing for the others.
        let between = with(between, |row| row.datasets.clear());
        let rows = traced([row(0), between, row(2)]);
        let status = rows[1].status;
        assert_eq!((rows[1].era, rows[1].variants["default"].era), (None, None), "{status:?}");
        assert!(rows[1].variants["default"].change.is_none() && rows[1].changes.is_empty(), "{status:?}");
        assert_eq!((changes(&rows[2]).len(), rows[2].era), (0, Some(1)), "{status:?}");
        assert_eq!(rows[2].variants["default"].since, Some(id(0)), "{status:?}");
    }
}

#[test]
fn rows_say_the_same_of_each_other_however_often_they_are_traced() {
    let rows = traced([failing(row(0), &["c7"]), failing(row(1), &SEVEN), row(2)]);
    assert_eq!(traced(rows.clone()), rows);
    assert_eq!(traced(rows.iter().rev().cloned()), rows, "in whatever order they come");
    let without_first = traced(rows.iter().skip(1).cloned());
    assert!(without_first[0].variants["default"].change.is_none(), "what is no longer there is forgotten");
}
