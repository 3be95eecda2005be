//! What a model is offered: the presented tools under names its provider takes, and where each name leads.

use std::collections::HashMap;
use std::sync::Arc;

use mst_llm::{ToolSet, ToolSpec};
use mst_mcp::ToolSurface;
use mst_model::{ServerLabel, ToolMetadata};

use super::names::unique_names;
use crate::surface::{ListedServer, PresentedTool, SurfaceError, build_tool_surface};

/// The tools offered in a model step.
#[derive(Debug, Default)]
pub(super) struct Offer {
    targets: HashMap<String, Target>,
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

impl Offer {
    /// Makes the offer of some servers' listings.
    pub(super) fn new(
        servers: &[(&ServerLabel, &Arc<ToolSurface>)],
        metadata: &ToolMetadata,
    ) -> Result<Self, SurfaceError> {
        let listed: Vec<ListedServer<'_>> =
            servers.iter().map(|(label, surface)| ListedServer { label, tools: &surface.tools }).collect();
        let tools = build_tool_surface(&listed, metadata)?.tools;
        let names = unique_names(&tools);
        let mut targets = HashMap::with_capacity(tools.len());
        let mut specs = Vec::with_capacity(tools.len());
        for (tool, name) in tools.into_iter().zip(&names) {
            let PresentedTool { server: label, original_name: tool, description, input_schema, .. } = tool;
            let server = servers.iter().position(|(known, _)| **known == label).unwrap_or_default();
            targets.insert(name.clone(), Target { server, label, tool });
            specs.push(ToolSpec { name: name.clone(), description, input_schema });
        }
        Ok(Self { targets, names, tools: specs.into() })
    }

    /// Returns what a name stands for; `None` for a name that was never offered. Nothing is guessed.
    pub(super) fn target(&self, name: &str) -> Option<&Target> {
        self.targets.get(name)
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
