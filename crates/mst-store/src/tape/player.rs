//! Serving a tape.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mst_model::{Difference, Nearest, NextExchange, Played, TapeKind, TapeMiss, TapePlayer, TapeRequest, TapeScope};
use serde_json::Value;

use super::error::TapeError;
use super::index::{Index, Span};
use super::line::{ExchangeLine, LaterLine, Line, TapeHeader};
use super::part::{short, unfold};

/// A tape that is served.
#[derive(Debug)]
pub struct TapeReader {
    path: PathBuf,
    header: TapeHeader,
    sha256: String,
    warnings: Vec<String>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: std::fs::File,
    index: Index,
}

impl TapeReader {
    /// Opens a tape and reads its index.
    ///
    /// # Errors
    /// When the file cannot be read, is no tape, is of another format version, or has a line that is none. A torn last line
    /// is left out, with a warning.
    pub fn open(path: &Path) -> Result<Self, TapeError> {
        // Looked at before it is opened: opening a pipe waits for its other end, and a device may never end.
        let metadata = fs_err::metadata(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => TapeError::Missing(path.to_owned()),
            _ => error.into(),
        })?;
        if !metadata.is_file() {
            let detail = "it is no plain file".to_owned();
            return Err(TapeError::NotATape { path: path.to_owned(), detail });
        }
        let file = fs_err::File::open(path)?.into_parts().0;
        let again = fs_err::File::open(path)?.into_parts().0;
        let index = Index::read(path, again)?;
        let name = path.display();
        let mut warnings = Vec::new();
        if let Some(line) = index.torn {
            warnings.push(format!("{name}:{line}: the last line is torn and is left out"));
        }
        if !index.ended {
            warnings.push(format!("{name} was cut short: its recording did not come to its end"));
        }
        let (header, sha256) = (index.header.clone(), index.sha256.clone());
        Ok(Self { path: path.to_owned(), header, sha256, warnings, state: Mutex::new(State { file, index }) })
    }

    /// Returns the tape's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the tape's header.
    pub fn header(&self) -> &TapeHeader {
        &self.header
    }

    /// Returns the SHA-256 of the file, as 64 lower-case hex digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns whether it has exchanges of a kind.
    pub fn holds(&self, kind: TapeKind) -> bool {
        self.state().index.exchanges.keys().any(|(held, _)| *held == kind)
    }

    /// Returns what a user of the tape should know.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TapePlayer for TapeReader {
    fn play(&self, request: TapeRequest) -> Result<Played, TapeMiss> {
        let hash = short(&request.hash());
        let TapeRequest { kind, scope, request: asked } = request;
        let mut state = self.state();
        let found =
            state.unserved((kind, &scope), hash).map_or_else(|| state.nearest((kind, &scope), hash, &asked), Ok);
        let served = found.and_then(|place| state.serve((kind, &scope), place).map_err(unusable));
        served.map_err(|nearest| TapeMiss { kind, scope, nearest })
    }

    fn next(&self, kind: TapeKind, scope: &TapeScope, after: Option<usize>) -> Option<NextExchange> {
        let place = after.map_or(0, |after| after + 1);
        let mut state = self.state();
        let span = state.index.exchanges.get(&(kind, scope.clone()))?.get(place)?.span;
        let request = state.exchange(span).ok()?.request;
        Some(NextExchange { place, request })
    }
}

fn unusable(detail: String) -> Nearest {
    Nearest::Unusable { detail }
}

impl State {
    /// Finds the first exchange with a request of this hash that was not served yet.
    fn unserved(&self, (kind, scope): (TapeKind, &TapeScope), hash: u128) -> Option<usize> {
        let entries = self.index.exchanges.get(&(kind, scope.clone()))?;
        entries.iter().position(|entry| entry.hash == hash && !entry.served)
    }

    /// Finds an exchange whose request is the same but for secrets that were taken out of it; else the nearest.
    fn nearest(&mut self, (kind, scope): (TapeKind, &TapeScope), hash: u128, asked: &Value) -> Result<usize, Nearest> {
        let entries = self.index.exchanges.get(&(kind, scope.clone())).cloned().unwrap_or_default();
        let times = entries.iter().filter(|entry| entry.hash == hash).count();
        if times > 0 {
            return Err(Nearest::UsedUp { times: times as u32 });
        }
        let mut nearest: Option<((bool, usize), usize, Difference)> = None;
        for (place, entry) in entries.iter().enumerate() {
            let recorded = self.exchange(entry.span).map_err(unusable)?.request;
            let Some(difference) = Difference::first(&recorded, asked) else {
                if entry.served {
                    continue;
                }
                return Ok(place);
            };
            let elsewhere = ["server", "method", "call"].iter().any(|key| recorded.get(key) != asked.get(key));
            let distance = (elsewhere, Difference::count(&recorded, asked));
            if nearest.as_ref().is_none_or(|(least, ..)| distance < *least) {
                nearest = Some((distance, place, difference));
            }
        }
        Err(match nearest {
            None if entries.is_empty() => Nearest::Nothing,
            None => Nearest::UsedUp { times: entries.len() as u32 },
            Some((_, place, difference)) => Nearest::Other { of: entries.len(), number: place + 1, difference },
        })
    }

    fn serve(&mut self, (kind, scope): (TapeKind, &TapeScope), place: usize) -> Result<Played, String> {
        let entries = self.index.exchanges.get_mut(&(kind, scope.clone())).into_iter().flatten();
        let Some(entry) = entries.into_iter().nth(place) else { return Err("it is not there".to_owned()) };
        entry.served = true;
        let entry = entry.clone();
        let line = self.exchange(entry.span)?;
        let answer = line.answer().ok_or("it has no answer")?;
        let mut server = line.server;
        for span in entry.later {
            if let Line::Later(LaterLine { server: messages, .. }) = self.line(span)? {
                server.extend(messages);
            }
        }
        Ok(Played { place, server, answer })
    }

    /// Reads an exchange with its long values in place.
    fn exchange(&mut self, span: Span) -> Result<ExchangeLine, String> {
        let (Line::Llm(mut line) | Line::Mcp(mut line)) = self.line(span)? else {
            return Err(format!("line {} is no longer an exchange", span.line));
        };
        self.whole(&mut line.request)?;
        if let Some(reply) = &mut line.reply {
            self.whole(reply)?;
        }
        Ok(line)
    }

    fn whole(&mut self, value: &mut Value) -> Result<(), String> {
        unfold(value, |hash| {
            let span = *self.index.parts.get(&short(hash))?;
            match self.line(span).ok()? {
                Line::Part(part) => Some(part.value),
                _ => None,
            }
        })
    }

    fn line(&mut self, span: Span) -> Result<Line, String> {
        let mut bytes = vec![0; span.length];
        let changed = |error: &dyn std::fmt::Display| format!("line {} can no longer be read: {error}", span.line);
        self.file.seek(SeekFrom::Start(span.offset)).map_err(|error| changed(&error))?;
        self.file.read_exact(&mut bytes).map_err(|error| changed(&error))?;
        serde_json::from_slice(&bytes).map_err(|error| changed(&error))
    }
}
