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

    /// Returns an index below `count`, every one as likely as any other to within 2^-32 or better: the upper half of a product.
    pub fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    /// Returns a standard normal number (G. E. P. Box and M. E. Muller, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }

    /// Returns the indices below `count` in an order of which each is as likely (R. Durstenfeld, 1964).
    pub fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.index(last + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_always_gives_the_same_numbers() {
        let mut random = Random::seeded(1);
        let bits = [random.uniform(), random.normal()].map(f64::to_bits);
        let mut again = Random::seeded(1);
        assert_eq!(bits, [again.uniform(), again.normal()].map(f64::to_bits));
        let orders = format!("{:?} {:?}", Random::seeded(7).shuffled(8), Random::seeded(8).shuffled(8));
        assert_eq!(orders, "[5, 1, 3, 4, 2, 0, 7, 6] [7, 2, 5, 4, 3, 1, 6, 0]");
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut random = Random::seeded(2);
        let mut seen = std::collections::BTreeMap::<Vec<usize>, u32>::new();
        for _ in 0..6_000 {
            *seen.entry(random.shuffled(3)).or_default() += 1;
        }
        // Six orders; four standard errors are 115.
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|times| times.abs_diff(1_000) < 115), "{seen:?}");
        assert!(random.shuffled(0).is_empty());
    }

    #[test]
    fn normal_numbers_have_the_moments_of_the_normal_distribution() {
        let mut random = Random::seeded(3);
        let drawn: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let moment = |power: i32| drawn.iter().map(|value| value.powi(power)).sum::<f64>() / drawn.len() as f64;
        for (power, want, error) in [(1, 0.0, 0.007), (2, 1.0, 0.01), (3, 0.0, 0.027), (4, 3.0, 0.07)] {
            assert!((moment(power) - want).abs() < 4.0 * error, "{power}: {}", moment(power));
        }
    }
}
