//! Whole trials, graded.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test")]
#![expect(clippy::needless_pass_by_value, reason = "a `json!` value reads best where it is used")]

mod field_cases;
mod graders;
mod judges;
mod pairwise;
