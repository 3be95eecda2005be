//! A variant's metrics, gathered case by case: what is kept does not grow with the trials.

use mst_model::Evidence;
use serde_json::{Map, Value};

use super::judges::JudgeMetrics;
use super::{ListedMetric, Measure};
use crate::case_count::CaseCount;
use crate::row::{TrialRow, WriteEvidence};
use crate::stats::{RunningMean, mean};
use crate::verdict::TrialVerdict;

/// What is always computed.
const CORE: [&str; 12] = [
    "passed",
    "trial_pass",
    "tool_count",
    "mcp_call_count",
    "builtin_event_count",
    "tool_search_hit",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "duration_s",
    "judge_pass",
    "judge_score",
];

/// One case's rows and what they come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedCase<'a> {
    /// Its trials.
    pub(crate) rows: &'a [TrialRow],
    /// Its count.
    pub(crate) count: CaseCount,
}

impl<'a> CountedCase<'a> {
    /// Returns the trials that count for measurements: all but infrastructure failures.
    pub(crate) fn measured(self) -> impl Iterator<Item = &'a TrialRow> {
        self.rows.iter().filter(|row| row.verdict != TrialVerdict::Infrastructure)
    }
}

/// The metrics of the cases that were added so far.
///
/// `passed` and `trial_pass` count complete cases; measurements count the trials of incomplete cases too. The order of
/// adding is the order of summing, so that the same cases always come to the same last digit.
#[derive(Clone, Debug, Default)]
pub(crate) struct VariantMetrics {
    passed: RunningMean,
    trial_pass: RunningMean,
    measured: [RunningMean; Measure::COUNT],
    write_passed: RunningMean,
    write_evidence: Option<WriteEvidence>,
    judges: JudgeMetrics,
    /// The first tool of each case's first trial; kept only where the config lists it.
    first_tools: Option<Vec<Value>>,
}

impl VariantMetrics {
    /// Starts without a case.
    pub(crate) fn new(listed: &[ListedMetric]) -> Self {
        let wants_tools = listed.iter().any(|metric| metric.metric == "first_tool");
        Self { first_tools: wants_tools.then(Vec::new), ..Self::default() }
    }

    /// Takes a case in.
    pub(crate) fn add(&mut self, case: CountedCase<'_>) {
        let pass = f64::from(u8::from(case.count.pass));
        if case.count.complete {
            self.passed.add(pass);
            if let Some(share) = case.count.share() {
                self.trial_pass.add(share);
            }
            if case.measured().any(|row| row.graded_writes) {
                self.write_passed.add(pass);
            }
        }
        for measure in Measure::ALL {
            if let Some(value) = mean(case.measured().filter_map(|row| row.measures.get(measure))) {
                self.measured[measure as usize].add(value);
            }
        }
        if let Some(last) = case.measured().last() {
            self.judges.add(&last.judges);
        }
        self.write_evidence = case.measured().filter_map(|row| row.write_evidence).chain(self.write_evidence).min();
        if let Some(tools) = &mut self.first_tools {
            let first = case.measured().next().filter(|row| row.evidence != Some(Evidence::None));
            tools.extend(first.and_then(|row| row.first_tool.as_deref()).map(Value::from));
        }
    }

    /// Returns the share of complete cases that passed.
    pub(crate) fn passed_rate(&self) -> Option<f64> {
        self.passed.value()
    }

    /// Returns the mean over complete cases of the share of their trials that passed.
    pub(crate) fn trial_pass_rate(&self) -> Option<f64> {
        self.trial_pass.value()
    }

    /// Returns the metrics (core ones first, then the listed ones) and the listed ones without a value.
    pub(crate) fn values(&self, listed: &[ListedMetric], graded: bool) -> (Map<String, Value>, Vec<String>) {
        let mut metrics = Map::new();
        for name in CORE {
            if let Some((key, value)) = self.metric(name, name, None, graded) {
                metrics.insert(key, value);
            }
        }
        let mut unavailable = Vec::new();
        for ListedMetric { metric: wanted, name, judge } in listed {
            match self.metric(wanted, name, judge.as_deref(), graded) {
                Some((key, value)) => {
                    metrics.insert(key, value);
                }
                None => unavailable.push(name.clone()),
            }
        }
        (metrics, unavailable)
    }

    /// Returns the key and value of one metric under a name, of one judge where it is one's; `None` when no case has a value.
    fn metric(&self, metric: &str, name: &str, judge: Option<&str>, graded: bool) -> Option<(String, Value)> {
        let rate = |value: f64| (format!("{name}_rate"), Value::from(value));
        match metric {
            "passed" => self.passed_rate().filter(|_| graded).map(rate),
            "trial_pass" => self.trial_pass_rate().filter(|_| graded).map(rate),
            "first_tool" => {
                let tools = self.first_tools.as_ref().filter(|tools| !tools.is_empty())?;
                Some((name.to_owned(), tools.clone().into()))
            }
            "write_case_passed" => self.write_passed.value().filter(|_| graded).map(rate),
            "judge_pass" => self.judges.passed().map(rate),
            "judge_score" => Some((name.to_owned(), self.judges.scores()?)),
            "judge_name" => Some((name.to_owned(), self.judges.names()?)),
            "judge_pass_for" => self.judges.passed_by(judge?).map(rate),
            "judge_score_for" => Some((format!("{name}_mean"), self.judges.score_by(judge?)?.into())),
            "write_evidence" => Some((name.to_owned(), self.write_evidence?.as_str().into())),
            other => {
                let measure = Measure::ALL.into_iter().find(|measure| measure.name() == other)?;
                let value = self.measured[measure as usize].value()?;
                let suffix = if measure.is_share() { "rate" } else { "mean" };
                Some((format!("{name}_{suffix}"), value.into()))
            }
        }
    }
}
