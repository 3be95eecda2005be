//! Logs for people who debug: to stderr, with `--verbose` or `MST_LOG` alone.

use std::io::Write;

use tracing_subscriber::EnvFilter;

use crate::env::Env;
use crate::printable::printable;

/// Starts logging when it was asked for. A second call does nothing.
pub fn start_logging(env: &Env, verbose: bool) {
    let asked = env.get("MST_LOG").map(str::to_owned).or_else(|| verbose.then(|| "info".to_owned()));
    let Some(directives) = asked else { return };
    let filter = EnvFilter::builder().parse_lossy(directives);
    let started = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Escaped).with_ansi(false).try_init();
    // Only a second start fails, and the first one goes on.
    drop(started);
}

/// stderr, with what a server or a model said made safe for a terminal. One event is written at once.
struct Escaped;

impl Write for Escaped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        std::io::stderr().lock().write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().lock().flush()
    }
}
