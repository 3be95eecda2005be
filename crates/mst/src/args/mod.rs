//! What can be typed: commands and flags, without any meaning yet.

mod batch;
mod budget;
mod ci;
mod clients;
mod compare;
mod datasets;
mod export;
mod grade;
mod history;
mod judges;
mod open;
mod plan;
mod results;
mod runs;

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};

use crate::commands::doctor::DoctorArgs;
use crate::commands::init::InitArgs;
use crate::commands::tools::ToolsArgs;
pub(crate) use batch::BatchArgs;
pub(crate) use budget::BudgetFlags;
pub(crate) use ci::{CiFlags, FailOn};
pub(crate) use clients::{ClientsArgs, ClientsCommand, ClientsFlags};
pub(crate) use compare::CompareArgs;
pub(crate) use datasets::{DatasetsArgs, DatasetsCommand, DatasetsFlags, SnapshotFlags};
pub(crate) use export::{ExportArgs, ExportFormat};
pub(crate) use grade::GradeArgs;
pub(crate) use history::HistoryArgs;
pub(crate) use judges::{JudgesArgs, JudgesCommand, JudgesFlags, SelftestArgs};
pub(crate) use open::OpenArgs;
pub(crate) use plan::PlanArgs;
pub(crate) use results::ResultsFlag;
pub(crate) use runs::{RunsArgs, RunsCommand, RunsListArgs, RunsUploadArgs};

/// Evaluates MCP servers: will a model use them well, and did a change make it better?
#[derive(Debug, Parser)]
#[command(name = "mst", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Flags of every command.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Global {
    /// Leave out progress and status; results, warnings and errors stay
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Log what happens inside to stderr
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) verbose: bool,
}

