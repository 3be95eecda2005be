//! Where the lines of a tape are, and what they are found by.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use mst_model::{TAPE_FORMAT, TapeKind, TapeScope};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::error::TapeError;
use super::line::{Line, TapeHeader};
use super::part::short;

/// How much of a line that is none is shown, in characters.
const SHOWN: usize = 60;
/// The longest line of a tape, in bytes: an exchange is a few answers, each of which was read whole.
const LONGEST_LINE: u64 = 256 << 20;

/// Where a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) offset: u64,
    pub(super) length: usize,
    /// The line, from 1.
    pub(super) line: usize,
}

/// An exchange in the index.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) hash: u128,
    pub(super) span: Span,
    /// What the server said later.
    pub(super) later: Vec<Span>,
    pub(super) served: bool,
}

/// A tape's index.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) header: TapeHeader,
    /// SHA-256 of the file.
    pub(super) sha256: String,
    pub(super) exchanges: HashMap<(TapeKind, TapeScope), Vec<Entry>>,
    pub(super) parts: HashMap<u128, Span>,
    /// Whether the recording came to its own end.
    pub(super) ended: bool,
    /// The last line, when it was torn.
    pub(super) torn: Option<usize>,
}

impl Index {
    /// Reads a tape from its first line to its last. A torn last line is left out.
    pub(super) fn read(path: &Path, file: std::fs::File) -> Result<Self, TapeError> {
        let mut reader =
            Reader { path, file: BufReader::with_capacity(1 << 20, file), hash: Sha256::new(), at: 0, line: 0 };
        let mut bytes = Vec::new();
        reader.next(&mut bytes)?;
        let header = header(path, &bytes)?;
        let mut index = Self {
            header,
            sha256: String::new(),
            exchanges: HashMap::new(),
            parts: HashMap::new(),
            ended: false,
            torn: None,
        };
        while let Some(span) = reader.next(&mut bytes)? {
            match serde_json::from_slice::<Line>(&bytes) {
                Ok(line) if !index.ended => {
                    index.add(line, span).map_err(|detail| reader.wrong(span, detail))?;
                }
                Ok(_) => return Err(reader.wrong(span, "it comes after the tape's end".to_owned())),
                Err(_) if !bytes.ends_with(b"\n") => index.torn = Some(span.line),
                Err(error) => return Err(reader.wrong(span, format!("not a line of a tape: {}", short_error(&error)))),
            }
        }
        index.sha256 = reader.hash.finalize().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        Ok(index)
    }

    fn add(&mut self, line: Line, span: Span) -> Result<(), String> {
        match line {
            Line::Llm(line) | Line::Mcp(line) if line.answer().is_none() => {
                Err("an exchange has one of reply, failure and givenUpAfterMs".to_owned())
            }
            Line::Llm(line) => self.add_exchange((TapeKind::Llm, line.scope), (&line.hash, line.ordinal), span),
            Line::Mcp(line) => self.add_exchange((TapeKind::Mcp, line.scope), (&line.hash, line.ordinal), span),
            Line::Later(line) => {
                let hash = short(&line.hash);
                let entries = self.exchanges.get_mut(&(line.of, line.scope)).into_iter().flatten();
                let entry = entries.filter(|entry| entry.hash == hash).nth(line.ordinal as usize);
                entry.ok_or("it belongs to no exchange before it")?.later.push(span);
                Ok(())
            }
            Line::Part(part) => {
                self.parts.insert(short(&part.hash), span);
                Ok(())
            }
            Line::End { .. } => {
                self.ended = true;
                Ok(())
            }
        }
    }

    fn add_exchange(
        &mut self,
        scope: (TapeKind, TapeScope),
        (hash, ordinal): (&str, u32),
        span: Span,
    ) -> Result<(), String> {
        let entries = self.exchanges.entry(scope).or_default();
        let hash = short(hash);
        let before = entries.iter().filter(|entry| entry.hash == hash).count();
        if before != ordinal as usize {
            return Err(format!("its ordinal is {ordinal}, and {before} equal requests of its scope stand before it"));
        }
        entries.push(Entry { hash, span, later: Vec::new(), served: false });
        Ok(())
    }
}

/// Reads lines and keeps count.
struct Reader<'a> {
    path: &'a Path,
    file: BufReader<std::fs::File>,
    hash: Sha256,
    at: u64,
    line: usize,
}

impl Reader<'_> {
    fn next(&mut self, bytes: &mut Vec<u8>) -> Result<Option<Span>, TapeError> {
        bytes.clear();
        let read = (&mut self.file).take(LONGEST_LINE).read_until(b'\n', bytes);
        let length =
            read.map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", self.path.display())))?;
        if length == 0 {
            return Ok(None);
        }
        self.hash.update(&bytes[..]);
        self.line += 1;
        let span = Span { offset: self.at, length, line: self.line };
        if length as u64 == LONGEST_LINE {
            return Err(self.wrong(span, format!("the line is longer than {} MB", LONGEST_LINE >> 20)));
        }
        self.at += length as u64;
        Ok(Some(span))
    }

    fn wrong(&self, span: Span, detail: String) -> TapeError {
        TapeError::Line { path: self.path.to_owned(), line: span.line, detail }
    }
}

fn header(path: &Path, bytes: &[u8]) -> Result<TapeHeader, TapeError> {
    let wrong = |detail: String| TapeError::NotATape { path: path.to_owned(), detail };
    let expected = format!("a tape begins with {{\"format\":\"{TAPE_FORMAT}\"");
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        let found: String = String::from_utf8_lossy(bytes).trim_end().chars().take(SHOWN).collect();
        return Err(wrong(format!("{expected}, this with {found:?}")));
    };
    match value.get("format").and_then(Value::as_str) {
        Some(TAPE_FORMAT) => {
            TapeHeader::deserialize(&value).map_err(|error| wrong(format!("its header cannot be read: {error}")))
        }
        Some(found) if found.starts_with("mst.tape/") => {
            Err(TapeError::Version { path: path.to_owned(), found: found.chars().take(SHOWN).collect() })
        }
        Some(found) => Err(wrong(format!("{expected}, and its format is {found:.60?}"))),
        None => Err(wrong(format!("{expected}, and its first line names no format"))),
    }
}

/// Returns an error with its column alone: the parser counts lines from the start of the one line it was given.
fn short_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((text, _)) => format!("{text} (column {})", error.column()),
        None => text,
    }
}
