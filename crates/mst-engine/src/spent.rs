//! What a piece of work used, as far as it can be told.

use mst_model::{GraderScore, Preference, TrialRecord, Usage};

/// What a piece of work used. What is not known is said, and never counts as nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spent {
    /// USD, reported or estimated.
    pub(crate) cost_usd: f64,
    /// Input tokens, cache reads and writes included, and output tokens.
    pub(crate) tokens: u64,
    /// Whether it shows what such work uses: it was done, and all of it was measured.
    pub(crate) is_sample: bool,
    /// What has a cost that is not known.
    pub(crate) lacks_cost: Option<String>,
    /// What used tokens that were not counted.
    pub(crate) lacks_tokens: Option<String>,
}

impl Spent {
    /// Measures what a trial's client used. `is_offline` is whether it ran on the offline baseline, which uses nothing.
    ///
    /// An attempt without an answer of a model counts as nothing: what a provider did not answer it does not bill.
    pub(crate) fn of_client(trial: &TrialRecord, is_offline: bool) -> Self {
        let is_broken = trial.ending.is_infrastructure();
        if is_offline {
            return Self { is_sample: !is_broken, ..Self::default() };
        }
        let transcript = trial.transcript.as_ref();
        let usage = trial.client_usage.as_ref().or_else(|| transcript?.usage.as_ref());
        let calls = transcript.and_then(|transcript| transcript.model_calls.as_deref());
        let unmeasured = calls.into_iter().flatten().filter(|call| call.usage.is_none()).count();
        let named = |what: &str| format!("{}/{}, trial {}: {what}", trial.variant, trial.case_id, trial.trial);
        let mut spent = Self { is_sample: !is_broken, ..Self::default() };
        match usage {
            None if calls.map_or(is_broken, <[_]>::is_empty) => spent.is_sample = false,
            None => spent.lack(&named("the client reported no usage")),
            Some(usage) => {
                spent.add(usage, usage.cost_usd(), &named("the client"));
                if unmeasured > 0 && usage.total_cost_usd.is_none() {
                    spent.lack(&named(&format!(
                        "{unmeasured} of {} model calls reported no usage",
                        calls.map_or(0, <[_]>::len)
                    )));
                }
            }
        }
        spent
    }

    /// Adds what a judge used for a verdict that it gave now. One that failed or was not asked may have used nothing.
    pub(crate) fn add_judge(&mut self, score: &GraderScore, calls_model: bool) {
        let name = score.judge_name.as_deref().unwrap_or("judge");
        match &score.usage {
            Some(usage) => self.add(usage, usage.summed_cost_usd(), &format!("the judge {name:?}")),
            // What a cache held was paid for before.
            None if score.cached == Some(true) => return,
            None if calls_model && score.error.is_none() && score.skipped != Some(true) => {
                self.lack(&format!("the judge {name:?} reported no usage"));
            }
            None => {}
        }
        self.is_sample |= score.error.is_none() && score.skipped != Some(true);
    }

    /// Measures what a pairwise judge used for one case. One that failed or was not asked may have used nothing.
    pub(crate) fn of_comparison(preference: &Preference) -> Self {
        let mut spent = Self { is_sample: preference.preference.is_some(), ..Self::default() };
        let who = format!("the judge {:?}", preference.judge);
        match &preference.usage {
            Some(usage) => spent.add(usage, usage.summed_cost_usd(), &who),
            None if spent.is_sample => spent.lack(&format!("{who} reported no usage")),
            None => {}
        }
        spent
    }

