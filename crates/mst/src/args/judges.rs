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
    /// Try judges on trials whose verdict is known: which faults they catch, and which injected orders move them
    ///
    /// Good trials, the same with one thing broken, and those again with text in them that tells the judge to pass. Without
    /// names: every built-in judge, and every judge of the eval config.
    Selftest(SelftestArgs),
    /// Commands that a later version has
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// `mst judges selftest`.
#[derive(Args, Debug)]
pub(crate) struct SelftestArgs {
    /// Try these judges alone, by their names in results
    #[arg(value_name = "JUDGE")]
    pub(crate) judges: Vec<String>,
    /// An eval config whose judges are tried, too
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Who answers for the built-in judges [default: by the model, else anthropic]
    #[arg(long, value_name = "PROVIDER")]
    pub(crate) provider: Option<String>,
    /// The model of the built-in judges [default: the judges' own]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// How many trials are judged at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) concurrency: u16,
    /// Where relative paths are looked up after the config's own directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root_dir: PathBuf,
    /// A JSON object or KEY=VALUE lines, over the environment
    #[arg(long, value_name = "FILE")]
    pub(crate) secrets_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
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
