//! Flags that limit what a run may use.

use std::fmt::Write as _;

use clap::Args;
use mst_engine::Budget;

/// Limits of a run.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Budget")]
pub(crate) struct BudgetFlags {
    /// Stop before a trial that would bring the cost of clients and judges over this, in USD
    #[arg(long, value_name = "USD", value_parser = positive, allow_negative_numbers = true)]
    max_cost_usd: Option<f64>,
    /// Stop before a trial that would bring the tokens of clients and judges, in and out, over this
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    max_tokens_total: Option<u64>,
    /// Stop before a trial that would end later than this many minutes after the start
    #[arg(long, value_name = "M", value_parser = positive, allow_negative_numbers = true)]
    max_minutes: Option<f64>,
}

impl BudgetFlags {
    /// Returns the limits.
    pub(crate) fn budget(&self) -> Budget {
        Budget { cost_usd: self.max_cost_usd, tokens: self.max_tokens_total, minutes: self.max_minutes }
    }

    /// Adds the flags to a command, as they are typed.
    pub(crate) fn add_to(&self, command: &mut String) {
        let Self { max_cost_usd, max_tokens_total, max_minutes } = self;
        for (flag, value) in [
            ("max-cost-usd", max_cost_usd.map(|most| most.to_string())),
            ("max-tokens-total", max_tokens_total.map(|most| most.to_string())),
            ("max-minutes", max_minutes.map(|most| most.to_string())),
        ] {
            if let Some(value) = value {
                let _written = write!(command, " --{flag} {value}");
            }
        }
    }

    /// Returns the flags without those on what a provider does not report.
    pub(crate) fn measurable(self) -> Self {
        Self { max_minutes: self.max_minutes, ..Self::default() }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "it has to be a number over 0".to_owned())
}

fn whole(text: &str) -> Result<u64, String> {
    text.parse::<u64>().ok().filter(|number| *number > 0).ok_or_else(|| "it has to be a whole number over 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_finite_number_over_0() {
        for good in ["1", "0.05", "1e-3", "12.50"] {
            assert!(positive(good).is_ok(), "{good}");
        }
        for bad in ["0", "-1", "nan", "inf", "1e999", "", "$1", "1,5"] {
            assert!(positive(bad).is_err(), "{bad}");
        }
        assert_eq!(whole("1000000"), Ok(1_000_000));
        for bad in ["0", "-1", "1.5", "1e6", "", "99999999999999999999"] {
            assert!(whole(bad).is_err(), "{bad}");
        }
    }
}
