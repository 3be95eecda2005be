//! Which tool was called where another was expected.

use indexmap::{IndexMap, IndexSet};
use mst_model::TracedStatus;

use super::trial::Trial;
use crate::text::Shown;

/// How many tools a side of the matrix shows.
const MOST: usize = 12;

/// Trials that missed a tool, by that tool and what was called in its place (`None`: nothing).
#[derive(Clone, Debug, Default)]
pub(super) struct Mixups(IndexMap<(String, Option<String>), u32>);

/// The mix-ups as a table.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// The tools that were called instead, the most frequent first; `None` is no call.
    pub(super) called: Vec<Option<Shown>>,
    /// A row a missed tool, the most frequent first: its name, a cell for each of `called`, and all of its mix-ups.
    pub(super) rows: Vec<(Shown, Vec<Cell>, u32)>,
    /// Mix-ups that the table has no place for.
    pub(super) left_out: u32,
}

/// How often two tools were mixed up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) count: u32,
    /// How dark it is, 0 to 4: its share of the largest.
    pub(super) shade: u32,
}

impl Mixups {
    /// Takes in a trial that failed.
    pub(super) fn add(&mut self, trial: &Trial<'_>) {
        let missed = trial.missed_tools();
        let Some(trace) = trial.calls.filter(|_| !missed.is_empty()) else { return };
        let unexpected = trace.calls.iter().filter(|call| call.status == TracedStatus::Unexpected);
        let called: IndexSet<&str> = unexpected.map(|call| call.name.as_str()).collect();
        for expected in missed {
            let mut count = |called: Option<&str>| {
                *self.0.entry((expected.to_owned(), called.map(str::to_owned))).or_default() += 1;
            };
            if called.is_empty() {
                count(None);
            } else {
                called.iter().for_each(|called| count(Some(called)));
            }
        }
    }

    /// Takes in those of another variant.
    pub(super) fn join(&mut self, other: &Self) {
        for (pair, count) in &other.0 {
            *self.0.entry(pair.clone()).or_default() += count;
        }
    }

    /// Returns the matrix; `None` when nothing was mixed up.
    pub(super) fn matrix(&self) -> Option<Matrix> {
        let largest = self.0.values().copied().max()?;
        let missed = most_frequent(self.0.iter().map(|((missed, _), count)| (missed.clone(), *count)));
        let called = most_frequent(self.0.iter().map(|((_, called), count)| (called.clone(), *count)));
        let mut shown = 0;
        let rows = missed
            .iter()
            .map(|(missed, all)| {
                let cells = called.iter().map(|(called, _)| {
                    let count = self.0.get(&(missed.clone(), called.clone())).copied().unwrap_or(0);
                    shown += count;
                    Cell { count, shade: (count * 4).div_ceil(largest) }
                });
                (Shown::line(missed), cells.collect(), *all)
            })
            .collect();
        let called = called.iter().map(|(called, _)| called.as_deref().map(Shown::line)).collect();
        Some(Matrix { called, rows, left_out: self.0.values().sum::<u32>() - shown })
    }
}

fn most_frequent<T: std::hash::Hash + Eq>(counts: impl Iterator<Item = (T, u32)>) -> Vec<(T, u32)> {
    let mut sums: IndexMap<T, u32> = IndexMap::new();
    for (what, count) in counts {
        *sums.entry(what).or_default() += count;
    }
    sums.sort_by(|_, one, _, other| other.cmp(one));
    sums.truncate(MOST);
    sums.into_iter().collect()
}
