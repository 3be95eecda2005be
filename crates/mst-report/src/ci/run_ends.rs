//! A run's cases with what holds for all of them.

use indexmap::IndexMap;
use mst_model::{RunRecord, Summary, VariantName};

use super::case_end::{CaseEnd, Standing};

/// A finished run: its records, and what each case came to.
#[derive(Clone, Debug)]
pub struct RunEnds {
    /// `run.json`.
    pub record: RunRecord,
    /// `summary.json`.
    pub summary: Summary,
    /// Its cases, variant by variant, in the order of `results.json`.
    pub cases: Vec<CaseEnd>,
}

/// How many cases stand how. Each counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    /// Failed, and those that are listed as known failures and passed.
    pub(crate) failed: usize,
    pub(crate) no_verdict: usize,
    pub(crate) known: usize,
}

impl Counts {
    pub(crate) fn of<'a>(cases: impl IntoIterator<Item = &'a CaseEnd>) -> Self {
        let mut counts = Self::default();
        for case in cases {
            let place = match case.standing() {
                Standing::Passed => &mut counts.passed,
                Standing::Failed { .. } | Standing::NoLongerFails => &mut counts.failed,
                Standing::NoVerdict { .. } => &mut counts.no_verdict,
                Standing::KnownFailure { .. } => &mut counts.known,
            };
            *place += 1;
        }
        counts
    }

    pub(crate) fn total(self) -> usize {
        self.passed + self.failed + self.no_verdict + self.known
    }
}

impl RunEnds {
    /// Returns the cases of each variant, in order; a variant without a result is there with none.
    pub(crate) fn by_variant(&self) -> IndexMap<&VariantName, Vec<&CaseEnd>> {
        let mut variants: IndexMap<&VariantName, Vec<&CaseEnd>> =
            self.record.variants.iter().map(|variant| (&variant.name, Vec::new())).collect();
        for case in &self.cases {
            variants.entry(&case.variant).or_default().push(case);
        }
        variants
    }

    /// Returns whether the offline baseline answered a variant, which is no language model.
    pub(crate) fn is_offline(&self, name: &VariantName) -> bool {
        self.record.variants.iter().any(|variant| variant.name == *name && variant.offline)
    }

    /// Returns whether any variant is of the offline baseline.
    pub(crate) fn has_offline(&self) -> bool {
        self.record.variants.iter().any(|variant| variant.offline)
    }
}
