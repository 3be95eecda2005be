//! The saved trials that wait to be graded, in two queues.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::attempt::Place;
use crate::grading::Grading;
use crate::ready::ReadyBatch;

/// Saved trials that are yet to be graded.
#[derive(Default)]
pub(crate) struct FromDisk {
    pub(crate) new: VecDeque<Saved>,
    pub(crate) kept: VecDeque<Saved>,
}

/// A saved trial that is yet to be graded.
pub(crate) struct Saved {
    pub(crate) place: Place,
    pub(crate) ready: Arc<ReadyBatch>,
    pub(crate) is_new: bool,
}

impl FromDisk {
    /// Returns whether none is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.new.is_empty() && self.kept.is_empty()
    }

    /// Takes the next one that there is room to grade.
    pub(crate) fn next(&mut self, grading: &Grading) -> Option<Saved> {
        let new = if grading.has_room() { self.new.pop_front() } else { None };
        new.or_else(|| if grading.has_room_for_kept() { self.kept.pop_front() } else { None })
    }
}
