//! The terminal's one door.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anstyle::{AnsiColor, Style};
use mst_config::Diagnostic;
use serde::Serialize;

use crate::diagnostic::render_in;
use crate::env::Env;
use crate::error::CliError;
use crate::exit::ExitClass;
use crate::printable::{printable, printable_json};

/// The width of lines when there is no terminal to ask.
const WIDTH: u16 = 100;

/// Prints: data to stdout, talk to stderr.
///
/// Whatever is printed passes [`printable`], so no text from a server, a model or a dataset reaches the terminal as
/// anything but text. A pipe that was closed ends the printing quietly; another failure is kept for
/// [`Ui::output_error`].
#[derive(Clone)]
pub struct Ui {
    look: Look,
    streams: Arc<Streams>,
}

/// How things are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether talk is left out, but for warnings and errors.
    pub quiet: bool,
    /// Whether a display that redraws itself may be shown on stderr.
    pub interactive: bool,
    /// Whether stderr takes colour.
    pub colour: bool,
    /// The width of lines.
    pub width: u16,
}

impl Look {
    /// Returns the look for an environment and the terminals that are there.
    fn detect(env: &Env, quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal() && env.get("TERM") != Some("dumb");
        Self {
            quiet,
            interactive: terminal && !quiet && env.get("CI").is_none(),
            colour: terminal && env.get("NO_COLOR").is_none(),
            width: terminal_size::terminal_size_of(io::stdout()).map_or(WIDTH, |(width, _)| width.0.max(40)),
        }
    }

    /// The look of a pipe.
    pub const PLAIN: Self = Self { quiet: false, interactive: false, colour: false, width: WIDTH };
}

struct Streams {
    out: Mutex<Stream>,
    err: Mutex<Stream>,
}

/// A stream, and what ended it.
struct Stream {
    to: Box<dyn Write + Send>,
    ended: Option<io::Error>,
}

impl Stream {
    fn new(to: impl Write + Send + 'static) -> Mutex<Self> {
        Mutex::new(Self { to: Box::new(to), ended: None })
    }

    /// Writes in one piece. What ended once is not tried again.
    fn write(&mut self, text: &str) {
        if self.ended.is_none() {
            self.ended = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()).err();
        }
    }
}

fn lock(stream: &Mutex<Stream>) -> MutexGuard<'_, Stream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ui {
    /// Makes the door for an environment; `quiet` keeps all but data, warnings and errors.
    pub fn new(env: &Env, quiet: bool) -> Self {
        Self::with_streams(Look::detect(env, quiet), io::stdout(), io::stderr())
    }

    /// Makes a door to other streams than the process's own.
    pub fn with_streams(look: Look, out: impl Write + Send + 'static, err: impl Write + Send + 'static) -> Self {
        Self { look, streams: Arc::new(Streams { out: Stream::new(out), err: Stream::new(err) }) }
    }

    /// Returns whether a display that redraws itself may be shown on stderr.
    pub fn is_interactive(&self) -> bool {
        self.look.interactive
    }

    /// Returns whether talk is left out.
    pub fn is_quiet(&self) -> bool {
        self.look.quiet
    }

    /// Returns the width of lines.
    pub fn width(&self) -> u16 {
        self.look.width
    }

    /// Returns why stdout took less than it was given, when that was not its reader's choice: a full disk, for one.
    pub fn output_error(&self) -> Option<CliError> {
        let out = lock(&self.streams.out);
        let error = out.ended.as_ref().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)?;
        Some(CliError::new(ExitClass::Machine, format!("failed to write to stdout: {error}")))
    }

    /// Prints a value on stdout as pretty JSON.
    pub fn data(&self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => lock(&self.streams.out).write(&format!("{}\n", printable_json(&text))),
            Err(error) => lock(&self.streams.out).ended = Some(error.into()),
        }
    }

    /// Prints a value on stdout as JSON on one line.
    pub fn data_line(&self, value: &impl Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => lock(&self.streams.out).write(&format!("{}\n", printable_json(&text))),
            Err(error) => lock(&self.streams.out).ended = Some(error.into()),
        }
    }

    /// Returns whether stdout takes no more: its reader has gone, or it failed.
    pub fn is_output_closed(&self) -> bool {
        lock(&self.streams.out).ended.is_some()
    }

    /// Prints a record of a table on stdout, ended as RFC 4180 says.
    pub fn record(&self, record: &str) {
        lock(&self.streams.out).write(&format!("{}\r\n", printable(record)));
    }

    /// Prints a text on stdout.
    pub fn text(&self, text: &str) {
        lock(&self.streams.out).write(&format!("{}\n", printable(text)));
    }

    /// Prints what goes on, on stderr.
    pub fn status(&self, text: &str) {
        if !self.look.quiet {
            self.remark(text);
        }
    }

    /// Prints on stderr what belongs to a result: it stays when talk is left out.
    pub fn remark(&self, text: &str) {
        self.raw_error(&format!("{}\n", indented(text)));
    }

    /// Prints a warning on stderr.
    pub fn warn(&self, text: &str) {
        self.labelled("warning", AnsiColor::Yellow, text);
    }

    /// Prints what can be done, on stderr.
    pub fn hint(&self, text: &str) {
        self.labelled("hint", AnsiColor::Cyan, text);
    }

    /// Prints a mistake in a file on stderr.
    pub fn diagnostic(&self, diagnostic: &Diagnostic) {
        self.raw_error(&render_in(diagnostic, self.look.colour));
    }

    /// Prints an error with its hints on stderr.
    pub fn error(&self, error: &CliError) {
        match &error.diagnostics {
            Some(diagnostics) => diagnostics.as_slice().iter().for_each(|diagnostic| self.diagnostic(diagnostic)),
            None => self.labelled("error", AnsiColor::Red, &error.message),
        }
        for hint in &error.hints {
            self.hint(hint);
        }
    }

    /// Prints text that is ready, on stderr, as it is: the caller vouches for it.
    pub fn raw_error(&self, text: &str) {
        lock(&self.streams.err).write(text);
    }

    /// Prints a line under a label.
    fn labelled(&self, label: &str, colour: AnsiColor, text: &str) {
        let style = if self.look.colour { colour.on_default().bold() } else { Style::new() };
        self.raw_error(&format!("{style}{label}:{style:#} {}\n", indented(text)));
    }
}

