//! Statistics with published values to check against. Pure functions of counts; where one draws random numbers it is given
//! their seed. `docs/statistics.md` explains each with its formula, source and assumptions.

mod broken;
mod change;
mod clustered;
mod comparison;
mod corrected_rate;
mod differences;
mod fisher;
mod headline;
mod judge_counts;
mod mean;
mod multiple;
mod newcombe;
mod noise;
mod normal;
mod passes;
mod power;
mod preference_agreement;
mod quantile;
mod random;
mod sequential;
mod sign_flip;
mod student;
mod variant;
mod watch;
mod wilson;

pub use broken::{RegressionCase, regression_cases};
pub use change::{Assessment, PairedChange};
pub use clustered::{Clustered, clustered};
pub use comparison::{Answer, Comparison, MARGIN};
pub use corrected_rate::{CorrectedRate, corrected_rate};
pub use fisher::fisher_fell;
pub use headline::{FEWEST_FOR_T, HeadlineRate, REGRESSION, RangeMethod, headline_cases, headline_rate};
pub use judge_counts::{
    FEWEST_LABELS, FEWEST_OF_A_CLASS, JudgeCounts, LEAST_KAPPA, LEAST_RATE, MOST_UNKNOWN, Shortfall,
};
pub use mean::{RunningMean, mean};
pub use multiple::{PValue, benjamini_hochberg, holm};
pub use newcombe::newcombe;
pub use noise::{Answers, CaseTrials, NoiseShares, Remedy, noise_shares};
pub use passes::{PairedCase, Passes};
pub use power::{
    ChangeVariance, Design, POWER, PlannedCase, Simulation, as_observed, case_rates, planned_cases, power,
    smallest_drop, smallest_drop_of_variance,
};
pub use preference_agreement::PreferenceAgreement;
pub use quantile::quantile;
pub use random::Random;
pub use sequential::{Look, LookFault, looks};
pub use sign_flip::{Limit, Method, SignFlip, least_differing};
pub use student::t_interval;
pub use variant::{TaggedCase, VariantAssessment};
pub use watch::{LEVEL, LookTaken, Watch};
pub use wilson::{wilson, wilson_of_share};
