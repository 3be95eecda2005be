//! The rows together: eras, what changed, and each variant's change since the run before.

use std::collections::BTreeMap;

use mst_model::{CaseId, ChangeAssessment, HistoryChange, HistoryRow, HistoryVariant, Phase, RunStatus, VariantName};

use super::differences::{ending, own, shared};
use super::order::{sort, supersede};
use crate::previous::change;
use crate::stats::{PairedCase, Passes};

/// Says what rows say together, whatever they said of each other before, and returns them newest first.
///
/// Eras are counted from the oldest row. A run stands on the line, and so has an era, when it is full and graded and no newer
/// grading of its trials is shown in its place.
pub fn trace(mut rows: Vec<HistoryRow>) -> Vec<HistoryRow> {
    sort(&mut rows);
    let shown = supersede(&mut rows);
    let mut line = Line::default();
    for (row, shown) in rows.iter_mut().zip(shown) {
        clear(row);
        let is_rated = matches!(row.status, RunStatus::Complete | RunStatus::Incomplete);
        if shown && is_rated && !row.partial {
            line.place(row);
        }
    }
    rows.reverse();
    rows
}

/// Takes out what a row said of others.
fn clear(row: &mut HistoryRow) {
    row.changes.clear();
    row.era = None;
    row.regressed = false;
    for variant in row.variants.values_mut() {
        variant.era = None;
        variant.since = None;
        variant.change = None;
        variant.regressed.clear();
        variant.improved.clear();
    }
}

/// The line so far.
#[derive(Default)]
struct Line {
    previous: Option<HistoryRow>,
    era: u32,
    /// How often something that all variants share ended their eras.
    shared: u32,
    variants: BTreeMap<VariantName, VariantLine>,
}

/// One variant's line so far.
struct VariantLine {
    era: u32,
    /// What the line's `shared` was when the era began.
    shared: u32,
    last: HistoryVariant,
    /// The identity that each judge had in each case when it last scored it in this era.
    judged: BTreeMap<(String, CaseId), String>,
    /// The last row of this era that was complete for the variant.
    base: Option<(mst_model::RunId, HistoryVariant)>,
}

impl Line {
    /// Puts the next row on the line.
    fn place(&mut self, row: &mut HistoryRow) {
        let mut changes = self.previous.as_ref().map(|before| shared(before, row)).unwrap_or_default();
        let ended = changes.iter().any(|change| change.ends_era);
        self.shared += u32::from(ended);
        let judges_changed = ended && changes.iter().any(|change| change.ends_era && change.what.starts_with("judge "));
        let whole = row.phases.collect == Phase::Complete && row.phases.grade == Phase::Complete;
        for (name, variant) in &mut row.variants {
            changes.extend(self.place_variant((name, variant), &row.run_id, whole, judges_changed));
        }
        self.era += u32::from(self.previous.is_none() || changes.iter().any(|change| change.ends_era));
        let worse = |variant: &HistoryVariant| {
            variant.change.as_ref().is_some_and(|change| change.assessment == ChangeAssessment::Worse)
        };
        row.regressed = row.variants.values().any(worse);
        row.era = Some(self.era);
        row.changes = changes;
        self.previous = Some(row.clone());
    }

    fn place_variant(
        &mut self,
        (name, variant): (&VariantName, &mut HistoryVariant),
        run_id: &mst_model::RunId,
        whole: bool,
        judges_changed: bool,
    ) -> Vec<HistoryChange> {
        let mut changes = Vec::new();
        let line = self.variants.entry(name.clone()).or_insert_with(|| VariantLine {
            era: 0,
            shared: self.shared,
            last: variant.clone(),
            judged: BTreeMap::new(),
            base: None,
        });
        if line.era > 0 {
            changes.extend(own(name, (&line.last, variant), judges_changed));
        }
        let mut ends = line.era == 0 || line.shared != self.shared || changes.iter().any(|change| change.ends_era);
        if !ends {
            let rejudged = line.rejudged(variant).map(|judge| ending(format!("identity of judge {judge}"), Some(name)));
            changes.extend(rejudged);
            ends = changes.iter().any(|change| change.ends_era);
        }
        if ends {
            line.era += 1;
            line.shared = self.shared;
            line.judged.clear();
            line.base = None;
        }
        variant.era = Some(line.era);
        if let Some((since, base)) = &line.base {
            variant.since = Some(since.clone());
            variant.change = change(&headline_pairs(base, variant));
            variant.regressed = flipped(base, variant);
            variant.improved = flipped(variant, base);
        }
        line.note_judged(variant);
        line.last = variant.clone();
        if whole && variant.incomplete == 0 {
            line.base = Some((run_id.clone(), variant.clone()));
        }
        changes
    }
}

impl VariantLine {
    /// Returns the judges that score a case under another identity than last in this era, each once.
    fn rejudged<'a>(&'a self, variant: &'a HistoryVariant) -> impl Iterator<Item = &'a str> {
        let mut names: Vec<&str> = variant
            .judged
            .iter()
            .filter(|judged| {
                judged.cases.iter().any(|case| {
                    let key = (judged.judge.clone(), case.clone());
                    self.judged.get(&key).is_some_and(|identity| *identity != judged.identity)
                })
            })
            .map(|judged| judged.judge.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter()
    }

    /// Keeps what scored each case. A case that was given no verdict keeps what it had.
    fn note_judged(&mut self, variant: &HistoryVariant) {
        for judged in &variant.judged {
            for case in &judged.cases {
                self.judged.insert((judged.judge.clone(), case.clone()), judged.identity.clone());
            }
        }
    }
}

/// Pairs the headline cases that are complete on both sides.
fn headline_pairs(before: &HistoryVariant, now: &HistoryVariant) -> Vec<PairedCase> {
    let passes = |(passed, counted): (u64, u64)| Passes { passed, counted };
    let cases = now.cases.iter().filter(|(id, _)| now.regression_only || !now.regression_cases.contains(id));
    cases
        .filter_map(|(id, ends)| {
            Some(PairedCase { baseline: passes(*before.cases.get(id)?), candidate: passes(*ends) })
        })
        .collect()
}

/// Returns the cases that passed in `from` and failed in `to`, in the order of the failures.
fn flipped(from: &HistoryVariant, to: &HistoryVariant) -> Vec<CaseId> {
    let passed = |id: &CaseId| from.cases.contains_key(id) && !from.failed_cases.contains(id);
    to.failed_cases.iter().filter(|id| passed(id)).cloned().collect()
}
