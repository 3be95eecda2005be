//! How small a drop a design sees: the power of the paired test, by simulation of that test itself.
//!
//! The usual formula with the normal distribution promises a drop that is 5 to 20% too small for passes and fails, since the
//! sums of an exact test are discrete.

mod change_variance;
mod rates;
mod trials;
mod variance;

pub use change_variance::{ChangeVariance, Design};
pub use rates::{as_observed, case_rates, planned_cases};
pub use trials::{PlannedCase, power, smallest_drop};
pub use variance::smallest_drop_of_variance;

/// The share of runs that a drop should be called worse in.
pub const POWER: f64 = 0.8;

/// The most cases that are simulated. The smallest drop of more follows from these, by the root of their number: the normal
/// distribution is near enough then.
const MOST_SIMULATED: usize = 500;

/// Returns how many of `cases` to simulate, and what the smallest drop of so many is multiplied by.
fn simulated(cases: usize) -> (usize, f64) {
    let simulated = cases.min(MOST_SIMULATED);
    (simulated, (simulated as f64 / cases as f64).sqrt())
}

/// How a simulation is done. The same seed gives the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Runs that are drawn; the standard error of a share is at most half of 1 over its root.
    pub draws: u32,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Simulation {
    /// Returns a simulation whose smallest drops are off by 1 to 2%.
    pub fn seeded(seed: u64) -> Self {
        Self { draws: 4_000, seed }
    }
}
