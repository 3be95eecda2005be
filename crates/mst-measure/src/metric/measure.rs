//! What is measured in each trial.

use std::collections::HashSet;

use mst_model::{Event, EventKind, EventSource, Evidence, TrialRecord, Usage};
use serde_json::Value;

use super::skills;
use crate::row::{AnswerSize, usage_of};
use crate::verdict::client_errored;

/// A measurement of one trial. A case's value is the mean over its trials, a variant's the mean over its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Tool calls, of servers and built-in ones.
    ToolCount,
    /// Calls to tools of MCP servers.
    McpCallCount,
    /// The client's own events.
    BuiltinEventCount,
    /// Whether no tool was called.
    IsNoAction,
    /// Whether, in a trial that searched for tools, a server's tool that an earlier search returned was called.
    ToolSearchHit,
    /// Input tokens, cache reads and writes included.
    InputTokens,
    /// Input tokens that were neither read from nor written to a cache.
    InputTokensUncached,
    /// Output tokens.
    OutputTokens,
    /// Input tokens read from a cache.
    CacheReadTokens,
    /// Input tokens written to a cache.
    CacheCreationTokens,
    /// Cost in USD, reported or estimated.
    CostUsd,
    /// The client's time in seconds.
    DurationS,
    /// The time in model calls, in seconds.
    DurationApiS,
    /// Whether the client had no error.
    ResponseSuccess,
    /// The answer's length in characters.
    ResponseLen,
    /// The answer's length in words.
    ResponseWords,
    /// Whether, in a trial with skills to load, the model loaded one.
    SkillLoaded,
    /// Whether, in a trial with skills to load, the model loaded one before any tool call.
    SkillBeforeTool,
    /// Whether, in a trial with skills, one of them or of their files was not what its server had declared.
    SkillVerificationFailed,
    /// Writes that nothing reported.
    UnreportedWrites,
    /// Writes that were not recorded.
    UnrecordedWrites,
    /// Calls that may have been writes.
    UnclassifiedCalls,
    /// What the trial's judges cost together in USD.
    JudgeCostUsd,
    /// Input tokens of the trial's judges together, cache reads and writes included.
    JudgeInputTokens,
    /// Output tokens of the trial's judges together.
    JudgeOutputTokens,
}

impl Measure {
    /// How many there are.
    pub(crate) const COUNT: usize = 25;

