//! What a journal notes of a plan's trials.

use std::collections::HashMap;

use mst_model::Ending;

use crate::journal::{JournalLine, JournalLines};
use crate::resume::PlannedTrials;

/// The trials of a plan, numbered case by case.
pub(crate) struct Slots<'a> {
    pub(crate) planned: &'a [PlannedTrials<'a>],
    /// The number of each case's first trial.
    pub(crate) starts: Vec<usize>,
    /// How many trials there are.
    pub(crate) len: usize,
}

impl<'a> Slots<'a> {
    pub(crate) fn new(planned: &'a [PlannedTrials<'a>]) -> Self {
        let mut len = 0;
        let mut starts = Vec::with_capacity(planned.len());
        for case in planned {
            starts.push(len);
            len += case.trials as usize;
        }
        Self { planned, starts, len }
    }
}

/// A journal's lines, found by the number of their trial.
pub(crate) struct Noted<'a> {
    lines: Vec<JournalLine<'a>>,
    is_whole: bool,
    /// The trial of each line, when it is of the plan.
    slots: Vec<Option<usize>>,
    /// The last line of each trial.
    last: Vec<Option<usize>>,
}

impl<'a> Noted<'a> {
    pub(crate) fn new(read: JournalLines<'a>, slots: &Slots<'_>) -> Self {
        let JournalLines { lines, is_whole } = read;
        let cases: HashMap<(&str, &str), usize> = slots
            .planned
            .iter()
            .enumerate()
            .map(|(at, case)| ((case.variant.as_str(), case.case_id.as_str()), at))
            .collect();
        let slot_of = |line: &JournalLine<'_>| {
            let case = *cases.get(&(line.variant.as_ref(), line.case_id.as_ref()))?;
            (line.trial < slots.planned[case].trials).then(|| slots.starts[case] + line.trial as usize)
        };
        let line_slots: Vec<Option<usize>> = lines.iter().map(slot_of).collect();
        let mut last = vec![None; slots.len];
        for (number, slot) in line_slots.iter().enumerate() {
            if let Some(slot) = *slot {
                last[slot] = Some(number);
            }
        }
        Self { lines, is_whole, slots: line_slots, last }
    }

    /// Returns whether every line could be read.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns the ending that a trial is noted with.
    pub(crate) fn ending(&self, slot: usize) -> Option<&Ending> {
        self.last[slot].map(|line| &self.lines[line].ending)
    }

    /// Returns whether a trial's line is among the last so many.
    pub(crate) fn is_among_last(&self, slot: usize, count: usize) -> bool {
        self.last[slot].is_some_and(|line| line + count >= self.lines.len())
    }

    /// Returns whether there is exactly one line for each of these many trials, and no other.
    pub(crate) fn is_one_line_for_each(&self, trials: usize) -> bool {
        self.is_whole && self.lines.len() == trials && self.last.iter().flatten().count() == trials
    }

    /// Returns the last line of each trial that `keep` wants, in the order they were written.
    pub(crate) fn last_lines(&self, keep: impl Fn(usize) -> bool) -> impl Iterator<Item = &'a [u8]> {
        self.slots.iter().enumerate().filter_map(move |(number, slot)| {
            let slot = (*slot)?;
            (self.last[slot] == Some(number) && keep(slot)).then_some(self.lines[number].text)
        })
    }
}
