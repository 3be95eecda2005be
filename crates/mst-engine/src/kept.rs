//! The trials of a plan that a resumed run keeps, one bit each: a run may keep a hundred thousand of them.

use std::collections::BTreeMap;

use mst_config::{Plan, PlannedBatch};

use crate::attempt::Place;

/// Which trials of a plan are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptTrials {
    /// By variant and batch.
    batches: BTreeMap<(usize, usize), BatchBits>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct BatchBits {
    /// Where each case's trials begin.
    starts: Vec<usize>,
    bits: Vec<u64>,
    /// How many are set.
    count: usize,
}

impl BatchBits {
    fn new(batch: &PlannedBatch) -> Self {
        let mut starts = Vec::with_capacity(batch.cases.len());
        let mut trials = 0;
        for case in &batch.cases {
            starts.push(trials);
            trials += case.trials as usize;
        }
        Self { starts, bits: vec![0; trials.div_ceil(64)], count: 0 }
    }

    fn bit(&self, place: Place) -> Option<(usize, u64)> {
        let number = self.starts.get(place.case)? + place.trial as usize;
        Some((number / 64, 1 << (number % 64)))
    }
}

impl KeptTrials {
    /// Keeps a trial of the plan.
    pub(crate) fn insert(&mut self, plan: &Plan, place: Place) {
        let batch = &plan.variants[place.variant].batches[place.batch];
        let bits = self.batches.entry((place.variant, place.batch)).or_insert_with(|| BatchBits::new(batch));
        if let Some((word, bit)) = bits.bit(place)
            && let Some(word) = bits.bits.get_mut(word)
        {
            bits.count += usize::from(*word & bit == 0);
            *word |= bit;
        }
    }

    /// Returns whether a trial is kept.
    pub(crate) fn contains(&self, place: Place) -> bool {
        self.batches.get(&(place.variant, place.batch)).is_some_and(|bits| {
            bits.bit(place).is_some_and(|(word, bit)| bits.bits.get(word).is_some_and(|word| word & bit != 0))
        })
    }

    /// Returns how many trials are kept.
    pub(crate) fn len(&self) -> usize {
        self.batches.values().map(|bits| bits.count).sum()
    }

    /// Returns how many of a batch's trials are kept.
    pub(crate) fn len_of(&self, variant: usize, batch: usize) -> usize {
        self.batches.get(&(variant, batch)).map_or(0, |bits| bits.count)
    }

    /// Returns whether none is.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_config::{PlannedCase, PlannedClient};

    #[test]
    fn each_trial_has_a_bit_of_its_own() {
        let client =
            PlannedClient { name: "c".to_owned(), model: None, priced_model: None, options: serde_json::Map::new() };
        let trials = [1, 64, 0, 3, 100];
        let cases = trials.iter().enumerate().map(|(case, trials)| PlannedCase {
            case,
            id: format!("{case}").into(),
            trials: *trials,
            pass_threshold: 1.0,
        });
        let bits = BatchBits::new(&PlannedBatch { dataset: 0, client, cases: cases.collect() });
        let mut seen = std::collections::BTreeSet::new();
        for (case, trials) in trials.into_iter().enumerate() {
            for trial in 0..trials {
                let bit = bits.bit(Place { variant: 0, batch: 0, case, trial }).expect("it is of the batch");
                assert!(bit.0 < bits.bits.len(), "{case}/{trial}");
                assert!(seen.insert(bit), "{case}/{trial} shares its bit");
            }
        }
        assert_eq!(bits.bit(Place { variant: 0, batch: 0, case: 5, trial: 0 }), None);
    }
}
