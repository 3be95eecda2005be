//! `mst grade`, as typed.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::{BudgetFlags, CiFlags, ResultsFlag};

/// Flags of `mst grade`.
#[derive(Args, Debug)]
pub(crate) struct GradeArgs {
    /// The run whose trials are graded: a run id, its last six characters, or a directory
    #[arg(value_name = "RUN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) run: String,
    /// The eval config, whose assertions and judges grade them
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// The eval's directory
    // Rustdoc would take the names in angle brackets for tags.
    #[arg(long, value_name = "DIR", help = "The eval's directory [default: <root-dir>/.mcp-test-results/<eval name>]")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Where relative paths are looked up after the config's own directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root_dir: PathBuf,
    /// A JSON object or KEY=VALUE lines, over the environment
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_file: Option<PathBuf>,
    /// Grade, in the run itself, only what has no verdict or whose case's judge changed
    #[arg(long)]
    pub(crate) resume: bool,
    /// Take judges' verdicts from this folder where the same judge was given the same, and keep new ones in it
    #[arg(long, value_name = "DIR")]
    pub(crate) judge_cache: Option<PathBuf>,
    /// Leave out the run's report, which `mst open` builds at any time
    #[arg(long)]
    pub(crate) no_report: bool,
    /// Print the summary, or the error, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) results: ResultsFlag,
    #[command(flatten)]
    pub(crate) ci: CiFlags,
    #[command(flatten)]
    pub(crate) budget: BudgetFlags,
}
