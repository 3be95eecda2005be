//! What a candidate's cases say of it together.

use super::broken::{RegressionCase, regression_cases};
use super::change::{Assessment, PairedChange};
use super::passes::PairedCase;

/// A case of a candidate, and what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaggedCase {
    /// Its trials on both sides.
    pub case: PairedCase,
    /// Whether it is tagged `regression`.
    pub is_regression: bool,
}

/// What is said of a candidate, and from what.
#[derive(Clone, Debug)]
pub struct VariantAssessment {
    /// Worse when either group is worse or a regression case is broken; better when the capability cases are, or the
    /// regression cases where there are no others; unclear otherwise.
    pub assessment: Assessment,
    /// The change of the cases not tagged `regression`; `None` when there is none.
    pub capability: Option<PairedChange>,
    /// The change of the cases tagged `regression`; `None` when there is none.
    pub regression: Option<PairedChange>,
    /// Each regression case alone, in the order given.
    pub regression_cases: Vec<RegressionCase>,
}

impl VariantAssessment {
    /// Assesses a candidate out of `variants_tried`.
    pub fn of(cases: &[TaggedCase], variants_tried: u32) -> Self {
        let group = |is_regression: bool| -> Vec<PairedCase> {
            cases.iter().filter(|tagged| tagged.is_regression == is_regression).map(|tagged| tagged.case).collect()
        };
        let change = |cases: &[PairedCase]| (!cases.is_empty()).then(|| PairedChange::of(cases, variants_tried));
        let guards = group(true);
        let (capability, regression) = (change(&group(false)), change(&guards));
        let regression_cases = regression_cases(&guards);
        let says =
            |change: &Option<PairedChange>, what| change.as_ref().is_some_and(|change| change.assessment == what);
        let is_broken = regression_cases.iter().any(|case| case.broken);
        let headline = if capability.is_some() { &capability } else { &regression };
        let assessment = if is_broken || says(&capability, Assessment::Worse) || says(&regression, Assessment::Worse) {
            Assessment::Worse
        } else if says(headline, Assessment::Better) {
            Assessment::Better
        } else {
            Assessment::Unclear
        };
        Self { assessment, capability, regression, regression_cases }
    }
}

#[cfg(test)]
mod tests {
    use super::{Assessment, PairedCase, TaggedCase, VariantAssessment};
    use crate::stats::Passes;

    fn cases(is_regression: bool, old: (u64, u64), new: (u64, u64), times: usize) -> Vec<TaggedCase> {
        let passes = |(passed, counted)| Passes { passed, counted };
        vec![TaggedCase { case: PairedCase { baseline: passes(old), candidate: passes(new) }, is_regression }; times]
    }

    #[test]
    fn what_got_worse_anywhere_outweighs_what_got_better() {
        use Assessment::{Better, Unclear, Worse};
        let better = |is_regression| cases(is_regression, (0, 5), (5, 5), 8);
        let worse = |is_regression| cases(is_regression, (5, 5), (4, 5), 8);
        let same = |is_regression| cases(is_regression, (5, 5), (5, 5), 8);
        let broken = || cases(true, (5, 5), (0, 5), 1);
        for (parts, want) in [
            (vec![], Unclear),
            (vec![same(false), same(true)], Unclear),
            (vec![better(false), same(true)], Better),
            (vec![better(false), worse(true)], Worse),
            (vec![better(false), same(true), broken()], Worse),
            (vec![worse(false), same(true)], Worse),
            // Guards that got better are no capability, except where there is nothing else.
            (vec![same(false), better(true)], Unclear),
            (vec![better(true)], Better),
        ] {
            let all = parts.concat();
            assert_eq!(VariantAssessment::of(&all, 1).assessment, want, "{all:?}");
        }
    }
}
