//! `mst datasets`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `mst datasets`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DatasetsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<DatasetsCommand>,
    #[command(flatten)]
    pub(crate) flags: DatasetsFlags,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with datasets; the list when absent.
#[derive(Debug, Subcommand)]
pub(crate) enum DatasetsCommand {
    /// List the datasets of an eval config
    List {
        #[command(flatten)]
        flags: DatasetsFlags,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a dataset holds
    Show {
        /// The dataset: a path, or a path or name of the eval config's
        #[arg(value_name = "REF")]
        dataset: String,
        #[command(flatten)]
        flags: DatasetsFlags,
        #[command(flatten)]
        snapshot: SnapshotFlags,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a dataset as one canonical file
    Pull {
        /// The dataset: a path, or a path or name of the eval config's
        #[arg(value_name = "REF")]
        dataset: String,
        #[command(flatten)]
        flags: DatasetsFlags,
        #[command(flatten)]
        snapshot: SnapshotFlags,
        /// The file to write; stdout when absent
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Replace a file that is there
        #[arg(long, requires = "out")]
        force: bool,
    },
}

/// Where datasets are looked up.
#[derive(Args, Debug)]
pub(crate) struct DatasetsFlags {
    /// The eval config whose datasets are meant
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where relative paths are looked up after the config's own directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root_dir: PathBuf,
    #[arg(long, hide = true, num_args = 0..)]
    pub(crate) plugins: Option<Vec<String>>,
}

/// Which copy of a dataset is meant, for sources that keep snapshots.
#[derive(Args, Debug)]
pub(crate) struct SnapshotFlags {
    /// The snapshot to read, of a source that keeps some
    #[arg(long, value_name = "ID")]
    pub(crate) snapshot: Option<String>,
    /// The copy to read, of a source that keeps snapshots
    #[arg(long, value_name = "COPY", value_parser = ["snapshot", "live"])]
    pub(crate) source: Option<String>,
}
