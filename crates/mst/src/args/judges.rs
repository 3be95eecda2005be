//! `mst judges`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `mst judges`.
#[derive(Args, Debug)]
pub(crate) struct JudgesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<JudgesCommand>,
    #[command(flatten)]
    pub(crate) flags: JudgesFlags,
}

/// What to do with judges; the list when absent.
#[derive(Debug, Subcommand)]
pub(crate) enum JudgesCommand {
    /// List the judges
    List {
        #[command(flatten)]
        flags: JudgesFlags,
    },
    /// Print what a judge asks, needs and takes
    Show {
        /// The judge's name
        #[arg(value_name = "JUDGE")]
        judge: String,
        #[command(flatten)]
        flags: JudgesFlags,
    },
    /// Commands that a later version has
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// Flags of every form.
#[derive(Args, Debug)]
pub(crate) struct JudgesFlags {
    /// An eval config whose plugins may add judges
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[arg(long, hide = true, num_args = 0..)]
    pub(crate) plugins: Option<Vec<String>>,
}