    /// Every measure, in order.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::ToolCount,
        Self::McpCallCount,
        Self::BuiltinEventCount,
        Self::IsNoAction,
        Self::ToolSearchHit,
        Self::InputTokens,
        Self::InputTokensUncached,
        Self::OutputTokens,
        Self::CacheReadTokens,
        Self::CacheCreationTokens,
        Self::CostUsd,
        Self::DurationS,
        Self::DurationApiS,
        Self::ResponseSuccess,
        Self::ResponseLen,
        Self::ResponseWords,
        Self::SkillLoaded,
        Self::SkillBeforeTool,
        Self::SkillVerificationFailed,
        Self::UnreportedWrites,
        Self::UnrecordedWrites,
        Self::UnclassifiedCalls,
        Self::JudgeCostUsd,
        Self::JudgeInputTokens,
        Self::JudgeOutputTokens,
    ];

    /// Returns the metric's name in configs.
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolCount => "tool_count",
            Self::McpCallCount => "mcp_call_count",
            Self::BuiltinEventCount => "builtin_event_count",
            Self::IsNoAction => "is_no_action",
            Self::ToolSearchHit => "tool_search_hit",
            Self::InputTokens => "input_tokens",
            Self::InputTokensUncached => "input_tokens_uncached",
            Self::OutputTokens => "output_tokens",
            Self::CacheReadTokens => "cache_read_tokens",
            Self::CacheCreationTokens => "cache_creation_tokens",
            Self::CostUsd => "cost_usd",
            Self::DurationS => "duration_s",
            Self::DurationApiS => "duration_api_s",
            Self::ResponseSuccess => "response_success",
            Self::ResponseLen => "response_len",
            Self::ResponseWords => "response_words",
            Self::SkillLoaded => "skill_loaded",
            Self::SkillBeforeTool => "skill_before_tool",
            Self::SkillVerificationFailed => "skill_verification_failed",
            Self::UnreportedWrites => "unreported_writes",
            Self::UnrecordedWrites => "unrecorded_writes",
            Self::UnclassifiedCalls => "unclassified_calls",
            Self::JudgeCostUsd => "judge_cost_usd",
            Self::JudgeInputTokens => "judge_input_tokens",
            Self::JudgeOutputTokens => "judge_output_tokens",
        }
    }

    /// Returns whether the value is a share of trials, reported as `<name>_rate`; else it is `<name>_mean`.
    pub(crate) fn is_share(self) -> bool {
        matches!(
            self,
            Self::IsNoAction
                | Self::ToolSearchHit
                | Self::ResponseSuccess
                | Self::SkillLoaded
                | Self::SkillBeforeTool
                | Self::SkillVerificationFailed
        )
    }

    /// Measures what a trial's judges used, one usage a judge; `None` of every other measure, and where one of them is not
    /// known: a part reads as the whole.
    pub(crate) fn of_judges<'a>(self, usages: impl Iterator<Item = &'a Usage>) -> Option<f64> {
        let read: fn(&Usage) -> Option<f64> = match self {
            Self::JudgeCostUsd => Usage::summed_cost_usd,
            Self::JudgeInputTokens => |usage| usage.total_input_tokens().map(|tokens| tokens as f64),
            Self::JudgeOutputTokens => |usage| usage.output_tokens.map(|tokens| tokens as f64),
            _ => return None,
        };
        let mut parts = usages.map(read).peekable();
        parts.peek()?;
        parts.sum()
    }

    /// Measures a trial; `None` when it cannot be measured there.
    pub(crate) fn of(self, trial: &TrialRecord) -> Option<f64> {
        let events = || events_of(trial);
        let count = |keep: fn(&Event) -> bool| events().map(|es| es.iter().filter(|e| keep(e)).count() as f64);
        let usage = |read: fn(&Usage) -> Option<u64>| usage_of(trial).and_then(read).map(|tokens| tokens as f64);
        match self {
            Self::ToolCount => count(Event::is_tool_call),
            Self::McpCallCount => count(Event::is_mcp_call),
            Self::BuiltinEventCount => count(|event| event.source == EventSource::Builtin),
            Self::IsNoAction => events().map(|events| share(!events.iter().any(Event::is_tool_call))),
            Self::ToolSearchHit => events().and_then(tool_search_hit),
            Self::InputTokens => usage(Usage::total_input_tokens),
            Self::InputTokensUncached => usage(|usage| usage.input_tokens),
            Self::OutputTokens => usage(|usage| usage.output_tokens),
            Self::CacheReadTokens => usage(|usage| usage.cache_read_input_tokens),
            Self::CacheCreationTokens => usage(|usage| usage.cache_creation_input_tokens),
            Self::CostUsd => usage_of(trial).and_then(Usage::cost_usd),
            Self::DurationS => Some(trial.duration_ms / 1000.0),
            Self::DurationApiS => usage_of(trial).and_then(|usage| usage.duration_api_ms).map(|ms| ms / 1000.0),
            Self::ResponseSuccess => Some(share(!client_errored(trial))),
            Self::ResponseLen => AnswerSize::of(trial).map(|size| f64::from(size.characters)),
            Self::ResponseWords => AnswerSize::of(trial).map(|size| f64::from(size.words)),
            Self::SkillLoaded => skills::loaded(trial).map(share),
            Self::SkillBeforeTool => skills::before_tool(trial).map(share),
            Self::SkillVerificationFailed => skills::verification_failed(trial).map(share),
            Self::UnreportedWrites => written(trial, "unreported"),
            Self::UnrecordedWrites => written(trial, "unrecorded"),
            Self::UnclassifiedCalls => written(trial, "unclassified"),
            // These stand in scores: see `of_judges`.
            Self::JudgeCostUsd | Self::JudgeInputTokens | Self::JudgeOutputTokens => None,
        }
    }
}

/// Returns the events of a trial whose client reports tool calls.
fn events_of(trial: &TrialRecord) -> Option<&[Event]> {
    let transcript = trial.transcript.as_ref()?;
    (transcript.evidence != Some(Evidence::None)).then_some(transcript.events.as_slice())
}

