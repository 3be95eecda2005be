//! Pairwise judges, with one whose answers are written in its options.

mod cases;
mod fake;
mod sides;
