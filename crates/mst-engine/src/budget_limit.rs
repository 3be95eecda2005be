//! A run's limits, and how it is said that one was reached.

use std::fmt;

use crate::spent::Spent;

/// What a run may use at most; no limit where absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// USD, of clients and judges.
    pub cost_usd: Option<f64>,
    /// Input tokens (cache reads and writes included) and output tokens, of clients and judges.
    pub tokens: Option<u64>,
    /// Minutes from the run's start.
    pub minutes: Option<f64>,
}

impl Budget {
    /// Returns whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns why a budget cannot be held any more after something was used; `None` when it can.
    pub(crate) fn lacks(&self, spent: &Spent) -> Option<String> {
        let cost = spent.lacks_cost.as_ref().filter(|_| self.cost_usd.is_some());
        cost.or(spent.lacks_tokens.as_ref().filter(|_| self.tokens.is_some())).cloned()
    }
}

/// One of a budget's limits, with the value that it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetLimit {
    /// `--max-cost-usd`, in USD.
    CostUsd(f64),
    /// `--max-tokens-total`, in tokens.
    TokensTotal(u64),
    /// `--max-minutes`, in minutes.
    Minutes(f64),
}

impl BudgetLimit {
    /// Returns the flag that sets it, without dashes.
    pub fn flag(self) -> &'static str {
        match self {
            Self::CostUsd(_) => "max-cost-usd",
            Self::TokensTotal(_) => "max-tokens-total",
            Self::Minutes(_) => "max-minutes",
        }
    }

    fn amount(self, value: f64) -> String {
        match self {
            Self::CostUsd(_) => format!("${}", significant(value)),
            Self::TokensTotal(_) => format!("{} tokens", value.round()),
            Self::Minutes(_) => format!("{} minutes", significant(value)),
        }
    }
}

impl fmt::Display for BudgetLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = self.flag();
        match self {
            Self::CostUsd(limit) | Self::Minutes(limit) => write!(f, "--{flag} {limit}"),
            Self::TokensTotal(limit) => write!(f, "--{flag} {limit}"),
        }
    }
}

/// Returns a number with four digits that count, as short as it can be written.
fn significant(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// Why a run stopped before its end: another trial would have passed a limit, or could not have been held to it.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetReached {
    /// The limit.
    pub limit: BudgetLimit,
    /// What was used of it, in the limit's unit.
    pub used: f64,
    /// What another trial uses by the mean of those that ended, in the limit's unit; absent when none is known.
    pub next: Option<f64>,
    /// What could not be measured, where that is why: the limit itself was not reached.
    pub unmeasured: Option<String>,
}

impl fmt::Display for BudgetReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, used, next, unmeasured } = self;
        let used = limit.amount(*used);
        if let Some(why) = unmeasured {
            return write!(f, "the budget {limit} could not be held, so no further trial was started: {why}");
        }
        write!(f, "the budget {limit} was reached: {used} used")?;
        match next {
            Some(next) => write!(f, ", and one more uses about {}", limit.amount(*next)),
            None => Ok(()),
        }
    }
}
