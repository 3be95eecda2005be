//! The terminal's one door.

use std::io::{IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use mst_config::Diagnostic;
use serde::Serialize;

use crate::diagnostic::render;
use crate::env::Env;
use crate::error::CliError;
use crate::printable::printable;

/// The width of lines when there is no terminal to ask.
const WIDTH: u16 = 100;

/// Prints: data to stdout, talk to stderr. A pipe that was closed ends the printing quietly.
#[derive(Clone, Debug)]
pub struct Ui {
    quiet: bool,
    interactive: bool,
    colour: bool,
}

impl Ui {
    /// Makes the door for an environment; `quiet` keeps all but data, warnings and errors.
    pub fn new(env: &Env, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal() && env.get("TERM") != Some("dumb");
        Self {
            quiet,
            interactive: terminal && !quiet && env.get("CI").is_none(),
            colour: terminal && env.get("NO_COLOR").is_none(),
        }
    }

    /// Returns whether a display that redraws itself may be shown on stderr.
    pub fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Returns whether talk is left out.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns the width of lines.
    pub fn width(&self) -> u16 {
        WIDTH
    }

    /// Prints a value on stdout as pretty JSON.
    pub fn data(&self, value: &impl Serialize) {
        let mut out = std::io::stdout().lock();
        let written = serde_json::to_writer_pretty(&mut out, value).map_err(std::io::Error::from);
        // A closed pipe is the reader's choice, and there is nobody left to tell of another failure.
        drop(written.and_then(|()| writeln!(out)));
    }

    /// Prints a text on stdout.
    pub fn text(&self, text: &str) {
        drop(writeln!(std::io::stdout().lock(), "{text}"));
    }

    /// Prints what goes on, on stderr.
    pub fn status(&self, text: &str) {
        if !self.quiet {
            self.line("", Style::new(), text);
        }
    }

    /// Prints a warning on stderr.
    pub fn warn(&self, text: &str) {
        self.line("warning: ", AnsiColor::Yellow.on_default().bold(), &printable(text));
    }

    /// Prints what can be done, on stderr.
    pub fn hint(&self, text: &str) {
        self.line("hint: ", AnsiColor::Cyan.on_default().bold(), &printable(text));
    }

    /// Prints a mistake in a file on stderr.
    pub fn diagnostic(&self, diagnostic: &Diagnostic) {
        self.raw_error(&render(diagnostic));
    }

    /// Prints an error with its hints on stderr.
    pub fn error(&self, error: &CliError) {
        match &error.diagnostics {
            Some(diagnostics) => {
                for diagnostic in diagnostics.as_slice() {
                    self.diagnostic(diagnostic);
                }
            }
            None => self.line("error: ", AnsiColor::Red.on_default().bold(), &printable(&error.message)),
        }
        for hint in &error.hints {
            self.hint(hint);
        }
    }

    /// Prints text that is ready, on stderr.
    pub fn raw_error(&self, text: &str) {
        drop(write!(std::io::stderr().lock(), "{text}"));
    }

    fn line(&self, label: &str, style: Style, text: &str) {
        let mut out = std::io::stderr().lock();
        let written = if self.colour && !label.is_empty() {
            writeln!(out, "{style}{label}{style:#}{text}")
        } else {
            writeln!(out, "{label}{text}")
        };
        drop(written);
    }
}
