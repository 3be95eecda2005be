//! `mst export`, as typed.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

/// Flags of `mst export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// What is written
    #[arg(value_name = "FORMAT", value_enum)]
    pub(crate) format: ExportFormat,
    /// The run: a run id, its last six characters, or a directory
    #[arg(value_name = "RUN", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) run: String,
    /// Write to this file; stdout without it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Send the trace to this collector over OTLP/HTTP, such as http://127.0.0.1:4318; the other OTEL_* variables hold
    #[arg(long, value_name = "URL", conflicts_with = "out")]
    pub(crate) endpoint: Option<String>,
    /// The eval config whose runs are meant
    #[arg(short, long, value_name = "FILE", conflicts_with = "output_dir")]
    pub(crate) config: Option<PathBuf>,
    /// The eval's directory
    // Rustdoc would take the names in angle brackets for tags.
    #[arg(
        long,
        value_name = "DIR",
        help = "The eval's directory [default: the one under .mcp-test-results that has the run]"
    )]
    pub(crate) output_dir: Option<PathBuf>,
}

/// What a run is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// An OTLP/JSON file: the run's trace, some spans a line
    Otlp,
    /// A row a trial (RFC 4180), with what each grader said
    Csv,
    /// A JSON object a trial, with its transcript and scores
    Jsonl,
}
