//! The numbers at the end of a report: economics, score, interval.

use mst_measure::rubric::{RESAMPLES, RubricFault, harness_metrics, score_interval};
use mst_model::{CategoryScore, RubricScore, ScanReport, TokenSource};

use super::difference::Differences;

/// Checks the economics block.
pub(super) fn economics(report: &ScanReport, found: &mut Differences) {
    let economics = &report.economics;
    if let Ok(metrics) = harness_metrics(&report.harness.baseline.results) {
        found.number("economics.avgTokensPerTask", economics.avg_tokens_per_task, metrics.avg_token_cost_per_task);
    }
    match (economics.avg_response_tokens, &economics.response_source) {
        (Some(_), None) => found.say("economics.responseSource", "missing though avgResponseTokens is given"),
        (None, Some(_)) => found.say("economics.avgResponseTokens", "missing though responseSource is given"),
        _ => {}
    }
    let whole = ("economics.definitionTokens".to_owned(), economics.definition_tokens);
    let each = report.tools.iter().enumerate();
    let each = each.map(|(at, tool)| (format!("tools[{at}].definitionTokens"), tool.definition_tokens));
    for (path, tokens) in std::iter::once(whole).chain(each) {
        match economics.definition_tokens_source {
            TokenSource::Exact if tokens.fract() != 0.0 => {
                found.say(path, format!("{tokens} is not whole, though exact"));
            }
            TokenSource::Estimated if (tokens * 4.0).fract() != 0.0 => {
                found.say(path, format!("{tokens} is no multiple of 0.25, though estimated as bytes / 4"));
            }
            _ => {}
        }
    }
    let largest = report.tools.iter().map(|tool| tool.definition_tokens).fold(0.0, f64::max);
    if economics.definition_tokens < largest {
        let message =
            format!("{} for the whole surface is less than one tool's {largest}", economics.definition_tokens);
        found.say("economics.definitionTokens", message);
    }
}

/// Compares the stored score with the computed one.
pub(super) fn score(stored: &RubricScore, computed: &RubricScore, found: &mut Differences) {
    for ((name, stored), (_, computed)) in stored.categories.named().into_iter().zip(computed.categories.named()) {
        category(&format!("score.categories.{name}"), stored, computed, found);
    }
    found.number("score.total", stored.total, computed.total);
    found.text("score.grade", stored.grade.as_str(), computed.grade.as_str());
}

fn category(path: &str, stored: &CategoryScore, computed: &CategoryScore, found: &mut Differences) {
    found.number(format!("{path}.score"), stored.score, computed.score);
    found.number(format!("{path}.max"), stored.max, computed.max);
    for (name, value) in &stored.inputs {
        let place = format!("{path}.inputs.{name}");
        match computed.inputs.get(name) {
            Some(right) => found.number(place, *value, *right),
            // Raw counts beside the terms, as other writers have them, stand elsewhere in the report and are checked there.
            None if ["destructiveCandidates", "definitionTokens", "avgTokensPerTask", "avgResponseTokens"]
                .contains(&name.as_str()) => {}
            None => found.say(place, "is no term of this category's formula"),
        }
    }
    for name in computed.inputs.keys().filter(|name| !stored.inputs.contains_key(*name)) {
        found.say(format!("{path}.inputs.{name}"), "a term of the formula is missing");
    }
}

/// Computes a stored interval again, where it was made as this version makes it.
pub(super) fn interval(report: &ScanReport, found: &mut Differences) -> Result<(), RubricFault> {
    let Some(stored) = &report.unscored.interval else { return Ok(()) };
    let path = "unscored.interval";
    let Some(computed) = score_interval(&super::input(report), &report.target.surface_hash)? else {
        found.say(path, "given though there are fewer than two tasks");
        return Ok(());
    };
    if stored.resamples == RESAMPLES && stored.seed == computed.seed {
        found.number(format!("{path}.lower"), stored.lower, computed.lower);
        found.number(format!("{path}.upper"), stored.upper, computed.upper);
    } else if stored.seed != computed.seed {
        found.count(format!("{path}.seed"), stored.seed, computed.seed);
    }
    if !(0.0..=stored.upper).contains(&stored.lower) || stored.upper > 100.0 {
        found.say(path, "its ends are not in order between 0 and 100");
    }
    Ok(())
}
