//! Random numbers that are the same on every machine and in every version.

use std::f64::consts::TAU;

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers: ChaCha with 12 rounds, its key the seed's eight bytes (little end first) and zeros.
#[derive(Clone, Debug)]
pub struct Random(ChaCha12Rng);

impl Random {
    /// Starts the stream of a seed.
    pub fn seeded(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha12Rng::from_seed(key))
    }

    /// Returns a number above 0 and below 1, each of 2^53 as likely.
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Returns a standard normal number (G. E. P. Box and M. E. Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }
}
