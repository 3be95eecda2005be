//! A server's surface for people.

use std::fmt::Write as _;

use mst_cli::{plural, printable};
use mst_mcp::ListedTool;
use serde_json::Value;

use super::definition::{Definition, ToolKind};
use super::parameter::parameters;
use super::{Seen, Target};
use crate::commands::one_line::one_line;

/// Returns the whole listing, without a line feed at its end.
pub(crate) fn listing(target: &Target, seen: &Seen, width: usize) -> String {
    let surface = &seen.surface;
    let mut out = headline(target, seen);
    if let Some(text) = &surface.instructions {
        let tokens = about(Definition::of_instructions(surface));
        line(&mut out, &format!("Instructions ({tokens}): {}", one_line(text, width.saturating_mul(3))));
    }
    for tool in &surface.tools {
        out.push('\n');
        add_tool(&mut out, tool, width);
    }
    out
}

fn headline(target: &Target, seen: &Seen) -> String {
    let info = seen.observation.server_info.as_ref();
    let text = |key: &str| info.and_then(|info| info.get(key)).and_then(Value::as_str).map(|text| one_line(text, 80));
    let name = text("title").or_else(|| text("name")).unwrap_or_else(|| target.label.to_string());
    let version = text("version").map(|version| format!(" {version}")).unwrap_or_default();
    let revision = seen.observation.protocol_version.as_deref().unwrap_or("unknown");
    let mut out = printable(&format!("{name}{version}, protocol {revision}"));
    let tools = &seen.surface.tools;
    let counts: Vec<String> = [ToolKind::ReadOnly, ToolKind::Write, ToolKind::Destructive]
        .into_iter()
        .map(|kind| (kind, tools.iter().filter(|tool| ToolKind::of(tool) == kind).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.as_str()))
        .collect();
    let split = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let all = Definition::of_surface(&seen.surface);
    let count = plural(tools.len(), "tool");
    line(&mut out, &format!("{count}{split}; definitions: {}, estimated as bytes / 4", about(all)));
    out
}

fn add_tool(out: &mut String, tool: &ListedTool, width: usize) {
    let title = tool.raw().get("title").and_then(Value::as_str).map(|title| format!(" ({})", one_line(title, 60)));
    let name = one_line(tool.name(), 128);
    let (kind, size) = (ToolKind::of(tool).as_str(), about(Definition::of(tool)));
    line(out, &format!("{name}{}: {kind}, {size}", title.unwrap_or_default()));
    if let Some(text) = tool.description() {
        line(out, &format!("  {}", one_line(text, width.saturating_sub(2))));
    }
    for parameter in parameters(tool.input_schema()) {
        let required = if parameter.required { ", required" } else { "" };
        let head = format!("    {}: {}{required}", one_line(parameter.name, 60), parameter.kind);
        let left = width.saturating_sub(head.chars().count() + 2);
        let description = parameter.description.filter(|_| left > 10).map(|text| one_line(text, left));
        line(out, &description.map_or_else(|| head.clone(), |text| format!("{head}. {text}")));
    }
}

/// Adds a line. A text of a server cannot begin a line of its own.
fn line(out: &mut String, text: &str) {
    let _written = write!(out, "\n{}", printable(&text.replace('\n', " ")));
}

fn about(definition: Definition) -> String {
    format!("about {}", plural(definition.tokens().ceil() as usize, "token"))
}
