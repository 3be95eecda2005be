//! The time and random bytes, read here alone.

use mst_model::{Clock, Seed, Timestamp};

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one door to the time")]
    fn now(&self) -> Timestamp {
        Timestamp::new(jiff::Timestamp::now())
    }
}

/// Draws a seed from the system.
///
/// # Errors
/// When the system gives no random bytes.
pub fn random_seed() -> Result<Seed, std::io::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(Seed(bytes))
}
