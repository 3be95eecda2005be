//! A trial of `results.json`, whether it stands in its case or in a list.

use indexmap::IndexMap;
use mst_model::{
    CaseResult, ClientDiagnostics, Ending, Event, GraderName, GraderScore, SkillLoad, ToolCallTrace, Transcript, Usage,
};

/// One trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial<'a> {
    pub(super) number: u32,
    pub(super) pass: Option<bool>,
    pub(super) scores: &'a IndexMap<GraderName, GraderScore>,
    pub(super) duration_ms: f64,
    pub(super) error: Option<&'a str>,
    pub(super) grading_error: Option<&'a str>,
    pub(super) ending: Option<&'a Ending>,
    pub(super) calls: Option<&'a ToolCallTrace>,
    pub(super) diagnostics: Option<&'a ClientDiagnostics>,
    pub(super) transcript: Option<&'a Transcript>,
    pub(super) answer: Option<&'a str>,
    pub(super) usage: Option<&'a Usage>,
    pub(super) skill_loads: &'a [SkillLoad],
}

/// What a trial came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Passed,
    Failed,
    /// It counts for nothing.
    Infrastructure,
    /// Neither passed nor failed.
    Ungraded,
}

impl State {
    /// Returns the letter that the page's data has for it.
    pub(super) fn letter(self) -> &'static str {
        match self {
            Self::Passed => "p",
            Self::Failed => "f",
            Self::Infrastructure => "i",
            Self::Ungraded => "u",
        }
    }
}

impl<'a> Trial<'a> {
    /// Returns a case's trials.
    pub(super) fn all(case: &'a CaseResult) -> Vec<Self> {
        let Some(trials) = &case.trial_results else { return vec![Self::only(case)] };
        trials
            .iter()
            .map(|trial| Self {
                number: trial.trial,
                pass: trial.pass,
                scores: &trial.scores,
                duration_ms: trial.duration_ms,
                error: trial.error.as_deref(),
                grading_error: trial.grading_error.as_deref(),
                ending: Some(&trial.ending),
                calls: trial.tool_call_trace.as_ref(),
                diagnostics: trial.client_diagnostics.as_ref(),
                transcript: trial.transcript.as_ref(),
                answer: trial.transcript.as_ref().and_then(|transcript| transcript.final_text.as_deref()),
                usage: trial.client_usage.as_ref(),
                skill_loads: trial.skill_loads.as_deref().unwrap_or_default(),
            })
            .collect()
    }

    fn only(case: &'a CaseResult) -> Self {
        Self {
            number: 0,
            pass: case.pass.filter(|_| case.incomplete != Some(true)),
            scores: &case.scores,
            duration_ms: case.duration_ms,
            error: case.error.as_deref(),
            grading_error: case.grading_error.as_deref(),
            ending: case.ending.as_ref(),
            calls: case.tool_call_trace.as_ref(),
            diagnostics: case.client_diagnostics.as_ref(),
            transcript: case.transcript.as_ref(),
            answer: case.response.as_deref(),
            usage: case.client_usage.as_ref(),
            skill_loads: case.skill_loads.as_deref().unwrap_or_default(),
        }
    }

    /// Returns what it came to.
    pub(super) fn state(&self) -> State {
        match self.pass {
            _ if self.ending.is_some_and(Ending::is_infrastructure) => State::Infrastructure,
            Some(true) => State::Passed,
            Some(false) => State::Failed,
            None => State::Ungraded,
        }
    }

    /// Returns what the client said went wrong; not what a grader did.
    pub(super) fn client_error(&self) -> Option<&'a str> {
        let own = self.transcript.and_then(|transcript| transcript.error.as_deref());
        own.or(self.error.filter(|_| self.grading_error.is_none()))
    }

    /// Returns what the client did.
    pub(super) fn events(&self) -> &'a [Event] {
        self.transcript.map(|transcript| transcript.events.as_slice()).unwrap_or_default()
    }

    /// Returns the expected tools that were not called at all; one that was called with other arguments was.
    pub(super) fn missed_tools(&self) -> Vec<&'a str> {
        let Some(trace) = self.calls else { return Vec::new() };
        let called = |name: &str| trace.calls.iter().any(|call| call.name == name);
        let mut missed: Vec<&str> =
            trace.missed.iter().map(|missed| missed.name.as_str()).filter(|name| !called(name)).collect();
        missed.dedup();
        missed
    }
}
