//! Which tools may be taken for one another before and after.

use std::collections::BTreeMap;

use mst_model::{ConfusablePair, ScanReport, Severity, StageJudge};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::side::Side;
use crate::judge::Judge;
use crate::judge::offline::OfflineJudge;
use crate::surface::Surface;

/// How the pairs of tools that are easily mistaken change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PairChanges {
    /// Who judged both sides.
    pub(crate) judged_by: String,
    /// Pairs that are new.
    pub(crate) added: Vec<ConfusablePair>,
    /// Pairs that are gone.
    pub(crate) removed: Vec<ConfusablePair>,
    /// Pairs that are more or less easily mistaken than before.
    pub(crate) changed: Vec<PairChange>,
}

/// A pair with another severity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PairChange {
    /// One tool.
    pub(crate) a: String,
    /// The other.
    pub(crate) b: String,
    /// Before.
    pub(crate) before: Severity,
    /// After.
    pub(crate) after: Severity,
}

/// Compares the pairs of two sides; `None` where two judges, or a judge and nobody, would be compared.
pub(super) async fn compare(a: &Side, b: &Side, cancel: &CancellationToken) -> Option<PairChanges> {
    let (old_report, new_report) = (a.report(), b.report());
    let (judged_by, old, new) = match (a, b) {
        (Side::Surface(a, _), Side::Surface(b, _)) if !same_judge(old_report, new_report) => {
            ("the offline rules".to_owned(), lexical(a, cancel).await?, lexical(b, cancel).await?)
        }
        _ if same_judge(old_report, new_report) => {
            let (one, other) = (old_report?, new_report?);
            let judge = judge_of(one)?;
            let by = format!("{} {}", judge.cli, judge.model);
            (by, one.confusable_pairs.clone(), other.confusable_pairs.clone())
        }
        _ => return None,
    };
    let (old, new) = (by_names(old), by_names(new));
    let only = |of: &BTreeMap<(String, String), ConfusablePair>, not: &BTreeMap<(String, String), ConfusablePair>| {
        of.iter().filter(|(names, _)| !not.contains_key(*names)).map(|(_, pair)| pair.clone()).collect()
    };
    let changed = old.iter().filter_map(|(names, before)| {
        let after = new.get(names).filter(|after| after.severity != before.severity)?;
        Some(PairChange { a: names.0.clone(), b: names.1.clone(), before: before.severity, after: after.severity })
    });
    Some(PairChanges { judged_by, added: only(&new, &old), removed: only(&old, &new), changed: changed.collect() })
}

fn judge_of(report: &ScanReport) -> Option<&StageJudge> {
    report.judge.stages.as_ref()?.confusability.as_ref()
}

/// Tells whether one judge looked for pairs in both reports.
fn same_judge(one: Option<&ScanReport>, other: Option<&ScanReport>) -> bool {
    one.and_then(judge_of).zip(other.and_then(judge_of)).is_some_and(|(one, other)| one == other)
}

async fn lexical(surface: &Surface, cancel: &CancellationToken) -> Option<Vec<ConfusablePair>> {
    OfflineJudge::new().confusable(surface, cancel).await.ok().map(|answered| answered.value)
}

fn by_names(pairs: Vec<ConfusablePair>) -> BTreeMap<(String, String), ConfusablePair> {
    let names = |pair: &ConfusablePair| {
        let (a, b) = (pair.a.clone(), pair.b.clone());
        if a <= b { (a, b) } else { (b, a) }
    };
    pairs.into_iter().map(|pair| (names(&pair), pair)).collect()
}
