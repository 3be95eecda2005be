//! The incomplete cases of a run, told by reason: however many they are, an outcome stays small.

use mst_model::{CaseId, VariantName};

/// The most reasons that are kept.
const REASONS: usize = 50;

/// The most cases that a reason names.
const NAMED: usize = 10;

/// The cases that are neither passed nor failed, counted by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncompleteCases {
    count: usize,
    retryable: usize,
    reasons: Vec<IncompleteReason>,
}

/// A reason for which cases are incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteReason {
    /// What the first trial of each case that does not count says.
    pub reason: String,
    /// Whether collecting again can help.
    pub retryable: bool,
    /// How many cases it holds back.
    pub count: usize,
    /// The first of them; at most 10.
    pub named: Vec<IncompleteCase>,
}

/// A case that is neither passed nor failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteCase {
    /// Its variant.
    pub variant: VariantName,
    /// The case.
    pub case_id: CaseId,
}

impl IncompleteCases {
    /// Counts a case. `retryable` says whether collecting again can finish it.
    pub(crate) fn add(&mut self, case: IncompleteCase, reason: String, retryable: bool) {
        self.count += 1;
        self.retryable += usize::from(retryable);
        if let Some(known) =
            self.reasons.iter_mut().find(|known| known.retryable == retryable && known.reason == reason)
        {
            known.count += 1;
            if known.named.len() < NAMED {
                known.named.push(case);
            }
        } else if self.reasons.len() < REASONS {
            self.reasons.push(IncompleteReason { reason, retryable, count: 1, named: vec![case] });
        }
    }

    /// Returns how many cases are incomplete.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns how many cases could be finished by collecting again.
    pub fn retryable(&self) -> usize {
        self.retryable
    }

    /// Returns the first reasons in the order they came, at most 50. The cases of later ones are in [`Self::len`] alone.
    pub fn reasons(&self) -> &[IncompleteReason] {
        &self.reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_counted_and_the_first_are_named() {
        let mut cases = IncompleteCases::default();
        assert!(cases.is_empty());
        for n in 0..1000 {
            let case = IncompleteCase { variant: "v".into(), case_id: format!("c{n}").into() };
            let reason = if n % 2 == 0 { "busy".to_owned() } else { format!("request {n} failed") };
            cases.add(case, reason, n < 100);
        }
        assert_eq!((cases.len(), cases.retryable(), cases.reasons().len()), (1000, 100, REASONS));
        let busy = &cases.reasons()[0];
        assert_eq!((busy.reason.as_str(), busy.retryable, busy.count, busy.named.len()), ("busy", true, 50, NAMED));
        assert_eq!(busy.named[9].case_id, "c18");
        assert_eq!(cases.reasons()[1].named[0].case_id, "c1");
    }
}
