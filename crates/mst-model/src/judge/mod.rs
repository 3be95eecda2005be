//! Judges: what lists one, what it is given, and what it answers.

mod entry;
mod input;
mod list;
mod preference;
mod score;
mod written;

pub use entry::{DEFAULT_THRESHOLD, JudgeEntry, JudgeSetting};
pub use input::{JudgeCase, JudgeExpected, JudgeInput, JudgePrompt, JudgeTrial};
pub use list::{JUDGE_ENTRY_KEYS, judges_of};
pub use preference::{
    DimensionSummary, PAIRWISE_ENTRY_KEYS, Pairwise, PairwiseAnswer, PairwiseCase, PairwiseInput, PairwiseSetting,
    PairwiseSummary, Preference, PreferenceDimension, PreferenceRecord, Preferred, UnmatchedCases,
};
pub use score::{Criterion, CriterionVerdict, JudgeScore, JuryMember, SubScore};
pub use written::{WrittenJudge, WrittenPairwiseJudge};
