//! The measurements of one trial, without its transcript.

use indexmap::IndexMap;
use mst_model::{Evidence, GraderName, GraderScore, TrialRecord, Usage};

use crate::judge_scores::{JudgeReading, judge_readings};
use crate::metric::Measure;
use crate::results::{judge_usages, sum};
use crate::verdict::{TrialVerdict, lacks_verdict, trial_verdict};

/// What a summary needs to know of one trial: a few hundred bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialRow {
    /// What the trial counts as.
    pub verdict: TrialVerdict,
    /// Whether a grader gave no verdict on a trial that could be graded.
    pub lacks_verdict: bool,
    /// How long the client took, in milliseconds.
    pub duration_ms: f64,
    /// How far its events can be trusted; absent when undeclared.
    pub evidence: Option<Evidence>,
    /// How many tool calls it made.
    pub tool_calls: usize,
    /// The client's usage.
    pub usage: Option<Usage>,
    /// What its judges used together.
    pub judge_usage: Option<Usage>,
    /// What its judges said, those with a verdict; nothing of a trial that was not graded.
    pub judges: Vec<JudgeReading>,
    /// The first tool call, as `server.tool` for a server's tool.
    pub first_tool: Option<String>,
    /// Whether the trial was graded as a write case.
    pub graded_writes: bool,
    /// What a write case's verdict rests on.
    pub write_evidence: Option<WriteEvidence>,
    /// Everything measured per trial.
    pub measures: Measures,
}

/// What a write case's verdict rests on. Ordered: the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteEvidence {
    /// The client said so.
    Claimed,
    /// The transcript shows the call.
    Called,
    /// A proxy or server saw the request.
    Requested,
    /// The service applied it.
    Applied,
}

impl WriteEvidence {
    /// Returns the level as scores write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Called => "called",
            Self::Requested => "requested",
            Self::Applied => "applied",
        }
    }

    fn read(text: &str) -> Option<Self> {
        [Self::Claimed, Self::Called, Self::Requested, Self::Applied].into_iter().find(|level| level.as_str() == text)
    }
}

/// One trial's values; what has none was not measured, which is not 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures([Option<f64>; Measure::COUNT]);

impl Measures {
    /// Returns a value.
    pub fn get(&self, measure: Measure) -> Option<f64> {
        self.0[measure as usize]
    }

    /// Sets a value; one that is not finite counts as none.
    pub(crate) fn set(&mut self, measure: Measure, value: Option<f64>) {
        self.0[measure as usize] = value.filter(|value| value.is_finite());
    }
}

/// How long a trial's answer was: what a redacted run measures and does not store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerSize {
    /// Characters.
    pub characters: u32,
    /// Words, between white space.
    pub words: u32,
}

impl AnswerSize {
    /// Measures a trial's answer; `None` when it has none.
    pub fn of(trial: &TrialRecord) -> Option<Self> {
        let answer = trial.transcript.as_ref()?.final_text.as_deref()?;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Some(Self { characters: count(answer.chars().count()), words: count(answer.split_whitespace().count()) })
    }
}

impl TrialRow {
    /// Sets the size of an answer that the stored trial no longer has.
    #[must_use]
    pub fn with_answer(mut self, size: Option<AnswerSize>) -> Self {
        if let Some(size) = size {
            self.measures.set(Measure::ResponseLen, Some(f64::from(size.characters)));
            self.measures.set(Measure::ResponseWords, Some(f64::from(size.words)));
        }
        self
    }
}

/// Measures a trial with its grading error noted; of a stored trial whose answer was redacted, all but the answer's
/// size. `graded` is false for a run that was collected and not graded.
pub fn row(trial: &TrialRecord, scores: &IndexMap<GraderName, GraderScore>, graded: bool) -> TrialRow {
    let transcript = trial.transcript.as_ref();
    let writes = scores.get("writes");
    let judge_usage = sum(judge_usages(scores));
    let verdict = trial_verdict(trial, scores, graded);
    let mut measures = Measures::default();
    for measure in Measure::ALL {
        let of_judges = || measure.of_judges(judge_usages(scores));
        measures.set(measure, measure.of(trial).or_else(of_judges));
    }
    TrialRow {
        verdict,
        judges: if verdict.is_counted() { judge_readings(scores) } else { Vec::new() },
        lacks_verdict: lacks_verdict(trial, scores),
        duration_ms: trial.duration_ms,
        evidence: transcript.and_then(|transcript| transcript.evidence),
        tool_calls: transcript.map_or(0, |t| t.events.iter().filter(|event| event.is_tool_call()).count()),
        usage: usage_of(trial).cloned(),
        judge_usage,
        first_tool: transcript
            .and_then(|t| t.events.iter().find(|event| event.is_tool_call()))
            .map(|event| if event.is_mcp_call() { event.qualified_name() } else { event.name.clone() }),
        graded_writes: writes.is_some(),
        write_evidence: writes.and_then(|score| score.write_evidence.as_deref()).and_then(WriteEvidence::read),
        measures,
    }
}

/// Returns the client's usage in a trial.
pub(crate) fn usage_of(trial: &TrialRecord) -> Option<&Usage> {
    trial.client_usage.as_ref().or_else(|| trial.transcript.as_ref()?.usage.as_ref())
}

#[cfg(test)]
pub(crate) mod tests {
    use mst_model::{Ending, RunId, Transcript};
    use serde_json::json;

    use super::*;

    /// A trial of one second that said nothing and called nothing.
    pub(crate) fn trial() -> TrialRecord {
        let run_id: RunId = serde_json::from_value(json!("20261003T180211Z-a3f9c1")).unwrap();
        TrialRecord {
            format: "mst.run/v1".to_owned(),
            kind: "trial".to_owned(),
            run_id,
            variant: "default".into(),
            case_id: "case".into(),
            dataset_name: "parts".to_owned(),
            trial: 0,
            duration_ms: 1000.0,
            infrastructure_error: false,
            ending: Ending::Trial,
            error: None,
            grading_error: None,
            transcript: Some(Transcript { evidence: Some(Evidence::Structured), ..Transcript::default() }),
            artifacts: None,
            write_record: None,
            client_usage: None,
            client_telemetry: None,
            client_metadata: None,
            skill_loads: None,
            client_diagnostics: None,
        }
    }

    #[test]
    fn a_row_is_small() {
        assert!(size_of::<TrialRow>() < 800, "{}", size_of::<TrialRow>());
    }
}
