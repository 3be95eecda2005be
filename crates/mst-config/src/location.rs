//! Places in a JSON text: byte ranges of keys and values by JSON Pointer, lines and columns, and the line to show.

use std::collections::HashSet;
use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::diagnostic::{Position, SourceLine};
use crate::issue::escape;

/// A text that is no JSON.
pub(crate) struct SyntaxError {
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
}

/// A key that stands twice.
pub(crate) struct DuplicateKey {
    pub(crate) pointer: String,
    pub(crate) key: String,
    pub(crate) range: Range<usize>,
    /// The id of the case that holds it.
    pub(crate) case: Option<String>,
}

/// Parses a text with every leniency off.
pub(crate) fn parse(text: &str) -> Result<Option<Value<'_>>, SyntaxError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &collect, &strict) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => {
            let range = error.range();
            let message = error.kind().to_string();
            let mut letters = message.chars();
            let message = letters.next().map(|first| first.to_lowercase().to_string() + letters.as_str());
            Err(SyntaxError { range: range.start..range.end, message: message.unwrap_or_default() })
        }
    }
}

/// Finds the first key that stands twice in an object.
pub(crate) fn duplicate_key(root: &Value<'_>) -> Option<DuplicateKey> {
    let mut found = find_duplicate(root)?;
    let mut segments = found.pointer.split('/').skip(1);
    if segments.next() == Some("cases") {
        found.case = segments
            .next()
            .and_then(|index| index.parse::<usize>().ok())
            .and_then(|index| root.as_object()?.get_array("cases")?.elements.get(index)?.as_object())
            .and_then(|case| Some(case.get_string("id")?.value.clone().into_owned()));
    }
    Some(found)
}

fn find_duplicate(value: &Value<'_>) -> Option<DuplicateKey> {
    let under = |segment: &str, mut found: DuplicateKey| {
        found.pointer = format!("/{segment}{}", found.pointer);
        found
    };
    match value {
        Value::Array(array) => array
            .elements
            .iter()
            .enumerate()
            .find_map(|(at, item)| find_duplicate(item).map(|found| under(&at.to_string(), found))),
        Value::Object(object) => {
            let mut seen = HashSet::new();
            object.properties.iter().find_map(|property| {
                let key = property.name.as_str();
                if !seen.insert(key) {
                    let (pointer, range) = (format!("/{}", escape(key)), name_range(property));
                    return Some(DuplicateKey { pointer, key: key.to_owned(), range, case: None });
                }
                find_duplicate(&property.value).map(|found| under(&escape(key), found))
            })
        }
        _ => None,
    }
}

fn name_range(property: &ObjectProp<'_>) -> Range<usize> {
    let range = match &property.name {
        ObjectPropName::String(name) => name.range,
        ObjectPropName::Word(name) => name.range,
    };
    range.start..range.end
}

/// The places of one text.
pub(crate) struct Locations<'a> {
    text: &'a str,
    root: Option<Value<'a>>,
    /// Byte offsets of the lines' starts.
    lines: Vec<usize>,
    /// Byte ranges that may hold a credential, not to be shown, in the order of the text.
    secret: Vec<Range<usize>>,
}

impl<'a> Locations<'a> {
    /// Prepares the places of a text that reads as JSON.
    pub(crate) fn new(text: &'a str) -> Self {
        let root = parse(text).ok().flatten();
        let mut secret = Vec::new();
        if let Some(root) = &root {
            find_secrets(root, false, &mut secret);
        }
        Self { root, secret, ..Self::unparsed(text) }
    }

    /// Prepares the places of a text that does not read as JSON.
    pub(crate) fn unparsed(text: &'a str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, root: None, lines, secret: Vec::new() }
    }

