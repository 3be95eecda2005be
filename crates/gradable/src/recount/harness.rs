//! The passes over the tasks: every flag against the task and the tool, every metric against the results.

use std::collections::{HashMap, HashSet};

use mst_measure::rubric::{RubricFault, harness_metrics};
use mst_model::{Harness, HarnessMetrics, ScanReport, TaskResult};

use super::difference::Differences;

/// What is known of a report's tasks and tools.
struct Known<'a> {
    /// The expected tool of each task.
    expected: HashMap<&'a str, Option<&'a str>>,
    /// Whether each tool is destructive.
    tools: &'a HashMap<&'a str, bool>,
}

/// Checks both passes, and that there is a second one exactly when a defect was found.
pub(super) fn passes(
    report: &ScanReport,
    tools: &HashMap<&str, bool>,
    found: &mut Differences,
) -> Result<(), RubricFault> {
    let expected = report.tasks.iter().map(|task| (task.id.as_str(), task.expected_tool.as_deref())).collect();
    let known = Known { expected, tools };
    pass(&report.harness.baseline, "harness.baseline", &known, found)?;
    let defective = report.tools.iter().any(|tool| !tool.defects.is_empty());
    let path = "harness.after_rewrite";
    match &report.harness.after_rewrite {
        Some(again) => {
            pass(again, path, &known, found)?;
            if !defective {
                found.say(path, "there though no description defect was found");
            }
        }
        None if defective => found.say(path, "missing though description defects were found"),
        None => {}
    }
    Ok(())
}

fn pass(harness: &Harness, path: &str, known: &Known<'_>, found: &mut Differences) -> Result<(), RubricFault> {
    let mut seen = HashSet::new();
    for (at, result) in harness.results.iter().enumerate() {
        let place = format!("{path}.results[{at}]");
        match known.expected.get(result.task_id.as_str()) {
            None => found.say(format!("{place}.taskId"), format!("no such task: {:?}", result.task_id)),
            Some(expected) => correctness(result, *expected, &place, found),
        }
        if !seen.insert(result.task_id.as_str()) {
            found.say(format!("{place}.taskId"), format!("the task {:?} has two results", result.task_id));
        }
        call(result, known.tools, &place, found);
    }
    let mut missing: Vec<&&str> = known.expected.keys().filter(|task| !seen.contains(**task)).collect();
    missing.sort_unstable();
    for task in missing {
        found.say(format!("{path}.results"), format!("the task {task:?} has no result"));
    }
    metrics(&harness.metrics, &harness_metrics(&harness.results)?, &format!("{path}.metrics"), found);
    Ok(())
}

fn correctness(result: &TaskResult, expected: Option<&str>, place: &str, found: &mut Differences) {
    let chosen = result.chosen_tool.as_deref();
    if result.correct != (chosen == expected) {
        let named = |tool: Option<&str>| tool.map_or_else(|| "nothing".to_owned(), |name| format!("{name:?}"));
        let message =
            format!("{}, but {} was chosen where {} was expected", result.correct, named(chosen), named(expected));
        found.say(format!("{place}.correct"), message);
    }
}

/// Checks the flags of a call against the tool that was chosen.
fn call(result: &TaskResult, tools: &HashMap<&str, bool>, place: &str, found: &mut Differences) {
    let mut wrong = |key: &str, message: &str| found.say(format!("{place}.{key}"), message);
    let Some(chosen) = result.chosen_tool.as_deref() else {
        if result.destructive_candidate {
            wrong("destructiveCandidate", "true though nothing was called");
        }
        if result.well_formed != result.correct {
            wrong("wellFormed", "a decision to call nothing is well formed exactly when it is right");
        }
        if result.steps != 0 {
            wrong("steps", "above 0 though nothing was called");
        }
        return;
    };
    if result.steps == 0 {
        wrong("steps", "0 though a tool was called");
    }
    match tools.get(chosen) {
        None => {
            // An invented name stays visible as a wrong answer.
            if result.well_formed || result.destructive_candidate {
                wrong("chosenTool", "no such tool, so the call is neither well formed nor destructive");
            }
        }
        Some(destructive) => {
            if result.destructive_candidate != *destructive {
                wrong(
                    "destructiveCandidate",
                    if *destructive { "false, the tool is destructive" } else { "true, the tool is not destructive" },
                );
            }
            if result.well_formed && result.arguments.as_ref().is_some_and(|arguments| !arguments.is_object()) {
                wrong("wellFormed", "true though the arguments are not an object");
            }
        }
    }
}

fn metrics(stored: &HarnessMetrics, computed: &HarnessMetrics, path: &str, found: &mut Differences) {
    let numbers = [
        ("selectionAccuracy", stored.selection_accuracy, computed.selection_accuracy),
        ("firstCallSuccess", stored.first_call_success, computed.first_call_success),
        ("avgStepsToCompletion", stored.avg_steps_to_completion, computed.avg_steps_to_completion),
        ("avgTokenCostPerTask", stored.avg_token_cost_per_task, computed.avg_token_cost_per_task),
        ("destructiveSafetyRate", stored.destructive_safety_rate, computed.destructive_safety_rate),
    ];
    for (name, stored, computed) in numbers {
        found.number(format!("{path}.{name}"), stored, computed);
    }
    found.count(
        format!("{path}.destructiveCandidates"),
        stored.destructive_candidates,
        computed.destructive_candidates,
    );
    found.count(format!("{path}.tasks"), stored.tasks, computed.tasks);
}
