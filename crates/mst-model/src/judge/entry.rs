//! A judge as a list names it, and as a case runs it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The mean score from which a judge's trial passes where its entry says nothing.
pub const DEFAULT_THRESHOLD: f64 = 0.7;

/// An entry of a `judges` list, read: of a case, an eval config or a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeEntry {
    /// The judge as registered: bare for a built-in, the full reference for a plugin's.
    pub judge: String,
    /// The name that results give it: two entries of one name are the same judge.
    pub name: String,
    /// The mean score from which the trial passes, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// How often it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reps: Option<u32>,
    /// The reference answer, in place of the case's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Value>,
    /// The judge's own options, as written.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// What each member of a jury changes of the options; none for a judge alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jury: Vec<Map<String, Value>>,
}

/// A judge as a case runs it: entries of one name merged, defaults of ours filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeSetting {
    /// The judge as registered.
    pub judge: String,
    /// The name that results give it.
    pub name: String,
    /// The mean score from which the trial passes, 0 to 1.
    pub threshold: f64,
    /// How often it is asked, at least once.
    pub reps: u32,
    /// The reference answer: the entry's own, else the case's `expected.answer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Value>,
    /// The judge's own options, as written: its defaults are filled in by the judge.
    pub options: Map<String, Value>,
    /// What each member of a jury changes of the options; none for a judge alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jury: Vec<Map<String, Value>>,
}
