//! The built-in metrics as plain data.

use mst_model::{CatalogEntry, ExtensionKind};
use serde_json::{Value, json};

/// Every built-in metric with what it reports.
const METRICS: [(&str, &str); 27] = [
    ("passed", "share of complete cases that passed"),
    ("trial_pass", "share of trials that passed, averaged over complete cases"),
    ("tool_count", "tool calls per trial, of servers and built-in ones"),
    ("mcp_call_count", "calls to tools of MCP servers per trial"),
    ("builtin_event_count", "the client's own events per trial: built-in tools, skills, commands, subagents, searches"),
    ("first_tool", "first tool call of each case's first trial"),
    ("is_no_action", "share of trials without a tool call"),
    ("tool_search_hit", "share of searching trials that called a tool an earlier search returned"),
    ("input_tokens", "input tokens per trial, cache reads and writes included"),
    ("input_tokens_uncached", "input tokens per trial outside any cache"),
    ("output_tokens", "output tokens per trial, reasoning included"),
    ("cache_read_tokens", "input tokens read from a cache per trial"),
    ("cache_creation_tokens", "input tokens written to a cache per trial"),
    ("cost_usd", "cost per trial in USD, reported or estimated from the config's prices"),
    ("duration_s", "the client's time per trial in seconds"),
    ("duration_api_s", "time in model calls per trial in seconds"),
    ("response_success", "share of trials without a client error"),
    ("response_len", "characters in the answer"),
    ("response_words", "words in the answer"),
    ("skill_loaded", "share of trials with skills on in which the model loaded one"),
    ("skill_before_tool", "share of trials with skills on in which the model loaded one before any tool call"),
    ("skill_verification_failed", "share of trials with skills on in which one was not what its server declared"),
    ("write_case_passed", "share of complete write cases that passed"),
    ("write_evidence", "weakest evidence that a write case's verdict rests on"),
    ("unreported_writes", "writes per trial that nothing reported"),
    ("unrecorded_writes", "writes per trial that were not recorded"),
    ("unclassified_calls", "calls per trial that may have been writes"),
];

/// The metrics of judges.
const JUDGE_METRICS: [(&str, &str); 8] = [
    ("judge_pass", "share of cases that every judge passed"),
    ("judge_score", "mean score of each judge"),
    ("judge_name", "judges that scored"),
    ("judge_pass_for", "share of cases that one judge passed"),
    ("judge_score_for", "mean score of one judge"),
    ("judge_cost_usd", "cost of judges per trial in USD"),
    ("judge_input_tokens", "input tokens of judges per trial"),
    ("judge_output_tokens", "output tokens of judges per trial"),
];

/// Returns the built-in metrics for the catalog. Those of one judge take its name; none takes anything else.
pub fn metric_entries() -> Vec<CatalogEntry> {
    let entry = |(name, description): (&str, &str)| CatalogEntry {
        kind: ExtensionKind::Metric,
        name: name.to_owned(),
        description: description.to_owned(),
        options: options(name),
        tool_metadata: false,
        max_concurrency: None,
        requirements: mst_model::Requirements::default(),
        requires: Vec::new(),
        version: None,
        swap_positions: None,
        unavailable: None,
    };
    METRICS.into_iter().chain(JUDGE_METRICS).map(entry).collect()
}

fn options(metric: &str) -> Value {
    if ["judge_pass_for", "judge_score_for"].contains(&metric) {
        let judge = json!({ "type": "string", "minLength": 1, "description": "the judge's name in results" });
        let properties = json!({ "judge": judge });
        return json!({ "type": "object", "properties": properties, "required": ["judge"], "additionalProperties": false });
    }
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Measure;

    #[test]
    fn every_measure_is_a_metric_of_the_catalog() {
        let entries = metric_entries();
        for measure in Measure::ALL {
            assert!(entries.iter().any(|entry| entry.name == measure.name()), "{}", measure.name());
        }
        let of_one_judge = entries.iter().filter(|entry| entry.options["required"] == json!(["judge"]));
        assert!(of_one_judge.clone().all(|entry| entry.name.ends_with("_for")));
        assert_eq!(of_one_judge.count(), 2);
    }
}
