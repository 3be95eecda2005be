//! `toolCallCount`: how many tool calls a trial made.

use mst_model::{EventKind, Evidence, GraderScore, ToolCallCount};

use super::evidence_gap;
use crate::excerpt;
use crate::observed::Observed;

/// Grades the number of tool calls, of servers and built-in ones together.
pub(crate) fn grade(expected: &ToolCallCount, evidence: Option<Evidence>, events: &[Observed]) -> GraderScore {
    if let Some(gap) = evidence_gap(evidence) {
        return GraderScore::failed(gap);
    }
    let calls: Vec<String> = events
        .iter()
        .filter(|event| event.kind == EventKind::ToolCall)
        .map(|event| event.client_name().to_owned())
        .collect();
    let count = calls.len() as u64;
    let wanted = [
        expected.exact.filter(|exact| count != *exact).map(|exact| format!("exactly {exact}")),
        expected.min.filter(|min| count < *min).map(|min| format!("at least {min}")),
        expected.max.filter(|max| count > *max).map(|max| format!("at most {max}")),
    ];
    let broken: Vec<String> = wanted.into_iter().flatten().collect();
    if broken.is_empty() {
        return GraderScore::passed();
    }
    let names = if calls.is_empty() { String::new() } else { format!(": {}", excerpt::names(&calls)) };
    GraderScore::failed(format!("expected tool calls: {}; observed {count}{names}", broken.join(" and ")))
}

#[cfg(test)]
mod tests {
    use mst_model::{Event, EventSource};
    use serde_json::json;

    use super::*;
    use crate::tool_map::ToolMap;

    fn calls(names: &[&str]) -> Vec<Observed> {
        names
            .iter()
            .map(|name| {
                let event: Event = serde_json::from_value(json!({ "source": "mcp", "name": name })).unwrap();
                Observed::new(&event, &ToolMap::default())
            })
            .collect()
    }

    #[test]
    fn counts_are_compared() {
        let limits = |exact, min, max| ToolCallCount { min, max, exact };
        for (expected, count, want) in [
            (limits(Some(0), None, None), 0, None),
            (limits(Some(0), None, None), 2, Some("expected tool calls: exactly 0; observed 2: a, b")),
            (limits(None, Some(1), Some(2)), 0, Some("expected tool calls: at least 1; observed 0")),
            (limits(None, Some(1), Some(2)), 2, None),
            (limits(None, Some(1), Some(2)), 3, Some("expected tool calls: at most 2; observed 3: a, b, c")),
            (limits(None, None, None), 3, None),
        ] {
            let score = grade(&expected, Some(Evidence::Structured), &calls(&["a", "b", "c"][..count]));
            assert_eq!(score.details.as_deref(), want, "{expected:?}");
            assert_eq!(score.pass, want.is_none());
        }
    }

    #[test]
    fn only_tool_calls_count() {
        let mut events = calls(&["a", "b"]);
        events[0].kind = EventKind::Skill;
        events[1].source = EventSource::Builtin;
        let one = ToolCallCount { exact: Some(1), ..ToolCallCount::default() };
        assert!(grade(&one, Some(Evidence::Structured), &events).pass);
    }

    #[test]
    fn a_count_needs_structured_evidence() {
        let none = ToolCallCount { exact: Some(0), ..ToolCallCount::default() };
        for (evidence, word) in
            [(Some(Evidence::Observed), "observed"), (Some(Evidence::None), "none"), (None, "no evidence")]
        {
            let score = grade(&none, evidence, &[]);
            assert!(!score.pass && score.details.unwrap().contains(word));
        }
    }
}
