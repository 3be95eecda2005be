//! The metrics of judges, from the last trial of each case.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::judge_scores::JudgeReading;
use crate::stats::RunningMean;

/// What the judges of a variant's cases said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct JudgeMetrics {
    passed: RunningMean,
    by_judge: IndexMap<String, OneJudge>,
}

#[derive(Clone, Copy, Debug, Default)]
struct OneJudge {
    passed: RunningMean,
    score: RunningMean,
}

impl JudgeMetrics {
    /// Takes in what counts of the judges of a case: nothing of a case without one that came to a verdict.
    pub(super) fn add(&mut self, readings: &[JudgeReading]) {
        if readings.is_empty() {
            return;
        }
        let share = |pass: bool| f64::from(u8::from(pass));
        self.passed.add(share(readings.iter().all(|reading| reading.pass)));
        for reading in readings {
            let judge = self.by_judge.entry(reading.judge.clone()).or_default();
            judge.passed.add(share(reading.pass));
            if let Some(score) = reading.score {
                judge.score.add(score);
            }
        }
    }

    /// Returns the share of cases that every judge with a verdict passed.
    pub(super) fn passed(&self) -> Option<f64> {
        self.passed.value()
    }

    /// Returns the mean score of each judge.
    pub(super) fn scores(&self) -> Option<Value> {
        let scores: Map<String, Value> = self
            .by_judge
            .iter()
            .filter_map(|(name, judge)| Some((name.clone(), judge.score.value()?.into())))
            .collect();
        (!scores.is_empty()).then_some(scores.into())
    }

    /// Returns the judges that came to a verdict, in the order they were first seen.
    pub(super) fn names(&self) -> Option<Value> {
        let names: Vec<Value> = self.by_judge.keys().map(|name| name.as_str().into()).collect();
        (!names.is_empty()).then_some(names.into())
    }

    /// Returns the share of cases that one judge passed, of those it came to a verdict on.
    pub(super) fn passed_by(&self, judge: &str) -> Option<f64> {
        self.by_judge.get(judge)?.passed.value()
    }

    /// Returns one judge's mean score.
    pub(super) fn score_by(&self, judge: &str) -> Option<f64> {
        self.by_judge.get(judge)?.score.value()
    }
}
