//! What a paired test says of a variant's cases before and after.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The paired test of a variant's headline cases against those of an earlier run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The mean change of the cases' shares of passed trials, -1 to 1.
    pub mean: f64,
    /// The lower end of its 95% interval.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// How many cases count on both sides.
    pub cases: usize,
    /// The probability of a change at least this good, were there none.
    pub p_better: f64,
    /// The probability of a change at least this bad, were there none.
    pub p_worse: f64,
    /// What the test says.
    pub assessment: ChangeAssessment,
}

/// What a paired test says. A closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeAssessment {
    /// Better, beyond chance.
    Better,
    /// Worse, beyond chance.
    Worse,
    /// Neither can be said.
    Unclear,
}

impl ChangeAssessment {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Unclear => "unclear",
        }
    }
}
