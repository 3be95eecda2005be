//! Token usage, with one meaning for each field whatever the provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens, cost and time that a client reported. What was not reported is absent, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input tokens that were neither read from nor written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Output tokens, reasoning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Reasoning tokens, inside `output_tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_output_tokens: Option<u64>,
    /// Input tokens read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_input_tokens: Option<u64>,
    /// Input tokens written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_creation_input_tokens: Option<u64>,
    /// Cost in USD as the client reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_cost_usd: Option<f64>,
    /// Cost in USD estimated from the eval config's `pricing`; only when none was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_cost_usd: Option<f64>,
    /// Wall time in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// Time spent in model calls, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_api_ms: Option<f64>,
}

impl Usage {
    /// Returns uncached input, cache reads and cache writes together; `None` when no input was reported.
    pub fn total_input_tokens(&self) -> Option<u64> {
        let parts = [self.input_tokens, self.cache_read_input_tokens, self.cache_creation_input_tokens];
        parts.iter().flatten().copied().reduce(u64::saturating_add)
    }

    /// Returns the reported cost, else the estimated one, in USD.
    pub fn cost_usd(&self) -> Option<f64> {
        self.total_cost_usd.or(self.estimated_cost_usd)
    }

    /// Returns what a sum of several usages cost in USD: the costs of those that reported one and the estimates of the
    /// others together.
    pub fn summed_cost_usd(&self) -> Option<f64> {
        match (self.total_cost_usd, self.estimated_cost_usd) {
            (Some(reported), Some(estimated)) => Some(reported + estimated),
            (reported, estimated) => reported.or(estimated),
        }
    }

    /// Returns whether nothing at all was reported.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds another usage; a field that only one side has keeps that side's value.
    pub fn add(&mut self, other: &Self) {
        fn tokens(mine: &mut Option<u64>, theirs: Option<u64>) {
            *mine = mine.map_or(theirs, |mine| Some(mine.saturating_add(theirs.unwrap_or(0))));
        }
        fn amount(mine: &mut Option<f64>, theirs: Option<f64>) {
            *mine = mine.map_or(theirs, |mine| Some(mine + theirs.unwrap_or(0.0)));
        }
        tokens(&mut self.input_tokens, other.input_tokens);
        tokens(&mut self.output_tokens, other.output_tokens);
        tokens(&mut self.reasoning_output_tokens, other.reasoning_output_tokens);
        tokens(&mut self.cache_read_input_tokens, other.cache_read_input_tokens);
        tokens(&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens);
        amount(&mut self.total_cost_usd, other.total_cost_usd);
        amount(&mut self.estimated_cost_usd, other.estimated_cost_usd);
        amount(&mut self.duration_ms, other.duration_ms);
        amount(&mut self.duration_api_ms, other.duration_api_ms);
    }
}