fn share(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// Returns whether a server's tool was called that an earlier search returned; `None` when nothing was searched.
fn tool_search_hit(events: &[Event]) -> Option<f64> {
    let mut searched = false;
    let mut named: HashSet<&str> = HashSet::new();
    let mut qualified = HashSet::new();
    let mut serverless: HashSet<&str> = HashSet::new();
    for event in events {
        if event.kind == EventKind::ToolSearch {
            searched = true;
            for hit in event.results.iter().flatten() {
                named.insert(&hit.name);
                match &hit.server {
                    Some(server) => {
                        qualified.insert((server, hit.name.as_str()));
                    }
                    None => {
                        serverless.insert(&hit.name);
                    }
                }
            }
        } else if event.is_mcp_call() {
            let name = event.name.as_str();
            let hit = match &event.server {
                Some(server) => qualified.contains(&(server, name)) || serverless.contains(name),
                None => named.contains(name),
            };
            if hit {
                return Some(1.0);
            }
        }
    }
    searched.then_some(0.0)
}

/// Returns how many entries a list of the trial's write record has.
fn written(trial: &TrialRecord, list: &str) -> Option<f64> {
    trial.write_record.as_ref()?.get(list).and_then(Value::as_array).map(|entries| entries.len() as f64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::row::tests::trial;

    fn with(events: Value, evidence: Option<Evidence>) -> TrialRecord {
        let mut trial = trial();
        let transcript = trial.transcript.as_mut().unwrap();
        transcript.events = serde_json::from_value(events).unwrap();
        transcript.evidence = evidence;
        trial
    }

    #[test]
    fn every_measure_has_its_place() {
        for (index, measure) in Measure::ALL.into_iter().enumerate() {
            assert_eq!(measure as usize, index, "{}", measure.name());
        }
    }

    #[test]
    fn fc19_events_are_counted_by_kind_and_source() {
        let trial = with(
            json!([
                { "kind": "tool_call", "source": "mcp", "name": "lookup", "server": "parts" },
                { "kind": "tool_call", "source": "builtin", "name": "search_parts" },
                { "kind": "skill", "source": "builtin", "name": "triage" },
                { "kind": "skill", "source": "mcp", "name": "served" },
            ]),
            Some(Evidence::Structured),
        );
        let got: Vec<_> = Measure::ALL[..5].iter().map(|measure| measure.of(&trial)).collect();
        assert_eq!(got, [Some(2.0), Some(1.0), Some(2.0), Some(0.0), None]);
    }

    #[test]
    fn a_client_without_evidence_has_no_tool_metrics() {
        for (evidence, want) in [(Some(Evidence::None), None), (Some(Evidence::Observed), Some(0.0)), (None, Some(0.0))]
        {
            assert_eq!(Measure::ToolCount.of(&with(json!([]), evidence)), want, "{evidence:?}");
        }
    }

    #[test]
    fn a_search_hits_when_what_it_returned_is_called_later() {
        let search = json!({ "kind": "tool_search", "source": "builtin", "name": "find",
            "results": [{ "name": "lookup", "server": "parts" }, { "name": "any" }] });
        let call = |name: &str, server: &str| json!({ "source": "mcp", "name": name, "server": server });
        for (events, want) in [
            (json!([search, call("lookup", "parts")]), Some(1.0)),
            (json!([search, call("lookup", "other")]), Some(0.0)),
            (json!([search, call("any", "other")]), Some(1.0)),
            (json!([call("lookup", "parts"), search]), Some(0.0)),
            (json!([call("lookup", "parts")]), None),
        ] {
            assert_eq!(Measure::ToolSearchHit.of(&with(events.clone(), None)), want, "{events}");
        }
    }

    #[test]
    fn fc37_input_tokens_include_the_cache() {
        let mut trial = trial();
        trial.client_usage = Some(Usage {
            input_tokens: Some(4),
            cache_read_input_tokens: Some(1568),
            cache_creation_input_tokens: Some(200),
            output_tokens: Some(50),
            ..Usage::default()
        });
        assert_eq!(Measure::InputTokens.of(&trial), Some(1772.0));
        assert_eq!(Measure::InputTokensUncached.of(&trial), Some(4.0));
        trial.client_usage = None;
        for measure in [Measure::InputTokens, Measure::OutputTokens, Measure::CostUsd] {
            assert_eq!(measure.of(&trial), None, "unavailable, not 0: {}", measure.name());
        }
    }

    #[test]
    fn fc20_a_refusal_is_no_success_and_an_empty_answer_is_one() {
        let mut refused = trial();
        refused.transcript.as_mut().unwrap().error = Some("the model refused".to_owned());
        assert_eq!(Measure::ResponseSuccess.of(&refused), Some(0.0));
        let mut silent = trial();
        silent.transcript.as_mut().unwrap().final_text = Some(String::new());
        assert_eq!(Measure::ResponseSuccess.of(&silent), Some(1.0));
        assert_eq!(Measure::ResponseWords.of(&silent), Some(0.0));
        silent.transcript.as_mut().unwrap().final_text = Some("検索 two\u{a0}three".to_owned());
        assert_eq!((Measure::ResponseLen.of(&silent), Measure::ResponseWords.of(&silent)), (Some(12.0), Some(3.0)));
    }
}
