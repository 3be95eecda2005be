//! Where an export goes: stdout, a file that is replaced when it is whole, or what a person names that is no plain file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use mst_cli::{CliError, Ui, printable, printable_json};
use mst_store::{StoreError, write_with};
use serde::Serialize;

use super::super::stored_run::store_error;

/// A place that lines go to. Characters that drive a terminal are written otherwise in both forms, so that a file may be
/// printed: as escapes that mean the same in JSON, as visible escapes in a text.
pub(super) enum Sink<'a> {
    /// Stdout.
    Screen(&'a Ui),
    /// A file.
    File(BufWriter<&'a mut File>),
}

impl Sink<'_> {
    /// Writes a value as JSON on one line.
    pub(super) fn json(&mut self, value: &impl Serialize) -> Result<(), StoreError> {
        match self {
            Self::Screen(ui) => ui.data_line(value),
            Self::File(file) => {
                let text = serde_json::to_string(value).expect("what is exported has a JSON form");
                writeln!(file, "{}", printable_json(&text))?;
            }
        }
        Ok(())
    }

    /// Writes a line of text as RFC 4180 ends it.
    pub(super) fn text(&mut self, line: &str) -> Result<(), StoreError> {
        match self {
            Self::Screen(ui) => ui.record(line),
            Self::File(file) => write!(file, "{}\r\n", printable(line))?,
        }
        Ok(())
    }

    /// Returns whether nobody reads any more.
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Self::Screen(ui) => ui.is_output_closed(),
            Self::File(_) => false,
        }
    }
}

/// Opens the place, has it filled, and closes it.
pub(super) fn write(
    out: Option<&Path>,
    ui: &Ui,
    fill: impl FnOnce(&mut Sink<'_>) -> Result<(), StoreError>,
) -> Result<(), CliError> {
    let into = |file: &mut File, fill: &mut dyn FnMut(&mut Sink<'_>) -> Result<(), StoreError>| {
        let mut sink = Sink::File(BufWriter::with_capacity(1 << 16, file));
        fill(&mut sink)?;
        if let Sink::File(file) = &mut sink {
            file.flush()?;
        }
        Ok(())
    };
    let mut fill = Some(fill);
    let mut fill = |sink: &mut Sink<'_>| fill.take().map_or(Ok(()), |fill| fill(sink));
    let written: Result<(), StoreError> = match out {
        None => fill(&mut Sink::Screen(ui)),
        Some(path) => match fs_err::metadata(path) {
            // A pipe or a device stays what it is.
            Ok(there) if !there.is_file() && !there.is_dir() => {
                let opened = fs_err::OpenOptions::new().write(true).open(path).map_err(StoreError::from);
                opened.and_then(|file| into(&mut file.into_parts().0, &mut fill))
            }
            Ok(_) => fs_err::canonicalize(path)
                .map_err(StoreError::from)
                .and_then(|path| write_with(&path, |file| into(file, &mut fill))),
            Err(_) => write_with(path, |file| into(file, &mut fill)),
        },
    };
    written.map_err(|error| store_error(&error))
}
