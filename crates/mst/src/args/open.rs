//! `mst open`, as typed.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

/// Flags of `mst open`.
#[derive(Args, Debug)]
pub(crate) struct OpenArgs {
    /// A run's directory, its id or the last six characters of that, or an eval's directory, whose latest run is meant
    #[arg(value_name = "PATH", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) path: Option<String>,
    /// Where evals keep their runs; without PATH the latest run of all is meant
    #[arg(short, long, value_name = "DIR", default_value = ".mcp-test-results")]
    pub(crate) dir: PathBuf,
    /// Print the page's path instead of opening it
    #[arg(long)]
    pub(crate) print: bool,
    /// Show the eval's history instead of a run's report
    #[arg(long)]
    pub(crate) history: bool,
}
