//! The pairwise machine: it has two trials of a case compared, in both orders, and makes one preference of the answers.

mod bound;
mod case;
mod reconcile;
mod sides;

pub use bound::{BoundPairwiseJudge, PairwiseBindFault};
pub use case::compare_case;
pub use sides::{ComparePairwise, ComparedTrial, PairwiseSide, compare_pairwise};
