//! `toolsTriggered`: the calls that a trial must show, each with an event of its own.

mod ambiguity;
mod argument;
mod assignment;
mod explain;

use mst_model::{
    CallOrder, EventKind, Evidence, ExpectedCall, GraderScore, MissedCall, ToolCallTrace, ToolsTriggered, TracedCall,
    TracedStatus,
};

use super::evidence_gap;
use crate::no_verdict::NoVerdict;
use crate::observed::{KnownTools, Observed};
use crate::tool_map::ToolMap;
use argument::Want;

/// What the grader says, and how well the calls were chosen.
#[derive(Clone, Debug)]
pub(crate) struct ToolsReport {
    /// The score.
    pub(crate) score: GraderScore,
    /// Precision, recall and trace; absent where the events prove nothing.
    pub(crate) choice: Option<ToolChoice>,
}

/// How well a trial's calls were chosen, beside the score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolChoice {
    /// Events that are of an expected call, over all events; 1 without events.
    pub(crate) precision: f64,
    /// Required calls that were made, over required calls; 1 when none is required.
    pub(crate) recall: f64,
    /// The observed tool calls under the client's names, and what was missed.
    pub(crate) trace: ToolCallTrace,
}

/// An expected call with its arguments compiled.
#[derive(Debug)]
struct Call<'a> {
    expected: &'a ExpectedCall,
    arguments: Option<Want>,
}

impl<'a> Call<'a> {
    fn compile(expected: &'a ExpectedCall) -> Result<Self, NoVerdict> {
        let arguments = expected.arguments.as_ref().map(Want::arguments).transpose()?;
        Ok(Self { expected, arguments })
    }

    /// Returns whether an event of this call satisfies its arguments. Argument text that was no object never does.
    fn accepts_arguments(&self, event: &Observed) -> Result<bool, NoVerdict> {
        match &self.arguments {
            None => Ok(true),
            Some(_) if event.raw_arguments.is_some() => Ok(false),
            Some(want) => Ok(want.differences(&event.arguments)?.is_empty()),
        }
    }
}

/// Returns whether grading runs patterns, which may never end.
pub(crate) fn has_patterns(expected: &ToolsTriggered) -> bool {
    let values = expected.calls.iter().filter_map(|call| call.arguments.as_ref()).flat_map(serde_json::Map::values);
    values.into_iter().any(argument::has_pattern)
}

/// Returns why an expected call's name could mean two listed tools, or none; `None` when it means one.
pub(crate) fn explain_doubt(expected: &mst_model::ExpectedCall, tools: &Tools) -> Option<String> {
    ambiguity::explain(expected, tools, &[]).or_else(|| ambiguity::explain_absent(expected, tools))
}

/// Grades recorded events. May take for ever when arguments have patterns: run it on [`crate::PatternThreads`].
pub(crate) fn grade(
    expected: &ToolsTriggered,
    evidence: Option<Evidence>,
    events: &[Observed],
    tools: &Tools,
) -> Result<ToolsReport, NoVerdict> {
    if let Some(gap) = evidence_gap(evidence) {
        return Ok(ToolsReport { score: GraderScore::failed(gap), choice: None });
    }
    let calls: Vec<Call<'_>> = expected.calls.iter().map(Call::compile).collect::<Result<_, _>>()?;
    let of: Vec<Vec<bool>> =
        calls.iter().map(|call| events.iter().map(|event| event.is_of(call.expected)).collect()).collect();
    let mut fits = of.clone();
    for (call, row) in calls.iter().zip(&mut fits) {
        for (event, fit) in events.iter().zip(row) {
            *fit = *fit && call.accepts_arguments(event)?;
        }
    }
    let required: Vec<bool> = calls.iter().map(|call| call.expected.required).collect();
    let assigned = match expected.order {
        CallOrder::Any => assignment::in_any_order(&fits, &required),
        CallOrder::Strict => assignment::in_order(&fits, &required),
    };
    let is_expected: Vec<bool> = (0..events.len()).map(|event| of.iter().any(|row| row[event])).collect();
    let choice = choice(&calls, events, &assigned, &is_expected);

    let mut failures: Vec<String> =
        calls.iter().filter_map(|call| ambiguity::explain(call.expected, tools, events)).collect();
    if failures.is_empty() {
        let matching = explain::Matching { calls: &calls, events, of: &of, fits: &fits, assigned: &assigned };
        for missed in (0..calls.len()).filter(|&call| required[call] && assigned[call].is_none()) {
            failures.push(explain::missed(&matching, missed, expected.order)?);
        }
        if expected.exclusive {
            failures.extend(explain::unexpected(events, &is_expected));
        }
    }
    let score = if failures.is_empty() { GraderScore::passed() } else { GraderScore::failed(failures.join("\n")) };
    Ok(ToolsReport { score, choice: Some(choice) })
}

/// The tools that names could mean: what servers listed, and how the tool map renames it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    /// The tools by server, as listed.
    pub(crate) known: KnownTools,
    /// The eval config's tool map.
    pub(crate) map: ToolMap,
}

fn choice(calls: &[Call<'_>], events: &[Observed], assigned: &[Option<usize>], is_expected: &[bool]) -> ToolChoice {
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let required: Vec<usize> = (0..calls.len()).filter(|&call| calls[call].expected.required).collect();
    let missed: Vec<MissedCall> = required
        .iter()
        .filter(|&&call| assigned[call].is_none())
        .map(|&call| MissedCall { name: calls[call].expected.name.clone() })
        .collect();
    let observed = events
        .iter()
        .zip(is_expected)
        .filter(|(event, _)| event.kind == EventKind::ToolCall)
        .map(|(event, expected)| TracedCall {
            name: event.client_name().to_owned(),
            status: if *expected { TracedStatus::Expected } else { TracedStatus::Unexpected },
        })
        .collect();
    ToolChoice {
        precision: share(is_expected.iter().filter(|expected| **expected).count(), events.len()),
        recall: share(required.len() - missed.len(), required.len()),
        trace: ToolCallTrace { calls: observed, missed },
    }
}

#[cfg(test)]
mod tests;