/// The command that runs this program as a run's guardian.
pub(crate) const GUARDIAN: &str = "guardian";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an eval: collect its trials, grade them, and keep them as a run directory
    Run(Box<RunArgs>),
    /// Grade a stored run's trials again, by today's assertions and judges
    Grade(Box<GradeArgs>),
    /// Run several evals, so many at once
    ///
    /// Every config and dataset is read before anything runs: a mistake in one stops the whole batch. Once they run, one
    /// that fails does not stop the others.
    Batch(Box<BatchArgs>),
    /// Say whether a stored run, or a variant, is worse than another
    ///
    /// Exit code 1: worse; 0: not worse; 3: cannot tell. Reads what runs left behind; nothing is started and nothing is
    /// asked. Variants that both runs have are compared, or
    /// the two that are named.
    Compare(Box<CompareArgs>),
    /// Print an eval's runs, newest first: what each measured and what changed
    ///
    /// Runs are compared within an era alone: consecutive full runs that measured the same way. `*` beside a run says that a
    /// new era begins with it, and the line below says why.
    History(Box<HistoryArgs>),
    /// Write a stored run for spreadsheets, scripts or trace viewers
    ///
    /// Reads what the run left behind; nothing is started and nothing is asked.
    Export(ExportArgs),
    /// List the runs there are, here and in a result store, or copy one there
    Runs(RunsArgs),
    /// Show a run's report, or an eval's history, in the browser
    ///
    /// The report is built first when it is missing, was built by another version, or the run has changed since.
    Open(OpenArgs),
    /// Say how many cases and trials it takes to see a drop, and what that costs
    ///
    /// From what two stored runs show of how much results vary, or from a guess: the smallest drop that each number of cases
    /// and trials is likely to see. Nothing is started and nothing is asked.
    Plan(Box<PlanArgs>),
    /// List the clients that an eval can test, or show what one needs
    Clients(ClientsArgs),
    /// List the judges that can grade a trial, or show what one asks and takes
    Judges(JudgesArgs),
    /// List datasets, show what one holds, or write one as a file
    Datasets(DatasetsArgs),
    /// Make an eval of a server that you have: its config and a first dataset
    Init(Box<InitArgs>),
    /// List a server's tools: parameters, what they may do, and what their definitions cost
    Tools(Box<ToolsArgs>),
    /// Say what is installed and set, and what an eval config lacks to run
    Doctor(Box<DoctorArgs>),
    /// Serve a small read-only parts catalog over stdin and stdout, to try things out on
    DemoServer,
    /// Start a run's programs and end what it leaves; runs start it themselves
    #[command(name = GUARDIAN, hide = true)]
    Guardian,
    /// Commands of the contract that this version does not have yet
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// Flags of `mst run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// The eval config
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Run these variants alone
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "resume")]
    pub(crate) variant: Vec<String>,
    /// Run these cases alone, whatever the config's tags and caps
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with = "resume")]
    pub(crate) case: Vec<String>,
    /// Run cases that have any of these tags, instead of the config's filterTags
    #[arg(long, value_name = "TAG", num_args = 1.., conflicts_with = "resume")]
    pub(crate) filter_tag: Vec<String>,
    /// Run at most this many cases of each dataset
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "resume")]
    pub(crate) max_cases: Option<u32>,
    /// Run every case this many times, whatever the config and the cases say
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "resume")]
    pub(crate) trials: Option<u32>,
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
    /// Check everything that touches no server and no client, and print the plan as JSON
    #[arg(long, conflicts_with = "resume")]
    pub(crate) dry_run: bool,
    /// Let the writes of servers that the config marks "live" reach their service
    #[arg(long)]
    pub(crate) allow_live_writes: bool,
    /// Collect trials without grading them (needs "redactStoredResponses": false)
    #[arg(long)]
    pub(crate) no_grade: bool,
    /// Collect what a run lacks, into its own directory: a run id, its last six characters, or a directory
    #[arg(long, value_name = "RUN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) resume: Option<String>,
    /// Write down what models and servers are asked and answer, in a new file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["replay", "resume", "dry_run"])]
    pub(crate) record: Option<PathBuf>,
    /// Run on what a tape holds: no network, no key, no server
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) replay: Option<PathBuf>,
    /// Take judges' verdicts from this folder where the same judge was given the same, and keep new ones in it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["record", "replay", "no_grade"])]
    pub(crate) judge_cache: Option<PathBuf>,
    /// Leave out the run's report, which `mst open` builds at any time
    #[arg(long)]
    pub(crate) no_report: bool,
    /// Stop as soon as the comparison of two variants is decided: looks at each quarter of the cases, with the error rate kept
    #[arg(long, value_name = "WHEN", value_parser = ["decided"], conflicts_with_all = ["resume", "no_grade", "dry_run"])]
    pub(crate) stop_when: Option<String>,
    /// Print the summary, or the error, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) results: ResultsFlag,
    #[command(flatten)]
    pub(crate) ci: CiFlags,
    #[command(flatten)]
    pub(crate) budget: BudgetFlags,
    #[command(flatten)]
    pub(crate) later: Later,
}

/// Flags that a later version has: known, so that the refusal can say so.
#[derive(Args, Debug)]
pub(crate) struct Later {
    #[arg(long, hide = true, num_args = 0..)]
    plugins: Option<Vec<String>>,
    #[arg(long, hide = true, num_args = 0..)]
    runner: Option<Vec<String>>,
    #[arg(long, alias = "runner-option", hide = true, num_args = 0..)]
    runner_options: Option<Vec<String>>,
    #[arg(long, hide = true, num_args = 0..)]
    store: Option<Vec<String>>,
    #[arg(long, hide = true)]
    detach: bool,
}

impl Later {
    /// Returns the first flag that was typed.
    pub(crate) fn typed(&self) -> Option<&'static str> {
        let values = [
            ("plugins", &self.plugins),
            ("runner", &self.runner),
            ("runner-options", &self.runner_options),
            ("store", &self.store),
        ];
        let switches = [("detach", self.detach)];
        let with_value = values.into_iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name);
        with_value.chain(switches.into_iter().filter(|(_, on)| *on).map(|(name, _)| name)).next()
    }
}
