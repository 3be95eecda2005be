//! How long answers were that a redacted run does not store, for the metrics that measure them.

use std::collections::BTreeMap;

use mst_measure::AnswerSize;

use crate::attempt::Place;

/// The sizes of a redacted run's answers: twelve bytes a trial.
#[derive(Debug, Default)]
pub(crate) struct AnswerSizes(BTreeMap<(usize, usize, usize), Vec<Option<AnswerSize>>>);

impl AnswerSizes {
    /// Notes a trial's answer. `trials` is how many its case has.
    pub(crate) fn note(&mut self, place: Place, trials: u32, size: Option<AnswerSize>) {
        let sizes =
            self.0.entry((place.variant, place.batch, place.case)).or_insert_with(|| vec![None; trials as usize]);
        if let Some(slot) = sizes.get_mut(place.trial as usize) {
            *slot = size;
        }
    }

    /// Takes what was noted of a case's trials; nothing of a run that stores answers.
    pub(crate) fn take(&mut self, case: Place) -> Vec<Option<AnswerSize>> {
        self.0.remove(&(case.variant, case.batch, case.case)).unwrap_or_default()
    }
}
