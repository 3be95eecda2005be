//! A listed tool, measured.

use mst_mcp::{ListedTool, ToolSurface};
use serde_json::Value;

/// How many bytes of a definition count as one token: an estimate, since a foreign tokenizer would be no more exact.
const BYTES_A_TOKEN: f64 = 4.0;

/// What a tool may do, by what its annotations say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolKind {
    /// `readOnlyHint: true`, and nothing against it.
    ReadOnly,
    /// `destructiveHint: true`.
    Destructive,
    /// Anything else: absent, mistyped and contradictory hints count as writes.
    Write,
}

impl ToolKind {
    /// Tells a tool's kind.
    pub(crate) fn of(tool: &ListedTool) -> Self {
        if tool.is_read_only() {
            return Self::ReadOnly;
        }
        let destructive = tool.raw().get("annotations").and_then(|hints| hints.get("destructiveHint"));
        if destructive == Some(&Value::Bool(true)) { Self::Destructive } else { Self::Write }
    }

    /// Returns the kind's name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Destructive => "destructive",
            Self::Write => "write",
        }
    }
}

/// A definition's size: what a client sends a model about a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition {
    /// Bytes of the name, description and input schema as compact JSON.
    pub(crate) bytes: usize,
}

impl Definition {
    /// Measures a tool.
    pub(crate) fn of(tool: &ListedTool) -> Self {
        Self { bytes: Value::Object(tool.definition()).to_string().len() }
    }

    /// Measures everything that a server has its clients send: every tool, and the instructions.
    pub(crate) fn of_surface(surface: &ToolSurface) -> Self {
        let tools: usize = surface.tools.iter().map(|tool| Self::of(tool).bytes).sum();
        Self { bytes: tools + Self::of_instructions(surface).bytes }
    }

    /// Measures the instructions.
    pub(crate) fn of_instructions(surface: &ToolSurface) -> Self {
        Self { bytes: surface.instructions.as_ref().map_or(0, String::len) }
    }

    /// Returns the estimated number of tokens: bytes / 4.
    pub(crate) fn tokens(self) -> f64 {
        self.bytes as f64 / BYTES_A_TOKEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(value: Value) -> ListedTool {
        let Value::Object(raw) = value else { panic!("an object") };
        ListedTool::new(raw).expect("a name")
    }

    #[test]
    fn kinds_follow_the_hints_and_doubt_is_a_write() {
        for (hints, want) in [
            (json!({ "readOnlyHint": true }), ToolKind::ReadOnly),
            (json!({ "readOnlyHint": true, "destructiveHint": true }), ToolKind::Destructive),
            (json!({ "destructiveHint": true }), ToolKind::Destructive),
            (json!({ "readOnlyHint": "true" }), ToolKind::Write),
            (json!({ "readOnlyHint": false }), ToolKind::Write),
            (Value::Null, ToolKind::Write),
        ] {
            assert_eq!(ToolKind::of(&tool(json!({ "name": "t", "annotations": hints }))), want, "{hints}");
        }
    }

    #[test]
    fn a_definition_is_what_a_model_gets_to_see() {
        let bare = tool(json!({ "name": "t", "description": "d", "inputSchema": {} }));
        let more =
            tool(json!({ "name": "t", "description": "d", "inputSchema": {}, "outputSchema": { "type": "object" } }));
        assert_eq!(Definition::of(&bare).bytes, r#"{"name":"t","description":"d","inputSchema":{}}"#.len());
        assert_eq!(Definition::of(&more).bytes, Definition::of(&bare).bytes);
        let surface =
            ToolSurface { tools: vec![bare], instructions: Some("abcd".to_owned()), ..ToolSurface::default() };
        assert!((Definition::of_surface(&surface).tokens() - 12.75).abs() < f64::EPSILON);
    }
}
