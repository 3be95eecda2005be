//! The vocabulary between those who collect and the dispatcher.

use std::sync::Arc;

use mst_model::{Scrubbed, TrialRecord};

use crate::attempt::Place;
use crate::event::RunEvent;
use crate::ready::ReadyBatch;

/// What others tell the dispatcher.
pub(crate) enum Message {
    /// A trial ended.
    Trial {
        /// Where it stands in the plan.
        place: Place,
        /// The record, without secrets.
        record: Box<Scrubbed<TrialRecord>>,
        /// What its batch's readiness check found.
        ready: Arc<ReadyBatch>,
    },
    /// Every trial of a variant has been sent.
    VariantDone(usize),
    /// Something for the observer.
    Event(RunEvent),
}
