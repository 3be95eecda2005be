//! A JSON text with places: strict reading, and the way from a JSON Pointer back to the text.
//!
//! Reading is strict RFC 8259 with no key twice in an object; one byte order mark is dropped. A text that reads well is
//! read once, without its places; they are found only when something has to be reported.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::location::{self, DuplicateKey, Locations};

/// A JSON text that was read.
#[derive(Clone, Debug)]
pub struct Document {
    path: PathBuf,
    text: String,
    root: Value,
}

impl Document {
    /// Reads a JSON text.
    ///
    /// # Errors
    /// One diagnostic with its place: bytes that are no UTF-8, a text that is no JSON, a key that stands twice.
    pub fn parse(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Self, Box<Diagnostic>> {
        Self::unread(path, bytes)?.read()
    }

    /// Takes a text without reading it yet: its value is `null`.
    pub(crate) fn unread(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Result<Self, Box<Diagnostic>> {
        let path = path.into();
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                return Err(failure(&path, &text, valid..valid + 1, Code::Syntax, "not UTF-8 from here on".to_owned()));
            }
        };
        let text = text.strip_prefix(BOM).map(str::to_owned).unwrap_or(text);
        if text.starts_with(BOM) {
            let message = "a second byte order mark; one is accepted".to_owned();
            return Err(failure(&path, &text, 0..BOM.len_utf8(), Code::Syntax, message));
        }
        Ok(Self { path, text, root: Value::Null })
    }

    /// Reads the text.
    pub(crate) fn read(mut self) -> Result<Self, Box<Diagnostic>> {
        match read(&self.text) {
            Ok(root) => {
                self.root = root;
                Ok(self)
            }
            Err(error) => Err(explain(&self.path, &self.text, &error)),
        }
    }

    /// Returns the path the text came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text, without its byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// Makes an error about a place in the text that only a later check could find.
    pub fn diagnose(&self, pointer: &str, code: Code, message: String, help: Option<String>) -> Diagnostics {
        let (position, source_line) = self.locations().locate(pointer, false);
        Diagnostics::new(vec![Diagnostic {
            severity: Severity::Error,
            code,
            message,
            file: Some(self.path.clone()),
            pointer: pointer.to_owned(),
            position,
            help,
            source_line,
        }])
    }

    /// Takes the value out and leaves `null`; the places stay.
    pub(crate) fn take_root(&mut self) -> Value {
        std::mem::take(&mut self.root)
    }

    /// Puts a value back in.
    pub(crate) fn put_root(&mut self, root: Value) {
        self.root = root;
    }

    /// Returns the way from pointers to places.
    pub(crate) fn locations(&self) -> Locations<'_> {
        Locations::new(&self.text)
    }
}

const BOM: char = '\u{feff}';

/// Makes a diagnostic of a byte range of a text that could not be read.
fn failure(path: &Path, text: &str, range: std::ops::Range<usize>, code: Code, message: String) -> Box<Diagnostic> {
    let (position, source_line) = Locations::unparsed(text).place(range);
    Box::new(Diagnostic {
        severity: Severity::Error,
        code,
        message,
        file: Some(path.to_owned()),
        pointer: String::new(),
        position: Some(position),
        help: None,
        source_line: Some(source_line),
    })
}

/// Finds out what is wrong with a text that did not read, and where.
fn explain(path: &Path, text: &str, error: &serde_json::Error) -> Box<Diagnostic> {
    let mut diagnostic = match location::parse(text) {
        Err(syntax) => failure(path, text, syntax.range, Code::Syntax, syntax.message),
        Ok(root) => {
            let duplicate = root.as_ref().and_then(location::duplicate_key);
            duplicate.map_or_else(|| unexplained(path, text, error), |found| duplicate_key(path, text, found))
        }
    };
    if diagnostic.code == Code::Syntax {
        diagnostic.help = not_json_help(path, text);
    }
    diagnostic
}

fn duplicate_key(path: &Path, text: &str, found: DuplicateKey) -> Box<Diagnostic> {
    let case = found.case.map(|id| format!("case {id:?}: ")).unwrap_or_default();
    let message = format!("{case}duplicate key {:?}: it stands twice in one object", found.key);
    let mut diagnostic = failure(path, text, found.range, Code::DuplicateKey, message);
    diagnostic.pointer = found.pointer;
    diagnostic
}

/// Says what the reader said, where the other parser found nothing.
fn unexplained(path: &Path, text: &str, error: &serde_json::Error) -> Box<Diagnostic> {
    let at = offset(text, error.line(), error.column());
    let said = error.to_string();
    let message = said.rsplit_once(" at line ").map_or(said.as_str(), |(head, _)| head).to_owned();
    failure(path, text, at..at, Code::Syntax, message)
}

/// Returns what to say about a text that looks like another format.
fn not_json_help(path: &Path, text: &str) -> Option<String> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    let format = match extension.as_str() {
        "yaml" | "yml" => "YAML",
        "toml" => "TOML",
        "js" | "mjs" | "cjs" | "ts" => "a program",
        "jsonl" | "ndjson" => "JSON lines",
        _ if text.trim().is_empty() => return Some("the file is empty; a JSON object is needed".to_owned()),
        _ if !text.trim_start().starts_with(['{', '[']) => "not JSON",
        _ => return None,
    };
    Some(format!("the file is {format}; mst reads JSON"))
}

/// Returns the byte offset of serde_json's place: a line, and a column in bytes, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn read(text: &str) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Strict.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads any JSON value, refusing a key that stands twice; a whole number written as `1.0` is `1`, as in JavaScript.
#[derive(Clone, Copy)]
pub(crate) struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if value.fract() == 0.0 && value.abs() < EXACT {
            return Ok((value as i64).into());
        }
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(Self)?;
            if object.insert(key, value).is_some() {
                return Err(serde::de::Error::custom("duplicate key"));
            }
        }
        Ok(Value::Object(object))
    }
}
