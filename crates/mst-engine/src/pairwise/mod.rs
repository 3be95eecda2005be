//! Pairwise judges in a run: bound and checked before anything is spent, and asked at the end, when every variant has run and
//! is graded. Each compares a variant with the baseline, case by case.

mod evidence;
mod judges;
mod stage;

pub(crate) use evidence::HeldTrials;
pub(crate) use judges::{PairwiseJudges, check_pairwise_judges};
pub(crate) use stage::Compared;
