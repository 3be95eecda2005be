//! What can be typed.

mod diff;
mod lint;
mod report;
mod scan;
mod score;
mod target;
mod verify;

use clap::{Args, Parser, Subcommand};

pub(crate) use diff::{DiffArgs, FailOn};
pub(crate) use lint::LintArgs;
pub(crate) use report::{FixArgs, LeaderboardArgs, ReportArgs, ReportFormat};
pub(crate) use scan::ScanArgs;
pub(crate) use score::ScoreArgs;
pub(crate) use target::TargetArgs;
pub(crate) use verify::VerifyArgs;

/// The hidden command that ends what a killed scan leaves.
pub(crate) const GUARDIAN: &str = "guardian";

/// Says how well a model will use an MCP server, from what the server declares. Executes no tool.
#[derive(Debug, Parser)]
#[command(name = "gradable", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Args, Debug)]
pub(crate) struct Global {
    /// Leave out progress and status; results, warnings and errors stay
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Log what happens inside to stderr
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) verbose: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read a server's declared tools, judge them and grade them
    Scan(Box<ScanArgs>),
    /// Show a report that a scan left, as Markdown, a page or SARIF
    Report(ReportArgs),
    /// Write the brief for the one who mends what a scan found
    Fix(Box<FixArgs>),
    /// Build a static site that ranks many reports
    Leaderboard(LeaderboardArgs),
    /// Compute a report's score again from the file alone, and say what in it does not agree
    Score(ScoreArgs),
    /// Compute a report again, and check that the server still declares what it is of
    Verify(Box<VerifyArgs>),
    /// Compare two surfaces, or reports of them: what breaks callers, what may move a model's choices
    Diff(DiffArgs),
    /// Say what is wrong with a server's declared tools, by rules that need no judge
    Lint(Box<LintArgs>),
    /// Start a scan's programs and end what it leaves; scans start it themselves
    #[command(name = GUARDIAN, hide = true)]
    Guardian,
}
