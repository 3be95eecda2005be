//! Mistakes in files as the terminal shows them: place, source line, caret, help.

use mst_config::{Diagnostic, Severity};

use crate::printable::printable;

/// Returns a diagnostic as text, such as
///
/// ```text
/// error: unknown key "modle"
///   --> eval.json:4:3
///    |
///  4 |   "modle": "x",
///    |   ^^^^^^^
///    = help: did you mean "model"?
/// ```
pub fn render(diagnostic: &Diagnostic) -> String {
    let word = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut out = format!("{word}: {}\n", printable(&diagnostic.message));
    let line = diagnostic.position.map(|position| position.line.to_string()).unwrap_or_default();
    let margin = " ".repeat(line.len());
    if let Some(file) = &diagnostic.file {
        out.push_str(&format!(" {margin}--> {}", printable(&file.display().to_string())));
        if let Some(position) = diagnostic.position {
            out.push_str(&format!(":{}:{}", position.line, position.column));
        }
        out.push('\n');
    }
    if let Some(source) = &diagnostic.source_line {
        let carets = "^".repeat(source.width.max(1));
        out.push_str(&format!(" {margin} |\n {line} | {}\n", printable(&source.text)));
        out.push_str(&format!(" {margin} | {}{carets}\n", " ".repeat(source.caret)));
    }
    if let Some(help) = &diagnostic.help {
        out.push_str(&format!(" {margin} = help: {}\n", printable(help)));
    }
    out
}
