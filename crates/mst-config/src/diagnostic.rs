//! What is wrong with an eval config, a dataset or a flag, as plain data: whoever shows it decides how it looks.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The run does not start.
    Error,
    /// The run starts, and the user should know.
    Warning,
}

/// What kind of mistake a diagnostic reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// A file cannot be read.
    Unreadable,
    /// The text is no JSON.
    Syntax,
    /// A key stands twice in one object.
    DuplicateKey,
    /// A key that nothing knows.
    UnknownKey,
    /// A key under its older name.
    RenamedKey,
    /// A key that has to be there and is not.
    MissingKey,
    /// A value of another type.
    WrongType,
    /// A value outside of what is allowed.
    InvalidValue,
    /// A name that names nothing.
    UnknownName,
    /// A name that something else has already.
    DuplicateName,
    /// Settings that exclude each other.
    Conflict,
    /// Something that this version does not have yet.
    NotAvailable,
    /// Something that could mean two things.
    Ambiguous,
    /// Something that works and is not safe.
    Unsafe,
    /// A selection that leaves nothing to run.
    NothingToRun,
}

impl Code {
    /// Returns the code as listings write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Syntax => "syntax",
            Self::DuplicateKey => "duplicate-key",
            Self::UnknownKey => "unknown-key",
            Self::RenamedKey => "renamed-key",
            Self::MissingKey => "missing-key",
            Self::WrongType => "wrong-type",
            Self::InvalidValue => "invalid-value",
            Self::UnknownName => "unknown-name",
            Self::DuplicateName => "duplicate-name",
            Self::Conflict => "conflict",
            Self::NotAvailable => "not-available",
            Self::Ambiguous => "ambiguous",
            Self::Unsafe => "unsafe",
            Self::NothingToRun => "nothing-to-run",
        }
    }
}

/// A place in a text, for people and for a caret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// How many characters of that line are meant, at least 1.
    pub width: usize,
    /// The byte range in the text, without its byte order mark.
    pub span: (usize, usize),
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of mistake it is.
    pub code: Code,
    /// What is wrong: a lowercase fragment.
    pub message: String,
    /// The file it is in; absent for a flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The JSON Pointer of the place in the file; empty for the whole.
    pub pointer: String,
    /// The place in the file's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// What would be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The line of the text, with credentials blanked and a long one cut around the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_line: Option<SourceLine>,
}

/// A line of a text that a caret can stand under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceLine {
    /// The line, or the part of it around the place.
    pub text: String,
    /// How many characters of `text` stand before the place.
    pub caret: usize,
    /// How many characters the caret covers, at least 1.
    pub width: usize,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if let Some(at) = self.position {
                write!(f, "{}:{}:", at.line, at.column)?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)?;
        if let Some(help) = &self.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

/// Everything that is wrong, in the order of the files and of their texts. Never empty as an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(list: Vec<Diagnostic>) -> Self {
        Self { list }
    }

    /// Returns the diagnostics in order.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Returns the errors in order.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns the warnings in order.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning)
    }

    /// Returns whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        Self::new(diagnostics.into_iter().collect())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.list.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
