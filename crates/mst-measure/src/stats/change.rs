//! The paired change of a candidate against a baseline.

use mst_model::Interval;

use super::differences::whole_differences;
use super::mean::mean;
use super::passes::PairedCase;
use super::sign_flip::{Limit, Method, SignFlip, least_differing};
use super::student::t_interval;

/// What the paired test says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assessment {
    /// More cases pass, beyond what chance explains.
    Better,
    /// Fewer cases pass, beyond what chance explains.
    Worse,
    /// Neither was shown.
    Unclear,
}

/// How much a candidate changed, case by case, and whether chance explains it.
///
/// A case's difference is the candidate's share of passed trials less the baseline's; a case in which nothing counts on a
/// side is left out. Cases, not trials, are what varies: trials of one case share its difficulty.
#[derive(Clone, Debug)]
pub struct PairedChange {
    /// The mean difference over cases (-1 to 1); `None` when no case is on both sides.
    pub mean: Option<f64>,
    /// The 95% t interval of the mean over cases, within -1 to 1; the whole range of fewer than two cases.
    pub interval: Interval,
    /// Cases with counted trials on both sides.
    pub cases: usize,
    /// Cases whose difference is not zero.
    pub differing: usize,
    /// Cases with more counted trials on one side than on the other. The test holds exactly only without them: of shares near
    /// 0 or 1 those of few trials are the more skewed, and a change is then shown too easily in one direction.
    pub uneven: usize,
    /// The sign-flip test's probability of a change at least this good, were there none.
    pub p_better: f64,
    /// The sign-flip test's probability of a change at least this bad, were there none.
    pub p_worse: f64,
    /// Whether the p values are exact.
    pub method: Method,
    /// What the test says.
    pub assessment: Assessment,
    /// How many more cases would have to differ before the test could say worse at all; 0 when enough do.
    pub missing_differing: usize,
}

impl PairedChange {
    /// Tests the cases at 0.025 a side. Better is shared among `variants_tried` candidates, of which the best will be looked
    /// at; worse is not, since each is a warning of its own.
    pub fn of(cases: &[PairedCase], variants_tried: u32) -> Self {
        let differences: Vec<f64> = cases.iter().filter_map(|case| case.difference()).collect();
        let test = SignFlip::of(whole_differences(cases));
        let worse = Limit::shared(1);
        let assessment = if test.is_better_below(Limit::shared(variants_tried)) {
            Assessment::Better
        } else if test.is_worse_below(worse) {
            Assessment::Worse
        } else {
            Assessment::Unclear
        };
        Self {
            mean: mean(differences.iter().copied()),
            interval: t_interval(&differences, Interval { lower: -1.0, upper: 1.0 }),
            cases: differences.len(),
            differing: test.differing(),
            uneven: cases.iter().filter(|case| case.is_uneven()).count(),
            p_better: test.p_better(),
            p_worse: test.p_worse(),
            method: test.method(),
            assessment,
            missing_differing: least_differing(worse).saturating_sub(test.differing()),
        }
    }
}
