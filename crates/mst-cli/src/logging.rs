//! Logs for people who debug: to stderr, with `--verbose` or `MST_LOG` alone.

use tracing_subscriber::EnvFilter;

use crate::env::Env;

/// Starts logging when it was asked for. A second call does nothing.
pub fn start_logging(env: &Env, verbose: bool) {
    let asked = env.get("MST_LOG").map(str::to_owned).or_else(|| verbose.then(|| "info".to_owned()));
    let Some(directives) = asked else { return };
    let filter = EnvFilter::builder().parse_lossy(directives);
    let started =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).try_init();
    // Only a second start fails, and the first one goes on.
    drop(started);
}
