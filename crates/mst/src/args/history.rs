//! `mst history`, as typed.

use std::path::PathBuf;

use clap::Args;

/// Flags of `mst history`.
#[derive(Args, Debug)]
pub(crate) struct HistoryArgs {
    /// The eval's directory
    // Rustdoc would take the names in angle brackets for tags.
    #[arg(value_name = "DIR", help = "The eval's directory [default: the only one under .mcp-test-results]")]
    pub(crate) dir: Option<PathBuf>,
    /// The eval config whose runs are meant
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["dir", "output_dir"])]
    pub(crate) config: Option<PathBuf>,
    /// The eval's directory, named as `mst run` names it
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Build every row from its run again
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Print the history, or the error, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}
