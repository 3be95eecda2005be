//! What a trial read of the Agent Skills that its servers offer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::names::ServerLabel;

/// One read of a skill, or of a resource beside one, through a client that offers skills (`skillLoads` of a trial).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillLoad {
    /// The skill's name; absent for a resource that belongs to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The URI that was read.
    pub uri: String,
    /// The label of the server that serves it.
    pub server: ServerLabel,
    /// What was read.
    pub kind: SkillLoadKind,
    /// How it was asked for.
    pub via: SkillLoadVia,
    /// Whether what came is what the server had declared. Absent when nothing was declared to check it against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// Why the model did not get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// How many tool calls the trial had made before.
    pub after_tool_calls: u64,
}

/// What a [`SkillLoad`] read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillLoadKind {
    /// A skill's `SKILL.md`, to act on it.
    Skill,
    /// A file of a skill.
    File,
    /// A resource that belongs to no skill.
    Resource,
}

/// How a [`SkillLoad`] was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillLoadVia {
    /// The model called `read_skill`.
    ReadSkill,
    /// The model called `read_resource`.
    ReadResource,
    /// The client put it in the prompt.
    Preload,
}

impl SkillLoad {
    /// Returns whether the model got it: nothing kept it back, and no check failed.
    pub fn is_loaded(&self) -> bool {
        self.verified != Some(false) && self.problems.is_empty()
    }
}
