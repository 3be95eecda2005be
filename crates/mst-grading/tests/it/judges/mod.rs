//! The rules of the contract for judges, one test each, with a judge whose answers are written in its options.

mod costs;
mod criteria;
mod fake;
mod identity;
mod juries;
mod trials;
mod verdicts;
