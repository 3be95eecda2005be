//! Writing a tape: each exchange as it happens, in one piece, so that a kill tears at most the last line.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mst_model::{Exchange, Scrubber, TapeKey, TapeKind, TapeRecorder};
use serde_json::Value;

use super::error::TapeError;
use super::line::{ExchangeLine, LaterLine, Line, PartLine, TapeHeader};
use super::part::{fold, short};

/// A tape that is being written.
#[derive(Debug)]
pub struct TapeWriter {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: std::fs::File,
    scrubber: Scrubber,
    secrets: HashSet<String>,
    /// How many equal requests each scope has had, by the hash of kind, scope and request.
    counts: HashMap<u128, u32>,
    parts: HashSet<u128>,
    exchanges: u64,
    failed: Option<io::Error>,
}

impl TapeWriter {
    /// Begins a tape in a file that is not there yet; its folder must be.
    ///
    /// # Errors
    /// When the file is there, or cannot be made.
    pub fn create(path: &Path, header: &TapeHeader, scrubber: Scrubber) -> Result<Self, TapeError> {
        let opened = fs_err::OpenOptions::new().write(true).create_new(true).open(path);
        let file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => TapeError::Exists(path.to_owned()),
            _ => TapeError::Io(error),
        })?;
        let mut file = file.into_parts().0;
        let mut line = serde_json::to_string(header).expect("a header has a JSON form");
        line.push('\n');
        file.write_all(line.as_bytes()).map_err(|error| named(&error, path))?;
        let state = State {
            file,
            scrubber,
            secrets: HashSet::new(),
            counts: HashMap::new(),
            parts: HashSet::new(),
            exchanges: 0,
            failed: None,
        };
        Ok(Self { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// Returns the tape's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the tape: nothing came of what was recorded.
    pub fn discard(&self) {
        // Where it cannot be removed, the next recording is refused and names it.
        fs_err::remove_file(&self.path).ok();
    }

    /// Ends the tape and returns how many exchanges it has.
    ///
    /// # Errors
    /// The first error of the whole recording.
    pub fn finish(&self) -> Result<u64, TapeError> {
        let mut state = self.state();
        let exchanges = state.exchanges;
        state.write(&Line::End { exchanges });
        let failed = state.failed.take();
        let ended = failed.map_or_else(|| state.file.sync_all(), Err);
        ended.map(|()| exchanges).map_err(|error| named(&error, &self.path).into())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Writes a line. After the first failure nothing more is written: a tape has no holes.
    fn write(&mut self, line: &Line) {
        if self.failed.is_none()
            && let Err(error) = self.file.write_all(line.text().as_bytes())
        {
            self.failed = Some(error);
        }
    }

    /// Writes the long values of a request or reply apart.
    fn fold(&mut self, value: &mut Value) {
        let mut parts = Vec::new();
        fold(value, |hash, value| parts.push(PartLine { hash: hash.to_owned(), value }));
        for part in parts {
            if self.parts.insert(short(&part.hash)) {
                self.write(&Line::Part(part));
            }
        }
    }
}

impl TapeRecorder for TapeWriter {
    fn record(&self, exchange: Exchange) -> TapeKey {
        let Exchange { mut request, mut server, mut answer, took_ms } = exchange;
        let mut state = self.state();
        let scrubber = state.scrubber.clone();
        scrubber.value_in(&mut request.request);
        for message in &mut server {
            scrubber.value_in(message);
        }
        if let mst_model::TapeAnswer::Reply(value) | mst_model::TapeAnswer::Failure(value) = &mut answer {
            scrubber.value_in(value);
        }
        let hash = request.hash();
        let counted = format!("{hash}{:?}{}", request.kind, request.scope);
        let count = state.counts.entry(short(&mst_model::sha256_hex(counted.as_bytes()))).or_default();
        let ordinal = *count;
        *count += 1;
        state.exchanges += 1;
        let key = TapeKey { kind: request.kind, scope: request.scope, hash, ordinal };
        let mut line = ExchangeLine {
            scope: key.scope.clone(),
            hash: key.hash.clone(),
            ordinal,
            request: request.request,
            server,
            reply: None,
            failure: None,
            given_up_after_ms: None,
            ms: Some(took_ms),
        };
        line.set_answer(answer);
        state.fold(&mut line.request);
        if let Some(reply) = &mut line.reply {
            state.fold(reply);
        }
        let line = match key.kind {
            TapeKind::Llm => Line::Llm(line),
            TapeKind::Mcp => Line::Mcp(line),
        };
        state.write(&line);
        key
    }

    fn said_later(&self, after: &TapeKey, mut messages: Vec<Value>) {
        let mut state = self.state();
        for message in &mut messages {
            state.scrubber.value_in(message);
        }
        let TapeKey { kind, scope, hash, ordinal } = after.clone();
        state.write(&Line::Later(LaterLine { of: kind, scope, hash, ordinal, server: messages }));
    }

    fn keep_out(&self, secrets: Vec<String>) {
        let mut state = self.state();
        let known = state.secrets.len();
        state.secrets.extend(secrets.into_iter().filter(|secret| !secret.is_empty()));
        if state.secrets.len() > known {
            state.scrubber = state.scrubber.with(state.secrets.iter().map(String::as_str));
        }
    }
}

/// Names the file that could not be written.
fn named(error: &io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
