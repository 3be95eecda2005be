//! What the judge got wrong, and what it found.

use std::collections::HashMap;

use mst_model::{Harness, ScanReport, ScanTask, TaskResult};

use super::arithmetic::{plain_defect, severity_name};
use crate::text::number::{counted, percent, term, tokens};
use crate::text::{Line, Shown};

/// A task whose first call was not the right one.
#[derive(Clone, Debug)]
pub(crate) struct WrongTask {
    /// The task's id.
    pub(crate) id: Line,
    /// What was asked.
    pub(crate) prompt: Line,
    /// What the judge did, and what would have been right.
    pub(crate) what: Line,
    /// The arguments it gave, on one line.
    pub(crate) arguments: Option<Line>,
}

/// A call that can destroy something.
#[derive(Clone, Debug)]
pub(crate) struct DestructiveCall {
    /// The tool.
    pub(crate) tool: Line,
    /// What was asked.
    pub(crate) prompt: Line,
    /// Whether the tool was the expected one.
    pub(crate) was_expected: bool,
}

/// A tool with defects.
#[derive(Clone, Debug)]
pub(crate) struct DefectiveTool {
    /// Its name.
    pub(crate) name: Line,
    /// The defects, with reasons.
    pub(crate) defects: Vec<Line>,
    /// A description to consider.
    pub(crate) suggestion: Option<Shown>,
}

/// A pair that a model may mistake.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The tools.
    pub(crate) names: Line,
    /// `low`, `medium` or `high`.
    pub(crate) severity: &'static str,
    /// Why.
    pub(crate) reason: Line,
}

/// A metric before and after the suggested descriptions.
#[derive(Clone, Debug)]
pub(crate) struct Metric {
    /// Its name in the method.
    pub(crate) name: &'static str,
    /// With the descriptions as declared.
    pub(crate) baseline: String,
    /// With those suggested.
    pub(crate) after: Option<String>,
}

/// A tool in the list of all.
#[derive(Clone, Debug)]
pub(crate) struct ToolRow {
    /// Its name.
    pub(crate) name: Line,
    /// Whether a call can destroy something.
    pub(crate) destructive: bool,
    /// What its definition costs.
    pub(crate) tokens: String,
    /// Its defects in plain words.
    pub(crate) defects: String,
}

/// A task in the list of all.
#[derive(Clone, Debug)]
pub(crate) struct TaskRow {
    /// Its id.
    pub(crate) id: Line,
    /// What was asked.
    pub(crate) prompt: Line,
    /// The tool that fits.
    pub(crate) expected: Line,
    /// What the judge chose.
    pub(crate) chosen: Line,
    /// How that came out, in a word or two.
    pub(crate) outcome: &'static str,
    /// Whether it came out well.
    pub(crate) is_right: bool,
}

/// Returns the tasks whose first call was wrong or malformed.
pub(crate) fn wrong_tasks(report: &ScanReport) -> Vec<WrongTask> {
    let tasks = by_id(report);
    let wrong = |result: &&TaskResult| !(result.correct && result.well_formed);
    report.harness.baseline.results.iter().filter(wrong).map(|result| wrong_task(report, &tasks, result)).collect()
}

/// Returns how many tasks came out wrong, in words.
pub(crate) fn wrong_count(report: &ScanReport) -> String {
    let results = &report.harness.baseline.results;
    let all = counted(results.len(), "task");
    match results.iter().filter(|result| !(result.correct && result.well_formed)).count() {
        0 => format!("Nothing, in {all}."),
        wrong => format!("{wrong} of {all}."),
    }
}

fn wrong_task(report: &ScanReport, tasks: &HashMap<&str, &ScanTask>, result: &TaskResult) -> WrongTask {
    let task = tasks.get(result.task_id.as_str());
    let expected = task.and_then(|task| task.expected_tool.as_deref());
    WrongTask {
        id: Line::of_code(&result.task_id),
        prompt: Line::of_quote(task.map_or("", |task| &task.prompt)),
        what: what_went_wrong(report, expected, result),
        arguments: result.arguments.as_ref().map(|arguments| Line::of_code(&arguments.to_string())),
    }
}

fn what_went_wrong(report: &ScanReport, expected: Option<&str>, result: &TaskResult) -> Line {
    let fits = |line: Line| match expected {
        Some(tool) => line.code(tool).words(" fits."),
        None => line.words("no tool fits."),
    };
    match &result.chosen_tool {
        Some(chosen) if result.correct => {
            Line::new("Chose ").code(chosen).words(", which fits, with arguments that do not.")
        }
        Some(chosen) if report.tools.iter().any(|tool| &tool.name == chosen) => {
            let destroys = if result.destructive_candidate { ", which can destroy something; " } else { "; " };
            fits(Line::new("Chose ").code(chosen).words(destroys))
        }
        Some(chosen) => fits(Line::new("Named ").code(chosen).words(", which the server does not list; ")),
        None => fits(Line::new("Called nothing; ")),
    }
}