/// Returns a text as printed, with its further lines indented, so that none can pass for a line of ours.
fn indented(text: &str) -> String {
    printable(text).replace('\n', "\n  ")
}

impl fmt::Debug for Ui {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.look.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A stream that keeps what it is given, or fails.
    #[derive(Clone, Default)]
    struct Kept {
        bytes: Arc<Mutex<Vec<u8>>>,
        fails: Option<io::ErrorKind>,
    }

    impl Kept {
        fn text(&self) -> String {
            String::from_utf8(self.bytes.lock().expect("not poisoned").clone()).expect("UTF-8")
        }
    }

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if let Some(kind) = self.fails {
                return Err(kind.into());
            }
            self.bytes.lock().expect("not poisoned").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn say_everything(look: Look) -> (String, String) {
        let (out, err) = (Kept::default(), Kept::default());
        let ui = Ui::with_streams(look, out.clone(), err.clone());
        let hostile = "nul \0 esc \u{1b}]8;;https://example.invalid\u{7}x\nerror: fake \u{202e}";
        ui.text(hostile);
        ui.data(&json!({ "answer": hostile, "del": "\u{7f}\u{9b}\u{e0041}" }));
        ui.status(hostile);
        ui.warn(hostile);
        ui.error(&CliError::new(ExitClass::Server, hostile).with_hint("start it"));
        (out.text(), err.text())
    }

    #[test]
    fn fc33_and_fc36_nothing_from_outside_drives_the_terminal() {
        let (out, err) = say_everything(Look::PLAIN);
        insta::assert_snapshot!(out, @r#"
        nul \u{0} esc \u{1b}]8;;https://example.invalid\u{7}x
        error: fake \u{202e}
        {
          "answer": "nul \u0000 esc \u001b]8;;https://example.invalid\u0007x\nerror: fake \u202e",
          "del": "\u007f\u009b\udb40\udc41"
        }
        "#);
        insta::assert_snapshot!(err, @r"
        nul \u{0} esc \u{1b}]8;;https://example.invalid\u{7}x
          error: fake \u{202e}
        warning: nul \u{0} esc \u{1b}]8;;https://example.invalid\u{7}x
          error: fake \u{202e}
        error: nul \u{0} esc \u{1b}]8;;https://example.invalid\u{7}x
          error: fake \u{202e}
        hint: start it
        ");
        for text in [&out, &err] {
            assert!(text.chars().all(|char| char == '\n' || !char.is_control()), "{text}");
        }
        let json = &out[out.find("{\n").expect("JSON")..];
        let read: serde_json::Value = serde_json::from_str(json).expect("one JSON value");
        assert_eq!(read["del"], "\u{7f}\u{9b}\u{e0041}", "the value is the same, written otherwise");
    }

    #[test]
    fn quiet_keeps_data_warnings_and_errors() {
        let (out, err) = say_everything(Look { quiet: true, ..Look::PLAIN });
        assert!(!out.is_empty());
        assert!(err.starts_with("warning: ") && err.contains("\nerror: ") && err.contains("\nhint: "), "{err}");
    }

    #[test]
    fn colour_is_on_labels_alone_and_adds_no_meaning() {
        let (_, plain) = say_everything(Look::PLAIN);
        let (_, coloured) = say_everything(Look { colour: true, ..Look::PLAIN });
        assert_ne!(plain, coloured);
        let bare = ["\u{1b}[1m", "\u{1b}[31m", "\u{1b}[33m", "\u{1b}[36m", "\u{1b}[0m"]
            .iter()
            .fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(bare, plain);
    }

    #[test]
    fn fc36_a_closed_pipe_is_quiet_and_a_full_disk_is_told() {
        for (kind, told) in [(io::ErrorKind::BrokenPipe, false), (io::ErrorKind::StorageFull, true)] {
            let out = Kept { fails: Some(kind), ..Kept::default() };
            let ui = Ui::with_streams(Look::PLAIN, out, Kept::default());
            ui.text("one");
            ui.data(&json!({}));
            let error = ui.output_error();
            assert_eq!(error.as_ref().map(|error| error.class), told.then_some(ExitClass::Machine), "{kind:?}");
        }
    }
}
