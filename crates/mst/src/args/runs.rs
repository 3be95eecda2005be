//! `mst runs`, as typed.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use super::ResultsFlag;

/// `mst runs`.
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: RunsCommand,
}

/// What to do with runs.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first: of every eval under .mcp-test-results, or of one
    ///
    /// With a result store its runs too. A run whose files cannot be read is listed with why.
    List(RunsListArgs),
    /// Copy a run into the result store: one that was made without it, or whose copy failed
    Upload(RunsUploadArgs),
}

/// Flags of `mst runs list`.
#[derive(Args, Debug)]
pub(crate) struct RunsListArgs {
    /// The eval config whose runs are meant
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["output_dir", "dir"])]
    pub(crate) config: Option<PathBuf>,
    /// The eval's directory, named as `mst run` names it
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    pub(crate) output_dir: Option<PathBuf>,
    /// The directory that holds the evals' directories
    #[arg(
        short,
        long,
        value_name = "DIR",
        help = "The directory that holds the evals' directories [default: .mcp-test-results]"
    )]
    pub(crate) dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) results: ResultsFlag,
    /// Print the runs, or the error, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// Flags of `mst runs upload`.
#[derive(Args, Debug)]
pub(crate) struct RunsUploadArgs {
    /// The run: a run id, its last six characters, or a directory
    #[arg(value_name = "RUN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) run: String,
    /// The eval config
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// The eval's directory
    // Rustdoc would take the names in angle brackets for tags.
    #[arg(long, value_name = "DIR", help = "The eval's directory [default: .mcp-test-results/<eval name>]")]
    pub(crate) output_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) results: ResultsFlag,
}
