//! An error as a person meets it.

use mst_config::{Diagnostics, Severity};
use serde_json::{Map, Value, json};

use crate::exit::ExitClass;

/// Why a command did not do what was asked, and what can be done about it.
#[derive(Clone, Debug)]
pub struct CliError {
    /// The class, which gives the exit code.
    pub class: ExitClass,
    /// What happened, in one line.
    pub message: String,
    /// What can be done.
    pub hints: Vec<String>,
    /// Mistakes in files, each with its place.
    pub diagnostics: Option<Diagnostics>,
}

impl CliError {
    /// Makes an error.
    pub fn new(class: ExitClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), hints: Vec::new(), diagnostics: None }
    }

    /// Makes the error of mistakes in files or flags.
    pub fn diagnostics(diagnostics: Diagnostics) -> Self {
        let errors = diagnostics.as_slice().iter().filter(|one| one.severity == Severity::Error);
        let message = match errors.clone().count() {
            1 => errors.clone().next().map(|one| one.message.clone()).unwrap_or_default(),
            count => format!("{count} mistakes"),
        };
        Self { class: ExitClass::Usage, message, hints: Vec::new(), diagnostics: Some(diagnostics) }
    }

    /// Adds what can be done.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns the error as `--json` prints it: `{ "error": { "class", "message", "file"?, "line"?, "column"?, "hints"? } }`.
    ///
    /// The place is that of the first mistake; every mistake stands in `mistakes`.
    pub fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("class".to_owned(), self.class.name().into());
        error.insert("message".to_owned(), self.message.clone().into());
        let mut hints = self.hints.clone();
        if let Some(diagnostics) = &self.diagnostics {
            if let Some(first) = diagnostics.as_slice().iter().find(|one| one.severity == Severity::Error) {
                if let Some(file) = &first.file {
                    error.insert("file".to_owned(), file.display().to_string().into());
                }
                if let Some(position) = first.position {
                    error.insert("line".to_owned(), position.line.into());
                    error.insert("column".to_owned(), position.column.into());
                }
                hints.extend(first.help.clone());
            }
            error.insert("mistakes".to_owned(), json!(diagnostics));
        }
        if !hints.is_empty() {
            error.insert("hints".to_owned(), hints.into());
        }
        json!({ "error": error })
    }
}
