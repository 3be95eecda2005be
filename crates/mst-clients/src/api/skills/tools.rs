//! The tools with which a model reads skills.

use mst_llm::ToolSpec;
use mst_model::ServerLabel;
use serde_json::json;

use super::super::options::SkillsMode;

/// One of the client's own tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum SkillTool {
    /// Loads a skill.
    ReadSkill,
    /// Reads a file of a skill, or another resource that its server lists.
    ReadResource,
}

/// The tools that a trial offers for its skills; none while no server has any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct SkillTools {
    mode: SkillsMode,
    labels: Vec<ServerLabel>,
}

impl SkillTool {
    /// Returns the name that the model calls it by.
    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Self::ReadSkill => "read_skill",
            Self::ReadResource => "read_resource",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::ReadSkill => {
                "Load a skill: returns the instructions of the SKILL.md at a URI of an MCP server. Call it before \
                 beginning a task that a skill is for."
            }
            Self::ReadResource => {
                "Read a file that a skill names, or another resource that an MCP server lists. A relative path is taken \
                 from the folder of the skill of that server that was loaded last."
            }
        }
    }
}

impl SkillTools {
    /// Makes the tools of a mode for the servers that have skills.
    pub(super) fn new(mode: SkillsMode, labels: Vec<ServerLabel>) -> Self {
        Self { mode, labels }
    }

    /// Returns the tools.
    pub(in super::super) fn all(&self) -> &'static [SkillTool] {
        match self.mode {
            _ if self.labels.is_empty() => &[],
            SkillsMode::Off => &[],
            SkillsMode::Catalog => &[SkillTool::ReadSkill, SkillTool::ReadResource],
            SkillsMode::Preload => &[SkillTool::ReadResource],
        }
    }

    /// Returns the tool of a name.
    pub(in super::super) fn named(&self, name: &str) -> Option<SkillTool> {
        self.all().iter().copied().find(|tool| tool.name() == name)
    }

    /// Returns what is sent of the tools.
    pub(in super::super) fn specs(&self) -> impl Iterator<Item = ToolSpec> {
        let labels: Vec<&str> = self.labels.iter().map(ServerLabel::as_str).collect();
        self.all().iter().map(move |tool| ToolSpec {
            name: tool.name().to_owned(),
            description: Some(tool.description().to_owned()),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "server": { "type": "string", "enum": labels, "description": "The MCP server" },
                    "uri": { "type": "string", "description": "The URI" },
                },
                "required": ["server", "uri"],
                "additionalProperties": false,
            }),
        })
    }
}
