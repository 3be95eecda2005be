//! Flags of `gradable diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Flags of `gradable diff`.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The earlier report, or a file with the earlier surface
    pub(crate) a: PathBuf,
    /// The later one
    pub(crate) b: PathBuf,
    /// Exit with 1 when a change of this kind, or of a worse one, is found
    #[arg(long, value_name = "KIND")]
    pub(crate) fail_on: Option<FailOn>,
    /// Print what was found as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which changes fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// What breaks callers
    Breaking,
    /// What may move a model's choices too
    Risky,
    /// Every change
    Neutral,
}
