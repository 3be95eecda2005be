//! The tape of a scan: the file that `--record` writes or `--replay` serves.

use std::path::Path;
use std::sync::Arc;

use mst_cli::{CliError, ExitClass, Ui, plural, printable};
use mst_model::{Scrubber, Tape, TapeKind, Timestamp};
use mst_store::{TapeError, TapeHeader, TapeReader, TapeWriter};

/// The shortest credential that can be taken out of a tape, in bytes: a shorter one would make holes in half of all words.
const SHORTEST_SECRET: usize = 4;

/// What a scan does with a tape.
#[derive(Debug)]
pub(crate) enum TapeDeck {
    /// Nothing.
    Empty,
    /// It writes one.
    Recording(Arc<TapeWriter>),
    /// It is served by one.
    Replaying(Arc<TapeReader>),
}

impl TapeDeck {
    /// Begins a recording.
    ///
    /// # Errors
    /// When it cannot be written, or a credential is too short to be kept out.
    pub(crate) fn record(path: &Path, scrubber: Scrubber, now: Timestamp) -> Result<Self, CliError> {
        if scrubber.shortest().is_some_and(|shortest| shortest < SHORTEST_SECRET) {
            let message = format!(
                "--record: a credential of this scan has fewer than {SHORTEST_SECRET} characters and could not be taken out \
                 of a tape"
            );
            return Err(CliError::new(ExitClass::Usage, message));
        }
        let header = TapeHeader::new(env!("CARGO_PKG_VERSION"), now);
        let writer = TapeWriter::create(path, &header, scrubber).map_err(|error| refused("--record", &error))?;
        Ok(Self::Recording(Arc::new(writer)))
    }

    /// Opens a tape to be served, and says what to know about it.
    ///
    /// # Errors
    /// When it is no tape.
    pub(crate) fn replay(path: &Path, ui: &Ui) -> Result<Self, CliError> {
        let reader = TapeReader::open(path).map_err(|error| refused("--replay", &error))?;
        for warning in reader.warnings() {
            ui.warn(warning);
        }
        ui.status(&format!("Replaying {}: no model and no server is asked.", printable(&path.display().to_string())));
        Ok(Self::Replaying(Arc::new(reader)))
    }

    /// Returns whether it serves what a model answered.
    pub(crate) fn serves_a_model(&self) -> bool {
        matches!(self, Self::Replaying(reader) if reader.holds(TapeKind::Llm))
    }

    /// Returns the tape for those who ask models and servers.
    pub(crate) fn tape(&self) -> Option<Tape> {
        match self {
            Self::Empty => None,
            Self::Recording(writer) => Some(Tape::Record(Arc::clone(writer) as _)),
            Self::Replaying(reader) => Some(Tape::Replay(Arc::clone(reader) as _)),
        }
    }

    /// Ends a recording. That of a scan that failed stays: it replays the failure.
    ///
    /// # Errors
    /// When it could not be written to its end.
    pub(crate) fn finish(&self, ui: &Ui) -> Result<(), CliError> {
        let Self::Recording(writer) = self else { return Ok(()) };
        let ended = writer.finish();
        let exchanges = ended.map_err(|error| refused("the tape of this scan is not whole", &error))?;
        let path = printable(&writer.path().display().to_string());
        let exchanges = plural(exchanges as usize, "exchange");
        ui.status(&format!(
            "Tape: {path} ({exchanges}). It holds answers in full, without the credentials of this scan."
        ));
        Ok(())
    }
}

fn refused(what: &str, error: &TapeError) -> CliError {
    let class = if error.is_machine_fault() { ExitClass::Machine } else { ExitClass::Usage };
    CliError::new(class, format!("{what}: {error}"))
}
