//! Statistics with published values to check against.

mod mean;
mod quantile;
mod wilson;

pub use mean::{RunningMean, mean};
pub use quantile::quantile;
pub use wilson::{wilson, wilson_of_share};
