//! A case in a variant, with its trials, as a script of the report holds it.

use mst_model::{CaseRequest, CaseResult, Ending, Preference, path_segment};
use serde::Serialize;

use super::clip::Clip;
use super::reason::Reason;
use super::scores::{PreferenceView, ScoreView, Words};
use super::trial::Trial;
use super::turns::{Turn, tokens, turns};
use crate::text::Shown;

/// A case in a variant.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CaseView {
    /// The case's number in the index.
    case: u32,
    /// The variant's number in the index.
    variant: u32,
    /// Its folder, below the run directory.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Clip>,
    /// What is expected, each with what it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expects: Vec<(&'static str, Clip)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// The likely range of its pass rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    trials: Vec<TrialView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    preferences: Vec<PreferenceView>,
}

/// A trial.
#[derive(Clone, Debug, Serialize)]
struct TrialView {
    trial: u32,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Clip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grading: Option<Clip>,
    /// What broke around the client, why, and whether a retry can help.
    #[serde(skip_serializing_if = "Option::is_none")]
    broke: Option<(String, Clip, bool)>,
    turns: Vec<Turn>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Clip>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missed: Vec<String>,
    scores: Vec<ScoreView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skills: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Clip>,
}

impl CaseView {
    /// Makes a view of a case whose trials' reasons are known.
    pub(super) fn of(
        numbers: [u32; 2],
        result: &CaseResult,
        trials: &[(Trial<'_>, Option<Reason>)],
        preferences: &[Preference],
        words: Words,
    ) -> Self {
        let request = &result.request;
        let [case, variant] = numbers;
        Self {
            case,
            variant,
            path: format!("transcripts/{}/{}", result.variant.segment(), path_segment(result.id.as_str())),
            description: request.description.as_deref().map(Clip::of),
            input: request.input.as_deref().map(Clip::of),
            expects: expects(request),
            model: request.model.as_deref().map(line),
            range: result.pass_rate_ci.map(|range| [range.lower, range.upper]),
            threshold: request.pass_threshold.filter(|_| trials.len() > 1),
            trials: trials.iter().map(|(trial, why)| TrialView::of(trial, *why, words)).collect(),
            preferences: preferences.iter().map(|one| words.preference(one)).collect(),
        }
    }
}

impl TrialView {
    fn of(trial: &Trial<'_>, why: Option<Reason>, words: Words) -> Self {
        let broke = match trial.ending {
            Some(Ending::Infrastructure { broke, retryable, reason }) => {
                let what = serde_json::to_value(broke).ok().and_then(|what| what.as_str().map(str::to_owned));
                Some((what.unwrap_or_default(), Clip::of(reason), *retryable))
            }
            _ => None,
        };
        let warnings = trial.diagnostics.into_iter().flat_map(|seen| {
            let of_servers = seen.servers.iter().flat_map(|server| &server.warnings);
            seen.notes.iter().chain(of_servers)
        });
        Self {
            trial: trial.number,
            state: trial.state().letter(),
            why: why.map(Reason::name),
            ms: trial.duration_ms,
            tokens: trial.usage.and_then(tokens),
            cost: trial.usage.and_then(mst_model::Usage::cost_usd),
            error: trial.client_error().filter(|_| broke.is_none()).map(Clip::of),
            grading: trial.grading_error.map(Clip::of),
            broke,
            turns: turns(trial),
            answer: trial.answer.map(Clip::of),
            missed: trial.missed_tools().into_iter().map(line).collect(),
            scores: words.scores(trial.scores),
            skills: trial.skill_loads.iter().map(|load| line(load.name.as_ref().unwrap_or(&load.uri))).collect(),
            notes: warnings.map(|text| Clip::of(text)).collect(),
        }
    }
}

fn expects(request: &CaseRequest) -> Vec<(&'static str, Clip)> {
    let mut list = Vec::new();
    if let Some(assertions) = &request.assertions {
        if let Some(texts) = &assertions.contains_text {
            list.extend(texts.as_slice().iter().map(|text| ("the answer contains", Clip::of(text))));
        }
        if let Some(patterns) = &assertions.matches_pattern {
            list.extend(patterns.as_slice().iter().map(|pattern| ("the answer matches", Clip::of(pattern))));
        }
        if let Some(calls) = &assertions.tools_triggered {
            list.push(("the calls", Clip::of_json(calls)));
        }
        if let Some(count) = &assertions.tool_call_count {
            list.push(("how many calls", Clip::of_json(count)));
        }
    }
    if let Some(reference) = &request.reference {
        list.push(("the reference answer", reference.as_str().map_or_else(|| Clip::of_json(reference), Clip::of)));
    }
    if let Some(rest) = &request.expected {
        list.push(("more that is expected", Clip::of_json(rest)));
    }
    list
}

fn line(text: &str) -> String {
    Shown::line(text).to_string()
}
