//! `mst compare`, as typed.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use mst_measure::stats::MARGIN;

/// Flags of `mst compare`.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// The baseline: a run id, its last six characters, or a directory; with `:VARIANT` behind it, that variant
    #[arg(value_name = "A", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) baseline: String,
    /// The candidate, named in the same way
    #[arg(value_name = "B", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) candidate: String,
    /// Compare these variants of B alone
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub(crate) variant: Vec<String>,
    /// Compare with this variant of A, instead of the one of the same name
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline_variant: Option<String>,
    /// The drop, as a share, that may stay open and B still counts as not worse
    #[arg(long, value_name = "SHARE", default_value_t = MARGIN, value_parser = share)]
    pub(crate) margin: f64,
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
    /// Print the comparison, or the error, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "it takes a share above 0 and at most 1, such as 0.05".to_owned())
}
