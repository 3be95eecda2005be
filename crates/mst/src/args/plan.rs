//! `mst plan`, as typed.

use std::path::PathBuf;

use clap::Args;

/// Flags of `mst plan`.
#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    /// The eval config
    #[arg(short, long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// The eval's directory
    // Rustdoc would take the names in angle brackets for tags.
    #[arg(long, value_name = "DIR", help = "The eval's directory [default: <root-dir>/.mcp-test-results/<eval name>]")]
    pub(crate) output_dir: Option<PathBuf>,
    /// Where relative paths are looked up after the config's own directory
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root_dir: PathBuf,
    /// The variant that is planned for [default: the baseline]
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
    /// The two runs that show how much results vary [default: the two newest whole ones of one config]
    #[arg(long, value_name = "RUN", num_args = 2, conflicts_with = "rate")]
    pub(crate) runs: Vec<String>,
    /// Plan by a guess instead: the share of trials that pass
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) rate: Option<f64>,
    /// Beside a guess or a lone run: the standard deviation of the true change over cases, as a share [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) case_spread: Option<f64>,
    /// Numbers of cases to look at, with commas between them [default: what the eval has, twice and four times as many]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) cases: Vec<u32>,
    /// Numbers of trials of a case to look at [default: 1, 3, 5, 10 and what the eval has]
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) trials: Vec<u32>,
    /// What one trial costs, in USD, with its judges [default: what the newest run stored]
    #[arg(long, value_name = "USD", value_parser = positive)]
    pub(crate) cost_per_trial: Option<f64>,
    /// Find the best cases and trials for this much, in USD
    #[arg(long, value_name = "USD", value_parser = positive)]
    pub(crate) budget_usd: Option<f64>,
    /// Print the plan, or the error, as one JSON value on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it takes a share from 0 to 1, such as 0.85".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "it has to be a number over 0".to_owned())
}
