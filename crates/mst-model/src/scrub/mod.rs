//! Secrets out: `[REDACTED]` in place of every known secret, keys as well as values, before grading or storing.
//!
//! [`Scrubbed`] can only be made here, and graders and writers accept nothing else.

mod credential_name;
mod fields;
mod scrubber;
mod spelling;

pub use credential_name::is_credential_name;
pub use scrubber::{Scrub, Scrubbed, Scrubber};

/// What stands in a secret's place.
pub const REDACTED: &str = "[REDACTED]";

/// The shortest value that counts as a secret because of its name, in bytes.
const SHORTEST_NAMED: usize = 8;
