//! A file's text with the way from a JSON Pointer to its place, whatever its syntax.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::jsonc;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::location::Locations;
use crate::source::Document;

/// How many mistakes of a file are told with their place: finding one reads the whole text.
const MOST_PLACES: usize = 20;

/// A file that was read as a tree.
pub(super) struct Text {
    syntax: Syntax,
    /// How many places were looked for.
    placed: Cell<usize>,
}

enum Syntax {
    /// JSON, with the comments and trailing commas that editors allow.
    Json(Document),
    /// TOML, as the JSON of the same shape.
    Toml { path: PathBuf, text: String, root: Value },
}

impl Text {
    fn of(syntax: Syntax) -> Self {
        Self { syntax, placed: Cell::new(0) }
    }

    /// Reads JSON; comments and trailing commas are allowed, since the programs that own these files allow them.
    pub(super) fn json(path: &Path, bytes: Vec<u8>) -> Result<Self, Box<Diagnostic>> {
        match Document::parse(path, jsonc::strict(bytes)) {
            Ok(document) => Ok(Self::of(Syntax::Json(document))),
            Err(mut diagnostic) => {
                // The line may hold a neighbour's secret, and the file is another program's: its place says enough.
                diagnostic.source_line = None;
                Err(diagnostic)
            }
        }
    }

    /// Reads TOML.
    pub(super) fn toml(path: &Path, bytes: Vec<u8>) -> Result<Self, Box<Diagnostic>> {
        let text =
            String::from_utf8(bytes).map_err(|_| plain(path, Code::Syntax, "the file is not UTF-8".to_owned()))?;
        let parsed = toml::de::DeTable::parse(&text).map(|table| table_value(table.get_ref()));
        match parsed {
            Ok(root) => Ok(Self::of(Syntax::Toml { path: path.to_owned(), text, root })),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let mut diagnostic = plain(path, Code::Syntax, error.message().replace('\n', "; "));
                diagnostic.position = Some(Locations::unparsed(&text).place(span).0);
                Err(diagnostic)
            }
        }
    }

    pub(super) fn root(&self) -> &Value {
        match &self.syntax {
            Syntax::Json(document) => document.root(),
            Syntax::Toml { root, .. } => root,
        }
    }

    pub(super) fn path(&self) -> &Path {
        match &self.syntax {
            Syntax::Json(document) => document.path(),
            Syntax::Toml { path, .. } => path,
        }
    }

    /// Makes the diagnostic of a value.
    pub(super) fn wrong(&self, pointer: &str, code: Code, message: impl Into<String>) -> Box<Diagnostic> {
        let mut diagnostic = plain(self.path(), code, message.into());
        pointer.clone_into(&mut diagnostic.pointer);
        if self.placed.replace(self.placed.get() + 1) >= MOST_PLACES {
            return diagnostic;
        }
        match &self.syntax {
            Syntax::Json(document) => {
                diagnostic.position = document.locations().locate(pointer, false).0;
            }
            Syntax::Toml { text, .. } => {
                let range = toml_range(text, pointer).unwrap_or(0..0);
                diagnostic.position = Some(Locations::unparsed(text).place(range).0);
            }
        }
        diagnostic
    }
}

fn plain(path: &Path, code: Code, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic {
        severity: Severity::Error,
        code,
        message,
        file: Some(path.to_owned()),
        pointer: String::new(),
        position: None,
        help: None,
        source_line: None,
    })
}

fn table_value(table: &toml::de::DeTable<'_>) -> Value {
    Value::Object(table.iter().map(|(key, value)| (key.get_ref().to_string(), toml_value(value.get_ref()))).collect())
}

/// Returns a TOML value as JSON. Numbers that JSON has no exact form for, and times, become texts.
fn toml_value(value: &toml::de::DeValue<'_>) -> Value {
    use toml::de::DeValue;
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or_else(|_| number.as_str().into(), Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or_else(|_| number.as_str().into(), Value::from),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => items.iter().map(|item| toml_value(item.get_ref())).collect(),
        DeValue::Table(table) => table_value(table),
    }
}

/// Returns the place of a pointer in a TOML text: its own, else that of the deepest part that exists.
fn toml_range(text: &str, pointer: &str) -> Option<std::ops::Range<usize>> {
    let table = toml::de::DeTable::parse(text).ok()?;
    let mut segments = pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~"));
    let first = segments.next()?;
    let (key, mut value) = table.get_ref().get_key_value(first.as_str())?;
    let mut range = key.span();
    for segment in segments {
        let next = match value.get_ref() {
            toml::de::DeValue::Table(table) => {
                table.get_key_value(segment.as_str()).map(|(key, value)| (key.span(), value))
            }
            toml::de::DeValue::Array(items) => {
                segment.parse::<usize>().ok().and_then(|at| items.get(at)).map(|value| (value.span(), value))
            }
            _ => None,
        };
        let Some((span, inner)) = next else { break };
        (range, value) = (span, inner);
    }
    Some(range)
}
