//! Everything that speaks MCP: connect, list a tool surface, call, probe. The only crate that names `rmcp`.

mod surface;

pub use surface::{ListedTool, ToolSurface};
