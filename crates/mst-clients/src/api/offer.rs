//! What a model is offered: the presented tools under names its provider takes, and where each name leads.

use std::collections::HashMap;
use std::sync::Arc;

use mst_llm::{ToolSet, ToolSpec};
use mst_mcp::ToolSurface;
use mst_model::{ServerLabel, ToolMetadata};

use super::names::unique_names;
use super::skills::{SkillTool, SkillTools};
use crate::surface::{ListedServer, PresentedTool, SurfaceError, build_tool_surface};

/// The tools offered in a model step.
#[derive(Debug, Default)]
pub(super) struct Offer {
    targets: HashMap<String, Target>,
    skills: SkillTools,
    names: Vec<String>,
    tools: ToolSet,
}

/// The tool that an offered name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The index of the server among the trial's servers.
    pub(super) server: usize,
    /// The server's label.
    pub(super) label: ServerLabel,
    /// The name that the server lists.
    pub(super) tool: String,
}

/// Why tools cannot be offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OfferError {
    /// The variant's metadata does not fit the tools.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// A server's tool has the name of one of the client's own.
    #[error(
        "{server} lists the tool {tool:?}, and {name:?} is the name that the client's own tool for skills has: give the \
         server's another with \"tools\", or set \"skills\" to \"off\""
    )]
    Taken {
        /// The name.
        name: String,
        /// The server.
        server: ServerLabel,
        /// The name that it lists.
        tool: String,
    },
}

impl Offer {
    /// Makes the offer of some servers' listings, with the client's own tools for skills.
    pub(super) fn new(
        servers: &[(&ServerLabel, &Arc<ToolSurface>)],
        metadata: &ToolMetadata,
        skills: &SkillTools,
    ) -> Result<Self, OfferError> {
        let listed: Vec<ListedServer<'_>> =
            servers.iter().map(|(label, surface)| ListedServer { label, tools: &surface.tools }).collect();
        let tools = build_tool_surface(&listed, metadata)?.tools;
        let mut names = unique_names(&tools);
        let mut targets = HashMap::with_capacity(tools.len());
        let mut specs = Vec::with_capacity(tools.len());
        for (tool, name) in tools.into_iter().zip(&names) {
            let PresentedTool { server: label, original_name: tool, description, input_schema, .. } = tool;
            let server = servers.iter().position(|(known, _)| **known == label).unwrap_or_default();
            if skills.named(name).is_some() {
                return Err(OfferError::Taken { name: name.clone(), server: label, tool });
            }
            targets.insert(name.clone(), Target { server, label, tool });
            specs.push(ToolSpec { name: name.clone(), description, input_schema });
        }
        specs.extend(skills.specs());
        names.extend(skills.all().iter().map(|tool| tool.name().to_owned()));
        Ok(Self { targets, skills: skills.clone(), names, tools: specs.into() })
    }

    /// Returns what a name stands for; `None` for a name that was never offered. Nothing is guessed.
    pub(super) fn target(&self, name: &str) -> Option<&Target> {
        self.targets.get(name)
    }

    /// Returns the client's own tool of a name.
    pub(super) fn skill_tool(&self, name: &str) -> Option<SkillTool> {
        self.skills.named(name)
    }

    /// Returns the specifications to send.
    pub(super) fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// Returns the offered names, in the order offered.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}
