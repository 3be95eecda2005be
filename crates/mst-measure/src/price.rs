//! Costs from the eval config's prices. No prices are shipped: they change too often.

use indexmap::IndexMap;
use mst_model::{ModelPrice, TrialRecord, Usage};

/// Returns what a usage costs in USD at a price per million tokens; `None` when input or output was not reported.
///
/// Uncached input, output, cache reads and cache writes each at their rate; a cache rate that is absent is the input's.
pub fn estimate_cost(usage: &Usage, price: &ModelPrice) -> Option<f64> {
    let output = usage.output_tokens?;
    usage.total_input_tokens()?;
    let cost = |tokens: Option<u64>, rate: f64| tokens.unwrap_or(0) as f64 * rate;
    let millionths = cost(usage.input_tokens, price.input)
        + output as f64 * price.output
        + cost(usage.cache_read_input_tokens, price.cache_read.unwrap_or(price.input))
        + cost(usage.cache_creation_input_tokens, price.cache_write.unwrap_or(price.input));
    Some(millionths / 1e6)
}

/// Writes the estimated cost into a trial that is about to be stored, unless its client reported a cost or its model has
/// no price. `model` is the one that prices the case: its own, else the variant's.
pub fn price_trial(trial: &mut TrialRecord, model: Option<&str>, pricing: &IndexMap<String, ModelPrice>) {
    let Some(price) = model.and_then(|model| pricing.get(model)) else { return };
    let in_transcript = trial.transcript.as_mut().and_then(|transcript| transcript.usage.as_mut());
    for usage in trial.client_usage.as_mut().into_iter().chain(in_transcript) {
        if usage.total_cost_usd.is_none() {
            usage.estimated_cost_usd = estimate_cost(usage, price);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: ModelPrice = ModelPrice { input: 3.0, output: 15.0, cache_read: Some(0.3), cache_write: Some(3.75) };

    fn usage(input: u64, read: u64, written: Option<u64>) -> Usage {
        Usage {
            input_tokens: Some(input),
            cache_read_input_tokens: Some(read),
            cache_creation_input_tokens: written,
            output_tokens: Some(50),
            ..Usage::default()
        }
    }

    #[test]
    fn fc37_costs_are_exact() {
        for (usage, want) in [(usage(4, 1568, Some(200)), 0.001_982_4), (usage(200, 1568, None), 0.001_820_4)] {
            let got = estimate_cost(&usage, &PRICE).unwrap();
            assert!((got - want).abs() < 1e-15, "{got} for {usage:?}");
        }
        let flat = ModelPrice { cache_read: None, cache_write: None, ..PRICE };
        let got = estimate_cost(&usage(4, 1568, Some(200)), &flat).unwrap();
        assert!((got - (1772.0 * 3.0 + 50.0 * 15.0) / 1e6).abs() < 1e-15);
    }

    #[test]
    fn what_was_not_reported_is_not_priced() {
        assert_eq!(estimate_cost(&Usage::default(), &PRICE), None);
        assert_eq!(estimate_cost(&Usage { input_tokens: Some(5), ..Usage::default() }, &PRICE), None);
        assert_eq!(estimate_cost(&Usage { output_tokens: Some(5), ..Usage::default() }, &PRICE), None);
    }

    #[test]
    fn a_reported_cost_wins_and_an_unknown_model_has_none() {
        let pricing = IndexMap::from([("claude-x".to_owned(), PRICE)]);
        let mut trial = crate::row::tests::trial();
        trial.client_usage = Some(usage(4, 1568, Some(200)));
        price_trial(&mut trial, Some("other"), &pricing);
        price_trial(&mut trial, None, &pricing);
        assert_eq!(trial.client_usage.as_ref().unwrap().estimated_cost_usd, None);
        price_trial(&mut trial, Some("claude-x"), &pricing);
        assert!(trial.client_usage.as_ref().unwrap().estimated_cost_usd.is_some());
        let reported = Usage { total_cost_usd: Some(0.5), ..usage(4, 0, None) };
        trial.client_usage = Some(reported.clone());
        price_trial(&mut trial, Some("claude-x"), &pricing);
        assert_eq!(trial.client_usage, Some(reported));
    }
}
