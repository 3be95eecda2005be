//! Faults that strike at random, the same ones for the same seed: for runs that are to survive anything.

use serde::{Deserialize, Serialize};

use super::reply::{Fault, Reply};

/// How often a request of a model is answered by a fault in place of the script's reply.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// The share of requests, 0 to 1.
    pub rate: f64,
    /// Where the random numbers begin.
    #[serde(default)]
    pub seed: u64,
}

impl Faults {
    /// Returns what goes wrong with the n-th request, if anything does: throttling, a failure of the provider, a
    /// connection that is reset or cut in the middle of an answer. Whoever is told to wait may try again at once.
    pub(crate) fn strike(self, number: usize) -> Option<Reply> {
        let random = mix(self.seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let share = (random >> 11) as f64 / (1_u64 << 53) as f64;
        (share < self.rate).then(|| match random % 4 {
            0 => Reply::status(429, "slow down").header("retry-after", "0"),
            1 => Reply::status(503, "overloaded").header("retry-after", "0"),
            2 => Reply { fault: Some(Fault::Reset), ..Reply::default() },
            _ => Reply { fault: Some(Fault::Cut { after_bytes: None }), ..Reply::text("cut off in the middle") },
        })
    }
}

/// Mixes bits so that neighbouring numbers have nothing in common (splitmix64's finisher).
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_strike_as_often_as_asked_and_the_same_each_time() {
        for rate in [0.0, 0.1, 1.0] {
            let faults = Faults { rate, seed: 7 };
            let struck: Vec<bool> = (0..10_000).map(|number| faults.strike(number).is_some()).collect();
            let share = struck.iter().filter(|struck| **struck).count() as f64 / 10_000.0;
            assert!((share - rate).abs() < 0.02, "{share} of {rate}");
            assert!((0..10_000).all(|number| faults.strike(number).is_some() == struck[number]));
        }
    }
}