    /// Returns the place of a pointer: its own, else that of the deepest part that exists.
    pub(crate) fn locate(&self, pointer: &str, key: bool) -> (Option<Position>, Option<SourceLine>) {
        let Some(root) = &self.root else { return (None, None) };
        let mut value = root;
        let mut range = value.start()..value.end();
        if !pointer.is_empty() || !matches!(value, Value::Object(_) | Value::Array(_)) {
            for segment in pointer.split('/').skip(1) {
                let Some((next, name)) = step(value, segment) else { break };
                value = next;
                range = name.filter(|_| key).unwrap_or(value.start()..value.end());
            }
        }
        if matches!(value, Value::Object(_) | Value::Array(_)) && range == (value.start()..value.end()) {
            range = range.start..range.start + 1;
        }
        let (position, line) = self.place(range);
        (Some(position), Some(line))
    }

    /// Returns the place of a byte range.
    pub(crate) fn place(&self, range: Range<usize>) -> (Position, SourceLine) {
        let start = self.boundary(range.start);
        let line = self.lines.partition_point(|begin| *begin <= start).max(1) - 1;
        let begin = self.lines[line];
        let end = self.lines.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[begin..end].ends_with('\r') { end - 1 } else { end };
        let stop = self.boundary(range.end).clamp(start, end.max(start));
        let width = self.text[start..stop].chars().count().max(1);
        let column = self.text[begin..start].chars().count();
        let position = Position { line: line + 1, column: column + 1, width, span: (start, self.boundary(range.end)) };
        (position, self.excerpt(begin..end.max(begin), column, width))
    }

    /// Returns the nearest place at or before an offset where a character begins.
    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// Returns a line with credentials blanked, cut around a column when it is long.
    fn excerpt(&self, line: Range<usize>, column: usize, width: usize) -> SourceLine {
        const LONGEST: usize = 120;
        const BEFORE: usize = 40;
        let chars: Vec<char> = self.text[line.clone()]
            .char_indices()
            .map(|(at, letter)| {
                let at = line.start + at;
                let next = self.secret.partition_point(|range| range.end <= at);
                let blank = self.secret.get(next).is_some_and(|range| range.contains(&at));
                if blank { '*' } else { letter }
            })
            .collect();
        let skip = if chars.len() > LONGEST { column.saturating_sub(BEFORE) } else { 0 };
        let text: String = chars.iter().skip(skip).take(LONGEST).collect();
        let caret = column - skip;
        let left = text.chars().count().saturating_sub(caret).max(1);
        SourceLine { text, caret, width: width.min(left) }
    }
}

/// Returns the child of a value that a pointer's segment names, with the range of its key.
fn step<'v, 'a>(value: &'v Value<'a>, segment: &str) -> Option<(&'v Value<'a>, Option<Range<usize>>)> {
    match value {
        Value::Array(array) => Some((array.elements.get(segment.parse::<usize>().ok()?)?, None)),
        Value::Object(object) => {
            let key = segment.replace("~1", "/").replace("~0", "~");
            let property = property(object, &key)?;
            Some((&property.value, Some(name_range(property))))
        }
        _ => None,
    }
}

fn property<'v, 'a>(object: &'v Object<'a>, key: &str) -> Option<&'v ObjectProp<'a>> {
    object.properties.iter().find(|property| property.name.as_str() == key)
}

/// Collects the texts that may be credentials: under a key named like one, and in a map of variables or headers.
fn find_secrets(value: &Value<'_>, inside: bool, found: &mut Vec<Range<usize>>) {
    const MAPS: [&str; 3] = ["env", "headers", "auth"];
    match value {
        Value::StringLit(text) if inside => {
            let quotes = usize::from(text.range.end - text.range.start >= 2);
            found.push(text.range.start + quotes..text.range.end - quotes);
        }
        Value::Array(array) => array.elements.iter().for_each(|item| find_secrets(item, inside, found)),
        Value::Object(object) => {
            for property in &object.properties {
                let key = property.name.as_str();
                let inside = inside || MAPS.contains(&key) || mst_model::is_credential_name(key);
                find_secrets(&property.value, inside, found);
            }
        }
        _ => {}
    }
}
