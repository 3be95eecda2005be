//! A score and how it is made up.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The score of a report, 0 to 100.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RubricScore {
    /// The sum of the categories.
    pub total: f64,
    /// The grade of the exact total.
    pub grade: Grade,
    /// The four categories.
    pub categories: Categories,
}

/// The four categories of a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Categories {
    /// 30 points: destructive calls are confirmed first.
    pub safety: CategoryScore,
    /// 30 points: the right tool is picked, and can be told from its text.
    pub legibility: CategoryScore,
    /// 20 points: what the surface costs.
    pub economics: CategoryScore,
    /// 20 points: the first call is the right one.
    pub discoverability: CategoryScore,
}

impl Categories {
    /// Returns the categories with their names, in the method's order.
    pub fn named(&self) -> [(&'static str, &CategoryScore); 4] {
        [
            ("safety", &self.safety),
            ("legibility", &self.legibility),
            ("economics", &self.economics),
            ("discoverability", &self.discoverability),
        ]
    }
}

/// One category of a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CategoryScore {
    /// Its points.
    pub score: f64,
    /// The most it can give.
    pub max: f64,
    /// The terms of its formula by name.
    pub inputs: IndexMap<String, f64>,
}

/// A grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Grade {
    /// 90 and more.
    A,
    /// 80 and more.
    B,
    /// 70 and more.
    C,
    /// 60 and more.
    D,
    /// Less than 60.
    F,
}

impl Grade {
    /// Returns the letter.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::F => "F",
        }
    }
}
