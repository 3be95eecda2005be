//! What a check finds, before it has a place in a text: a document, a JSON Pointer, a message.

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::source::Document;

/// Where an issue is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The document's index; `None` for a flag.
    pub(crate) document: Option<usize>,
    /// The JSON Pointer in it.
    pub(crate) pointer: String,
    /// Whether the key is meant, not its value.
    pub(crate) key: bool,
}

impl Place {
    /// The place of a flag.
    pub(crate) fn flag() -> Self {
        Self { document: None, pointer: String::new(), key: false }
    }

    /// The place of a value.
    pub(crate) fn value(document: usize, pointer: impl Into<String>) -> Self {
        Self { document: Some(document), pointer: pointer.into(), key: false }
    }

    /// The place of a key.
    pub(crate) fn key(document: usize, pointer: impl Into<String>) -> Self {
        Self { document: Some(document), pointer: pointer.into(), key: true }
    }
}

/// One thing that a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) place: Place,
    pub(crate) severity: Severity,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Issue {
    /// Makes an error.
    pub(crate) fn error(place: Place, code: Code, message: impl Into<String>) -> Self {
        Self { place, severity: Severity::Error, code, message: message.into(), help: None }
    }

    /// Makes a warning.
    pub(crate) fn warning(place: Place, code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(place, code, message) }
    }

    /// Adds what would be right.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds what would be right, when something is known.
    pub(crate) fn with_help_if(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }
}

/// Returns a JSON Pointer one step deeper.
pub(crate) fn join(pointer: &str, segment: &str) -> String {
    format!("{pointer}/{}", escape(segment))
}

/// Returns a key as a JSON Pointer writes it.
pub(crate) fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// Turns issues into diagnostics with their places in the documents' texts, in the order of the texts.
pub(crate) fn diagnose(issues: Vec<Issue>, documents: &[Document]) -> Diagnostics {
    let mut by_document: Vec<Vec<Issue>> = vec![Vec::new(); documents.len()];
    let mut list = Vec::new();
    for issue in issues {
        match issue.place.document.and_then(|at| by_document.get_mut(at)) {
            Some(own) => own.push(issue),
            None => list.push(Diagnostic {
                severity: issue.severity,
                code: issue.code,
                message: issue.message,
                file: None,
                pointer: String::new(),
                position: None,
                help: issue.help,
                source_line: None,
            }),
        }
    }
    for (document, own) in documents.iter().zip(by_document) {
        if own.is_empty() {
            continue;
        }
        let map = document.locations();
        let mut placed: Vec<Diagnostic> = own
            .into_iter()
            .map(|issue| {
                let (position, source_line) = map.locate(&issue.place.pointer, issue.place.key);
                Diagnostic {
                    severity: issue.severity,
                    code: issue.code,
                    message: issue.message,
                    file: Some(document.path().to_owned()),
                    pointer: issue.place.pointer,
                    position,
                    help: issue.help,
                    source_line,
                }
            })
            .collect();
        placed.sort_by_key(|diagnostic| diagnostic.position.map_or(0, |at| at.span.0));
        list.extend(placed);
    }
    Diagnostics::new(list)
}