/// Returns how many of the destructive candidate calls were confirmed.
pub(crate) fn confirmed_of(report: &ScanReport) -> Line {
    let candidates: Vec<_> = report.harness.baseline.results.iter().filter(|one| one.destructive_candidate).collect();
    let confirmed = candidates.iter().filter(|one| one.confirmed).count();
    match candidates.len() {
        0 => Line::new("The judge would have called no destructive tool, so there was nothing to confirm."),
        all => Line::new(format!("The judge would have asked the user first before {confirmed} of {all}.")),
    }
}

/// Returns the destructive calls that the judge would have made without asking.
pub(crate) fn unconfirmed(report: &ScanReport) -> Vec<DestructiveCall> {
    let tasks = by_id(report);
    let blind = |result: &&TaskResult| result.destructive_candidate && !result.confirmed;
    report
        .harness
        .baseline
        .results
        .iter()
        .filter(blind)
        .map(|result| DestructiveCall {
            tool: Line::of_code(result.chosen_tool.as_deref().unwrap_or_default()),
            prompt: Line::of_quote(tasks.get(result.task_id.as_str()).map_or("", |task| &task.prompt)),
            was_expected: result.correct,
        })
        .collect()
}

/// Returns the tools with defects.
pub(crate) fn defective_tools(report: &ScanReport) -> Vec<DefectiveTool> {
    report
        .tools
        .iter()
        .filter(|tool| !tool.defects.is_empty())
        .map(|tool| DefectiveTool {
            name: Line::of_code(&tool.name),
            defects: tool
                .defects
                .iter()
                .map(|defect| Line::of_code(defect.kind.as_str()).words(": ").quote(&defect.reason))
                .collect(),
            suggestion: tool.suggested_description.as_deref().map(Shown::block),
        })
        .collect()
}

/// Returns the confusable pairs, the worst first.
pub(crate) fn pairs(report: &ScanReport) -> Vec<Pair> {
    let mut pairs: Vec<_> = report.confusable_pairs.iter().collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.severity));
    pairs
        .into_iter()
        .map(|pair| Pair {
            names: Line::of_code(&pair.a).words(" and ").code(&pair.b),
            severity: severity_name(pair.severity),
            reason: Line::of_quote(&pair.reason),
        })
        .collect()
}

/// Returns the five metrics, before and after.
pub(crate) fn metrics(report: &ScanReport) -> Vec<Metric> {
    let after = report.harness.after_rewrite.as_ref();
    let metric = |name, value: fn(&Harness) -> String| Metric {
        name,
        baseline: value(&report.harness.baseline),
        after: after.map(value),
    };
    vec![
        metric("selectionAccuracy", |pass| percent(pass.metrics.selection_accuracy)),
        metric("firstCallSuccess", |pass| percent(pass.metrics.first_call_success)),
        metric("avgStepsToCompletion", |pass| term(pass.metrics.avg_steps_to_completion)),
        metric("avgTokenCostPerTask", |pass| tokens(pass.metrics.avg_token_cost_per_task)),
        metric("destructiveSafetyRate", |pass| match pass.metrics.destructive_candidates {
            0 => format!("{} (no such call)", percent(pass.metrics.destructive_safety_rate)),
            _ => percent(pass.metrics.destructive_safety_rate),
        }),
    ]
}

/// Returns all tools in the server's order.
pub(crate) fn tool_rows(report: &ScanReport) -> Vec<ToolRow> {
    report
        .tools
        .iter()
        .map(|tool| ToolRow {
            name: Line::of_code(&tool.name),
            destructive: tool.destructive,
            tokens: tokens(tool.definition_tokens),
            defects: tool.defects.iter().map(|defect| plain_defect(defect.kind)).collect::<Vec<_>>().join(", "),
        })
        .collect()
}

/// Returns all tasks with what the judge did.
pub(crate) fn task_rows(report: &ScanReport) -> Vec<TaskRow> {
    let results: HashMap<&str, &TaskResult> =
        report.harness.baseline.results.iter().map(|result| (result.task_id.as_str(), result)).collect();
    report.tasks.iter().map(|task| task_row(task, results.get(task.id.as_str()).copied())).collect()
}

fn task_row(task: &ScanTask, result: Option<&TaskResult>) -> TaskRow {
    let tool = |name: Option<&str>| name.map_or_else(|| Line::new("nothing"), Line::of_code);
    let outcome = match result {
        None => "no result",
        Some(result) if !result.correct => "wrong",
        Some(result) if !result.well_formed => "arguments do not fit",
        Some(_) => "right",
    };
    TaskRow {
        id: Line::of_code(&task.id),
        prompt: Line::of_quote(&task.prompt),
        expected: tool(task.expected_tool.as_deref()),
        chosen: result.map_or_else(|| Line::new("?"), |result| tool(result.chosen_tool.as_deref())),
        outcome,
        is_right: outcome == "right",
    }
}

/// Returns each baseline result with its task, in the results' order.
pub(crate) fn results_of(report: &ScanReport) -> impl Iterator<Item = (&ScanTask, &TaskResult)> {
    let tasks = by_id(report);
    report
        .harness
        .baseline
        .results
        .iter()
        .filter_map(move |result| Some((*tasks.get(result.task_id.as_str())?, result)))
}

fn by_id(report: &ScanReport) -> HashMap<&str, &ScanTask> {
    report.tasks.iter().map(|task| (task.id.as_str(), task)).collect()
}
