//! Rows for tests, made of the least that a row has.

use indexmap::IndexMap;
use mst_measure::history::trace;
use mst_model::{
    CaseId, HistoryRow, HistoryVariant, JudgedCases, Phase, Phases, RecordedJudge, RunId, RunStatus, Timestamp,
};
use serde_json::json;

/// Returns the time that is so many days after the first run.
fn day(day: u32) -> Timestamp {
    Timestamp::from_millis(1_791_397_504_000 + i64::from(day) * 86_400_000).expect("in range")
}

/// Returns the id of the run of a day.
pub(super) fn id(number: u32) -> RunId {
    RunId::new(day(number), [0, 0, number as u8])
}

/// Makes the row of a full, complete run of a day with one variant, `default`, whose eight cases pass.
pub(super) fn row(number: u32) -> HistoryRow {
    serde_json::from_value(json!({
        "runId": id(number),
        "collectedAt": day(number),
        "status": "complete",
        "phases": { "collect": "complete", "grade": "complete" },
        "partial": false,
        "configId": "e",
        "contentHash": "config",
        "mst": { "version": "0.1.0" },
        "datasets": [{ "name": "parts", "caseCount": 8, "contentHash": "cases" }],
        "caseIds": ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"],
        "caseIdsHash": "ids",
        "judges": [judge("rubric", "config", "one")],
        "variants": { "default": variant(&[]) },
        "source": { "run": "r", "builder": 1 },
    }))
    .expect("a row")
}

/// Makes a variant of eight cases of which some fail.
pub(super) fn variant(failing: &[&str]) -> HistoryVariant {
    let mut variant: HistoryVariant = serde_json::from_value(json!({
        "client": "api",
        "model": "m",
        "servers": [{ "label": "parts", "transport": "stdio", "command": "parts-server" }],
        "setupHash": "s",
        "setup": { "options": "o", "tools": "t", "inputTemplate": "i", "judges": ["rubric"],
            "writeModes": { "parts": "planned" }, "trials": [3] },
        "measures": { "trials": 24, "infrastructureFailures": 0, "clientErrors": 0 },
    }))
    .expect("a variant");
    for number in 0..8 {
        let case = format!("c{number}");
        let fails = failing.contains(&case.as_str());
        variant.cases.insert(case.as_str().into(), if fails { (0, 3) } else { (3, 3) });
        variant.failed_cases.extend(fails.then(|| CaseId::from(case)));
    }
    variant
}

/// Makes a judge of `run.json`.
pub(super) fn judge(name: &str, level: &str, identity: &str) -> RecordedJudge {
    serde_json::from_value(json!({ "type": name, "level": level, "optionsHash": "h", "identity": identity }))
        .expect("a judge")
}

/// Says that an identity of a judge scored these cases.
pub(super) fn judged(judge: &str, identity: &str, cases: &[&str]) -> JudgedCases {
    JudgedCases {
        judge: judge.to_owned(),
        identity: identity.to_owned(),
        cases: cases.iter().map(|case| CaseId::from(*case)).collect(),
    }
}

/// Changes a row.
pub(super) fn with(mut row: HistoryRow, change: impl FnOnce(&mut HistoryRow)) -> HistoryRow {
    change(&mut row);
    row
}

/// Returns a row's only variant.
pub(super) fn only(row: &mut HistoryRow) -> &mut HistoryVariant {
    &mut row.variants["default"]
}

/// Gives a row these failing cases.
pub(super) fn failing(row: HistoryRow, cases: &[&str]) -> HistoryRow {
    with(row, |row| {
        let new = variant(cases);
        let variant = only(row);
        variant.cases = new.cases;
        variant.failed_cases = new.failed_cases;
    })
}

/// Makes a row of another status.
pub(super) fn ended(row: HistoryRow, status: RunStatus, collect: Phase, grade: Phase) -> HistoryRow {
    with(row, |row| {
        row.status = status;
        row.phases = Phases { collect, grade };
    })
}

/// Traces rows and returns them oldest first.
pub(super) fn traced(rows: impl IntoIterator<Item = HistoryRow>) -> Vec<HistoryRow> {
    let mut rows = trace(rows.into_iter().collect());
    rows.reverse();
    rows
}

/// Returns a row's changes, those that end an era with `!` before them.
pub(super) fn changes(row: &HistoryRow) -> Vec<String> {
    let shown = row.changes.iter().map(|change| {
        let variant = change.variant.as_ref().map_or_else(String::new, |name| format!("{name}: "));
        format!("{}{variant}{}", if change.ends_era { "!" } else { "" }, change.what)
    });
    shown.collect()
}

/// Returns the eras of a variant over rows.
pub(super) fn eras(rows: &[HistoryRow], variant: &str) -> Vec<Option<u32>> {
    rows.iter().map(|row| row.variants.get(variant).and_then(|variant| variant.era)).collect()
}

/// Gives a row these variants, each passing.
pub(super) fn of_variants(row: HistoryRow, names: &[&str]) -> HistoryRow {
    with(row, |row| {
        row.variants = names.iter().map(|name| ((*name).into(), variant(&[]))).collect::<IndexMap<_, _>>();
    })
}
