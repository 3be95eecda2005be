//! A secrets file: a JSON object of texts, or `KEY=VALUE` lines. No message ever shows a value.

use std::path::Path;

use indexmap::IndexMap;
use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Position, Severity};
use crate::issue::join;
use crate::source::Document;

/// Reads a secrets file's text; a later line of the same name wins.
///
/// # Errors
/// Every line or key that is wrong, with its place and without its value.
pub fn parse_secrets(path: &Path, bytes: Vec<u8>) -> Result<IndexMap<String, String>, Diagnostics> {
    let looks_like_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
        || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if looks_like_json { json(path, bytes) } else { lines(path, &bytes) }
}

fn json(path: &Path, bytes: Vec<u8>) -> Result<IndexMap<String, String>, Diagnostics> {
    let mut document = Document::parse(path, bytes).map_err(|mut diagnostic| {
        diagnostic.source_line = None;
        Diagnostics::new(vec![*diagnostic])
    })?;
    let root = document.take_root();
    let places = document.locations();
    let Value::Object(entries) = root else {
        return Err(Diagnostics::new(vec![wrong(
            path,
            None,
            "the secrets file must hold an object of strings".to_owned(),
        )]));
    };
    let mut secrets = IndexMap::new();
    let mut faults = Vec::new();
    for (name, value) in entries {
        let (position, _) = places.locate(&join("", &name), true);
        match value {
            Value::String(text) if is_name(&name) => {
                secrets.insert(name, text);
            }
            Value::String(_) => faults.push(wrong(path, position, format!("{name:?} is no name of a variable"))),
            _ => faults.push(wrong(path, position, format!("{name:?} must be a string"))),
        }
    }
    if faults.is_empty() { Ok(secrets) } else { Err(Diagnostics::new(faults)) }
}

fn lines(path: &Path, bytes: &[u8]) -> Result<IndexMap<String, String>, Diagnostics> {
    let mut secrets = IndexMap::new();
    let mut faults = Vec::new();
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Diagnostics::new(vec![wrong(path, None, "the secrets file is not UTF-8".to_owned())]));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let position = Some(Position { line: at + 1, column: 1, width: 1, span: (0, 0) });
        let assignment = trimmed.strip_prefix("export ").unwrap_or(trimmed);
        let Some((name, value)) = assignment.split_once('=') else {
            faults.push(wrong(path, position, "a line is neither NAME=VALUE nor a comment".to_owned()));
            continue;
        };
        let name = name.trim();
        if !is_name(name) {
            faults.push(wrong(path, position, "what stands before \"=\" is no name of a variable".to_owned()));
            continue;
        }
        match unquoted(value.trim()) {
            Some(value) => {
                secrets.insert(name.to_owned(), value);
            }
            None => faults.push(wrong(path, position, format!("the quotes of {name:?} are not closed"))),
        }
    }
    if faults.is_empty() { Ok(secrets) } else { Err(Diagnostics::new(faults)) }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|letter: char| letter.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Returns a value without its quotes; `None` when they are not closed. In double quotes `\n`, `\"` and `\\` are escapes.
fn unquoted(value: &str) -> Option<String> {
    if let Some(rest) = value.strip_prefix('\'') {
        return rest.split_once('\'').map(|(inner, _)| inner.to_owned());
    }
    let Some(rest) = value.strip_prefix('"') else {
        return Some(value.split(" #").next().unwrap_or(value).trim_end().to_owned());
    };
    let mut out = String::new();
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Some(out),
            '\\' => match letters.next()? {
                'n' => out.push('\n'),
                other @ ('"' | '\\') => out.push(other),
                other => out.extend(['\\', other]),
            },
            other => out.push(other),
        }
    }
    None
}

fn wrong(path: &Path, position: Option<Position>, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: Code::InvalidValue,
        message,
        file: Some(path.to_owned()),
        pointer: String::new(),
        position,
        help: None,
        source_line: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<(String, String)>, String> {
        parse_secrets(Path::new(name), text.as_bytes().to_vec())
            .map(|secrets| secrets.into_iter().collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn lines_and_json_are_read() {
        let text = "\u{feff}# a comment\r\nA=one\nexport B = 'two # x'\nC=\"th\\\"ree\\n\"\nD=four # note\nA=last\n";
        let want = [("A", "last"), ("B", "two # x"), ("C", "th\"ree\n"), ("D", "four")];
        let want: Vec<_> = want.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(read("x.env", text), Ok(want));
        assert_eq!(read("x.json", r#"{"A": "b"}"#), Ok(vec![("A".to_owned(), "b".to_owned())]));
    }

    #[test]
    fn a_fault_names_its_line_and_never_a_value() {
        for (name, text, want) in [
            ("x.env", "A=1\nsk-hidden-1\n", "x.env:2:1: a line is neither NAME=VALUE nor a comment"),
            ("x.env", "A=\"sk-hidden-1\n", "x.env:1:1: the quotes of \"A\" are not closed"),
            ("x.env", "sk-hidden-1=x\n", "x.env:1:1: what stands before \"=\" is no name of a variable"),
            ("x.json", "{\n \"A\": 5}", "x.json:2:2: \"A\" must be a string"),
            ("x.json", "[]", "x.json: the secrets file must hold an object of strings"),
        ] {
            let error = read(name, text).expect_err("a fault");
            assert_eq!(error, want);
            assert!(!error.contains("hidden"), "{error}");
        }
    }
}
