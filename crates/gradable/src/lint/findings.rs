//! What was found so far.

use mst_model::{LintFinding, LintSubject};

use super::rule::Rule;

/// Collects findings about the listing, then about one tool after the other.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) list: Vec<LintFinding>,
    tool: Option<String>,
}

impl Findings {
    /// Says which tool the next findings are about.
    pub(super) fn about(&mut self, tool: &str) {
        self.tool = Some(tool.to_owned());
    }

    /// Adds a finding at a JSON Pointer into the tool, or into the surface before the first tool.
    pub(super) fn add(&mut self, rule: Rule, pointer: impl Into<String>, message: impl Into<String>) {
        self.list.push(LintFinding {
            code: rule.code().to_owned(),
            rule: rule.name().to_owned(),
            subject: LintSubject { tool: self.tool.clone(), pointer: pointer.into() },
            message: message.into(),
        });
    }
}

/// Returns a JSON Pointer one key deeper.
pub(super) fn deeper(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}
