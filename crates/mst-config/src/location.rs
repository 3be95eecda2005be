//! Places in a JSON text: byte ranges of keys and values by JSON Pointer, lines and columns, and the line to show.

use std::cell::Cell;
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
    /// The last place that was counted: its offset and column. Places mostly come in the order of the text, and a text
    /// may be one long line.
    counted: Cell<(usize, usize)>,
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
        Self { text, root: None, lines, secret: scan_secrets(text), counted: Cell::new((0, 0)) }
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
        let column = self.column(begin, start);
        let position = Position { line: line + 1, column: column + 1, width, span: (start, self.boundary(range.end)) };
        (position, self.excerpt(begin..end.max(start), start, width))
    }

    /// Returns how many characters stand between a line's begin and a place in it.
    fn column(&self, begin: usize, start: usize) -> usize {
        let (last, column) = self.counted.get();
        let column = if (begin..=start).contains(&last) {
            column + self.text[last..start].chars().count()
        } else {
            self.text[begin..start].chars().count()
        };
        self.counted.set((start, column));
        column
    }

    /// Returns the nearest place at or before an offset where a character begins.
    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// Returns a line with credentials blanked, cut around a place when it is long.
    fn excerpt(&self, line: Range<usize>, start: usize, width: usize) -> SourceLine {
        const LONGEST: usize = 120;
        const BEFORE: usize = 40;
        let head = &self.text[line.start..start];
        let is_short = self.text[line.clone()].chars().take(LONGEST + 1).count() <= LONGEST;
        let cut = head.char_indices().rev().take(BEFORE).last().map_or(start, |(at, _)| line.start + at);
        let from = if is_short { line.start } else { cut };
        let shown = |(at, letter): (usize, char)| {
            let at = from + at;
            let next = self.secret.partition_point(|range| range.end <= at);
            if self.secret.get(next).is_some_and(|range| range.contains(&at)) { '*' } else { letter }
        };
        let text: String = self.text[from..line.end].char_indices().take(LONGEST).map(shown).collect();
        let caret = self.text[from..start].chars().count();
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
        Value::StringLit(text) if text.value.contains("://") => {
            let raw = text.range.start + 1..text.range.end.saturating_sub(1).max(text.range.start + 1);
            found.extend(
                url_secrets(&text.value).map(|part| raw.start + part.start..(raw.start + part.end).min(raw.end)),
            );
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

/// Finds what a URL may hold as a secret: its user and password, and everything from its query on. Byte ranges of the URL.
///
/// Works on what is no valid URL too, since a mistake is what an excerpt is shown for. A URL with escapes is longer in the
/// file than here, so that a range may end early in it; what follows the range is then blanked by the file's own end.
fn url_secrets(url: &str) -> impl Iterator<Item = Range<usize>> + use<> {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    let user = url[start..end].rfind('@').map(|at| start..start + at);
    let query = url.find('?').map(|at| at + 1..usize::MAX / 2);
    user.into_iter().chain(query)
}

/// Finds the texts after keys that are named like credentials, in a text that does not parse.
fn scan_secrets(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut is_value_secret = false;
    let mut at = 0;
    while let Some(open) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'"')) {
        let start = at + open + 1;
        let mut end = start;
        while end < bytes.len() && !matches!(bytes[end], b'"' | b'\n') {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(bytes.len());
        let is_key = text.get(end..).is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(':'));
        if is_key {
            is_value_secret = text.get(start..end).is_some_and(mst_model::is_credential_name);
        } else if is_value_secret {
            found.push(start..end);
        }
        at = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns_in_characters() {
        let text = "{\r\n  \"検索\": [1, {\"a/b\": true}]\r\n}";
        let places = Locations::new(text);
        for (pointer, key, want) in [
            ("/検索", true, (2, 3, 4)),
            ("/検索/0", false, (2, 10, 1)),
            ("/検索/1/a~1b", false, (2, 21, 4)),
            ("/検索/1/a~1b", true, (2, 14, 5)),
            ("/検索/7", false, (2, 9, 1)),
            ("", false, (1, 1, 1)),
        ] {
            let (position, _) = places.locate(pointer, key);
            let position = position.expect("a place");
            assert_eq!((position.line, position.column, position.width), want, "{pointer} {key}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{{\"a\": \"{}\", \"b\": 1, \"c\": \"{}\"}}", "é".repeat(500), "x".repeat(500));
        let (position, line) = Locations::new(&text).locate("/b", true);
        assert_eq!(position.map(|at| at.column), Some(511));
        let line = line.expect("a line");
        assert_eq!((line.text.chars().count(), line.caret, line.width), (120, 40, 3));
        assert_eq!(line.text.chars().skip(line.caret).take(3).collect::<String>(), "\"b\"");
    }

    #[test]
    fn a_credential_is_blanked_also_when_the_text_does_not_parse() {
        for text in ["{\"headers\": {\"X-Api-Key\": \"sk-hidden\"} oops}", "{\"apiKey\": \"sk-hidden\" \"b\": 1}"] {
            let (_, line) = Locations::unparsed(text).place(0..1);
            assert!(!line.text.contains("hidden"), "{}", line.text);
        }
        let (_, line) = Locations::new("{\"env\": {\"A\": \"hidden\"}, \"b\": 1}").locate("/b", false);
        assert_eq!(line.map(|line| line.text).as_deref(), Some("{\"env\": {\"A\": \"******\"}, \"b\": 1}"));
    }
}
