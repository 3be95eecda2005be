//! Flags of the commands that show what scans left.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::TargetArgs;

/// Flags of `gradable report`.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// A report that a scan left, or the folder that holds it
    pub(crate) report: PathBuf,
    /// The form to show it in
    #[arg(long, value_enum, default_value = "md")]
    pub(crate) format: ReportFormat,
    /// Write it to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Markdown
    Md,
    /// A page that runs and fetches nothing
    Html,
    /// SARIF 2.1.0: description defects and lint
    Sarif,
}

/// Flags of `gradable fix`.
#[derive(Args, Debug)]
pub(crate) struct FixArgs {
    /// A report that a scan left, or the folder that holds it
    pub(crate) report: PathBuf,
    /// Write the brief to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Flags of `gradable leaderboard`.
#[derive(Args, Debug)]
pub(crate) struct LeaderboardArgs {
    /// The folder below which every report.json and failed.json is read
    pub(crate) dir: PathBuf,
    /// Where the site goes
    #[arg(long, value_name = "DIR", default_value = "gradable-site")]
    pub(crate) out: PathBuf,
    /// Print the ranks as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}
