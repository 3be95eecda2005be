//! Flags of `gradable score`.

use std::path::PathBuf;

use clap::Args;

/// Flags of `gradable score`.
#[derive(Args, Debug)]
pub(crate) struct ScoreArgs {
    /// The report to compute again
    pub(crate) report: PathBuf,
    /// Print `{ "score", "differences" }` as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}