    /// Adds what another part of the same work used.
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.cost_usd += other.cost_usd;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.lacks_cost = self.lacks_cost.or(other.lacks_cost);
        self.lacks_tokens = self.lacks_tokens.or(other.lacks_tokens);
        self.is_sample |= other.is_sample;
        self
    }

    fn add(&mut self, usage: &Usage, cost_usd: Option<f64>, who: &str) {
        match cost_usd {
            Some(cost) => self.cost_usd += cost,
            None => {
                self.lacks_cost
                    .get_or_insert_with(|| format!("{who} reported no cost, and no tokens to estimate it from"));
            }
        }
        let (input, output) = (usage.total_input_tokens(), usage.output_tokens);
        self.tokens = self.tokens.saturating_add(input.unwrap_or(0)).saturating_add(output.unwrap_or(0));
        if input.is_none() || output.is_none() {
            self.lacks_tokens.get_or_insert_with(|| format!("{who} reported no tokens"));
        }
    }

    fn lack(&mut self, why: &str) {
        self.lacks_cost.get_or_insert_with(|| why.to_owned());
        self.lacks_tokens.get_or_insert_with(|| why.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn client(more: &Value) -> Spent {
        let mut trial = json!({
            "format": "mst.run/v1", "kind": "trial", "runId": "20261003T180211Z-a3f9c1", "variant": "v", "caseId": "c",
            "datasetName": "d", "trial": 0, "durationMs": 1.0, "infrastructureError": false,
            "ending": { "kind": "trial" }, "transcript": { "events": [], "modelCalls": [call(&json!({ "inputTokens": 1 }))] },
        });
        trial.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        Spent::of_client(&serde_json::from_value(trial).expect("a trial"), false)
    }

    fn call(usage: &Value) -> Value {
        let mut call = json!({ "id": "1", "model": "m" });
        if !usage.is_null() {
            call["usage"] = usage.clone();
        }
        call
    }

    #[test]
    fn what_a_client_used_is_measured_or_said_to_be_unknown() {
        let usage = json!({ "inputTokens": 10, "cacheReadInputTokens": 5, "outputTokens": 2, "estimatedCostUsd": 0.5 });
        let reported = json!({ "totalCostUsd": 0.25 });
        let unpriced = json!({ "inputTokens": 10, "outputTokens": 2 });
        let broken = json!({ "kind": "infrastructure", "broke": "provider", "retryable": true, "reason": "down" });
        let two = json!({ "events": [], "modelCalls": [call(&usage), call(&Value::Null)] });
        let none = json!({ "events": [], "modelCalls": [] });
        let unrecorded = json!({ "events": [] });
        // (trial, USD, tokens, whether the cost and the tokens are known, whether it shows what a trial uses)
        for (what, more, cost, tokens, known, sample) in [
            ("estimated", json!({ "clientUsage": usage }), 0.5, 17, [true, true], true),
            ("reported, without tokens", json!({ "clientUsage": reported }), 0.25, 0, [true, false], true),
            ("tokens without a price", json!({ "clientUsage": unpriced }), 0.0, 12, [false, true], true),
            ("nothing reported", json!({}), 0.0, 0, [false, false], true),
            (
                "one call of two reported nothing",
                json!({ "clientUsage": usage, "transcript": two }),
                0.5,
                17,
                [false, false],
                true,
            ),
            ("refused before it answered", json!({ "transcript": none }), 0.0, 0, [true, true], false),
            ("broken before it answered", json!({ "ending": broken, "transcript": null }), 0.0, 0, [true, true], false),
            ("broken on the way", json!({ "ending": broken, "clientUsage": usage }), 0.5, 17, [true, true], false),
            ("no calls recorded", json!({ "transcript": unrecorded }), 0.0, 0, [false, false], true),
        ] {
            let spent = client(&more);
            assert_eq!((spent.cost_usd, spent.tokens, spent.is_sample), (cost, tokens, sample), "{what}");
            assert_eq!([spent.lacks_cost.is_none(), spent.lacks_tokens.is_none()], known, "{what}: {spent:?}");
        }
    }

    #[test]
    fn a_judge_that_answered_is_measured_and_one_that_was_not_asked_is_nothing() {
        let usage =
            Usage { input_tokens: Some(3), output_tokens: Some(4), estimated_cost_usd: Some(0.5), ..Usage::default() };
        let given = |usage: Option<&Usage>| GraderScore { usage: usage.cloned(), ..GraderScore::passed() };
        let skipped = GraderScore { skipped: Some(true), ..given(None) };
        for (what, score, calls_model, tokens, is_known, sample) in [
            ("a verdict", given(Some(&usage)), true, 7, true, true),
            ("a verdict without usage", given(None), true, 0, false, true),
            ("a judge that asks no model", given(None), false, 0, true, true),
            ("not asked", skipped, true, 0, true, false),
            ("no answer", GraderScore::no_verdict("500"), true, 0, true, false),
            (
                "an answer of no use",
                GraderScore { usage: Some(usage.clone()), ..GraderScore::no_verdict("?") },
                true,
                7,
                true,
                false,
            ),
        ] {
            let mut spent = Spent::default();
            spent.add_judge(&score, calls_model);
            assert_eq!((spent.tokens, spent.is_sample), (tokens, sample), "{what}");
            assert_eq!((spent.lacks_cost.is_none(), spent.lacks_tokens.is_none()), (is_known, is_known), "{what}");
        }
    }
}
