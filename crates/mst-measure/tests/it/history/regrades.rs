//! Gradings of one collection, and the order of rows.

use mst_measure::history::trace;
use mst_model::{HistoryRow, Phase, RunStatus};

use super::support::{changes, ended, id, judge, row, traced, with};

/// Makes the row of a regrade.
fn regrade(number: u32, grading: u32) -> HistoryRow {
    with(row(number), |row| row.run_id = id(number).regrade(grading))
}

fn unfinished(row: HistoryRow) -> HistoryRow {
    ended(row, RunStatus::Incomplete, Phase::Complete, Phase::Partial)
}

#[test]
fn rows_are_newest_first_by_when_their_trials_were_collected() {
    let rows = trace(vec![regrade(0, 10), row(2), regrade(0, 2), row(0), regrade(1, 2), row(1)]);
    let ids: Vec<_> = rows.iter().map(|row| row.run_id.clone()).collect();
    let want = [id(2), id(1).regrade(2), id(1), id(0).regrade(10), id(0).regrade(2), id(0)];
    assert_eq!(ids, want);
}

#[test]
fn the_newest_grading_that_finished_is_shown_and_replaces_those_before_it() {
    let rows = traced([row(0), regrade(0, 2), regrade(0, 10), unfinished(regrade(0, 11)), row(1)]);
    let by = |at: usize| rows[at].superseded_by.clone();
    let shown = Some(id(0).regrade(10));
    assert_eq!((by(0), by(1), by(2), by(3)), (shown.clone(), shown.clone(), None, None));
    let eras: Vec<_> = rows.iter().map(|row| row.era).collect();
    assert_eq!(eras, [None, None, Some(1), None, Some(1)]);
    assert_eq!(rows[4].variants["default"].since, shown, "the grading that is shown is the one compared with");
}

#[test]
fn a_grading_of_an_ungraded_collection_takes_its_place() {
    let ungraded = ended(row(0), RunStatus::Ungraded, Phase::Complete, Phase::Skipped);
    let rows = traced([ungraded, regrade(0, 2)]);
    assert_eq!((rows[0].superseded_by.clone(), rows[1].era), (Some(id(0).regrade(2)), Some(1)));
}

#[test]
fn without_a_finished_grading_the_newest_is_shown_and_none_is_replaced() {
    let rows = traced([unfinished(row(0)), unfinished(regrade(0, 2))]);
    assert_eq!((rows[0].era, rows[1].era), (None, Some(1)));
    assert!(rows.iter().all(|row| row.superseded_by.is_none()));
}

#[test]
fn a_regrade_with_a_new_judge_belongs_to_the_new_judge_s_era() {
    let rejudged = |row| with(row, |row: &mut HistoryRow| row.judges = vec![judge("rubric", "config", "two")]);
    let rows = traced([row(0), row(1), rejudged(regrade(1, 2)), rejudged(row(2))]);
    let eras: Vec<_> = rows.iter().map(|row| row.era).collect();
    assert_eq!(eras, [Some(1), None, Some(2), Some(2)]);
    assert_eq!(changes(&rows[2]), ["!judge rubric"]);
    assert_eq!(rows[3].variants["default"].since, Some(id(1).regrade(2)));
}
