//! Flags of `gradable verify`.

use std::path::PathBuf;

use clap::Args;

use super::TargetArgs;

/// Flags of `gradable verify`.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The report to check
    pub(crate) report: PathBuf,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Print what was found as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}
