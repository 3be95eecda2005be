//! The order of runs, and which grading of a collection is shown.

use std::collections::BTreeMap;

use mst_model::{HistoryRow, Phase, RunId};

/// Sorts rows by when their trials were collected, oldest first; gradings of one collection by their numbers.
pub(super) fn sort(rows: &mut [HistoryRow]) {
    rows.sort_by_cached_key(|row| (row.collected_at, row.run_id.collecting(), row.run_id.grading()));
}

/// Says of each grading that a newer one replaces which one does: the newest of its collection that was graded to its end.
/// Returns for each row whether it is the one of its collection that is shown.
pub(super) fn supersede(rows: &mut [HistoryRow]) -> Vec<bool> {
    let mut shown: BTreeMap<RunId, usize> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let is_graded = |row: &HistoryRow| row.phases.grade == Phase::Complete;
        let place = shown.entry(row.run_id.collecting()).or_insert(at);
        // Without one that was graded to its end, the newest grading that there is.
        if is_graded(row) || !is_graded(&rows[*place]) {
            *place = at;
        }
    }
    let newest: Vec<usize> = rows.iter().map(|row| shown[&row.run_id.collecting()]).collect();
    for (at, newest) in newest.iter().copied().enumerate() {
        let replaced = at < newest && rows[newest].phases.grade == Phase::Complete;
        rows[at].superseded_by = replaced.then(|| rows[newest].run_id.clone());
    }
    newest.iter().enumerate().map(|(at, newest)| at == *newest).collect()
}
