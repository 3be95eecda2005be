//! `mst batch`, as typed.

use std::path::PathBuf;

use clap::Args;

use super::ResultsFlag;

/// Flags of `mst batch`.
#[derive(Args, Debug)]
pub(crate) struct BatchArgs {
    /// The eval configs, in this order
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) configs: Vec<PathBuf>,
    /// A folder whose *.json files are the eval configs, in the order of their names; --configs goes before it
    #[arg(long, value_name = "DIR")]
    pub(crate) config_dir: Option<PathBuf>,
    /// How many evals run at once; each has its own concurrency and limits
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) workers: u32,
    /// Leave out an eval that has a complete run of the same config and datasets; what that run came to counts
    #[arg(long)]
    pub(crate) skip_existing: bool,
    /// Where the evals' directories go, instead of below --root-dir
    // Rustdoc would take the names in angle brackets for tags.
    #[arg(
        long,
        value_name = "DIR",
        help = "Where the evals' directories go, each as <file stem>-<hash of its path> [default: <root-dir>/.mcp-test-results, by eval name]"
    )]
    pub(crate) output_root: Option<PathBuf>,
    /// Where relative paths are looked up after a config's own directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root_dir: PathBuf,
    /// A JSON object or KEY=VALUE lines, over the environment
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_file: Option<PathBuf>,
    /// Check everything that touches no server and no client, and say what would run
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let the writes of servers that a config marks "live" reach their service
    #[arg(long)]
    pub(crate) allow_live_writes: bool,
    /// Write one JUnit report of all evals: a suite a variant, a test a case
    #[arg(long, value_name = "FILE", conflicts_with = "skip_existing")]
    pub(crate) junit: Option<PathBuf>,
    /// Print what every eval came to, or the error, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) results: ResultsFlag,
    #[command(flatten)]
    pub(crate) later: BatchLater,
}

/// Flags that a later version has.
#[derive(Args, Debug)]
pub(crate) struct BatchLater {
    #[arg(long, hide = true, num_args = 0..)]
    plugins: Option<Vec<String>>,
    #[arg(long, hide = true, num_args = 0..)]
    runner: Option<Vec<String>>,
    #[arg(long, alias = "runner-option", hide = true, num_args = 0..)]
    runner_options: Option<Vec<String>>,
    #[arg(long, hide = true, num_args = 0..)]
    max_cost_usd: Option<Vec<String>>,
    #[arg(long, hide = true, num_args = 0..)]
    max_tokens_total: Option<Vec<String>>,
    #[arg(long, hide = true, num_args = 0..)]
    max_minutes: Option<Vec<String>>,
}

impl BatchLater {
    /// Returns the first flag that was typed.
    pub(crate) fn typed(&self) -> Option<&'static str> {
        let flags = [
            ("plugins", self.plugins.is_some()),
            ("runner", self.runner.is_some()),
            ("runner-options", self.runner_options.is_some()),
            ("max-cost-usd", self.max_cost_usd.is_some()),
            ("max-tokens-total", self.max_tokens_total.is_some()),
            ("max-minutes", self.max_minutes.is_some()),
        ];
        flags.into_iter().find(|(_, typed)| *typed).map(|(name, _)| name)
    }
}
