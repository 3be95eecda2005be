//! A run in Markdown, for the step summary of a pull request's check: the verdict first, then what failed and why.

use mst_model::{CaseId, PreviousVariant, VariantName, VariantSummary};
use serde_json::Value;

use super::case_end::{CaseEnd, NO_LONGER_FAILS, Standing};
use super::gate::Gate;
use super::run_ends::{Counts, RunEnds};
use crate::text::markdown::{code, prose};
use crate::text::number::{counted, percent};
use crate::text::{Document, Line, Shown};

/// The most cases a list shows: GitHub drops a summary of more than a megabyte, and people read less.
const LISTED: usize = 50;

/// The most characters of a reason in a table.
const LONGEST: usize = 400;

/// Returns a run as Markdown. What came from models and servers is text in it: no markup, link, image or mention.
pub fn step_summary(run: &RunEnds, gates: &[Gate]) -> String {
    let mut out = Document::default();
    out.heading(2, &headline(run));
    if run.has_offline() {
        out.words("Answered by the offline baseline, which is not a language model.");
    }
    if run.record.partial {
        out.words("A partial run: what ran was chosen by flags, or it was stopped when it was decided.");
    }
    out.table(["Gate", "", "Why"], gates.iter().map(gate_row));
    out.table(
        ["Variant", "Passed", "Trial pass", "Cost per trial", "Time per trial"],
        run.summary.variants.iter().map(|variant| variant_row(run, variant)),
    );
    for line in changes(run) {
        out.paragraph(&line);
    }
    list(&mut out, "Failed", run, |case| match case.standing() {
        Standing::Failed { by, why } => Some(format!("{}: {}", code(by), reason(why))),
        Standing::NoLongerFails => Some(NO_LONGER_FAILS.to_owned()),
        _ => None,
    });
    list(&mut out, "Without a verdict", run, |case| match case.standing() {
        Standing::NoVerdict { lack, why } => Some(format!("{}: {}", lack.as_str(), reason(why))),
        _ => None,
    });
    list(&mut out, "Known failures", run, |case| match case.standing() {
        Standing::KnownFailure { reason: known, .. } => Some(reason(known)),
        _ => None,
    });
    out.paragraph(&Line::new("Run ").code(run.record.run_id.as_str()));
    out.finish()
}

fn headline(run: &RunEnds) -> Line {
    let counts = Counts::of(&run.cases);
    let complete = counts.total() - counts.no_verdict;
    // A known failure that passed has passed.
    let passed = run.cases.iter().filter(|case| matches!(case.standing(), Standing::Passed | Standing::NoLongerFails));
    let passed = passed.count();
    let mut says = if complete == 0 {
        "no case is complete".to_owned()
    } else {
        let share = percent(passed as f64 / complete as f64);
        format!("{passed} of {} passed ({share})", counted(complete, "case"))
    };
    if counts.no_verdict > 0 {
        says = format!("{says}, {} incomplete", counts.no_verdict);
    }
    if counts.known > 0 {
        says = format!("{says}, {}", counted(counts.known, "known failure"));
    }
    Line::of_code(&run.record.eval_name).words(format!(": {says}"))
}

fn gate_row(gate: &Gate) -> [String; 3] {
    [gate.name.to_owned(), format!("**{}**", gate.end.as_str()), prose(Shown::line(&gate.why).as_str())]
}

fn variant_row(run: &RunEnds, variant: &VariantSummary) -> [String; 5] {
    let metric = |key: &str| variant.metrics.get(key).and_then(Value::as_f64);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let star = if matches!(variant.cost_source.as_deref(), Some("pricing" | "mixed")) { " (estimated)" } else { "" };
    let offline = if run.is_offline(&variant.name) { " (offline baseline)" } else { "" };
    [
        format!("{}{offline}", code(Shown::line(variant.name.as_str()).as_str())),
        format!("{}/{}", variant.result.passed, variant.result.total),
        or_dash(metric("trial_pass_rate").map(percent)),
        or_dash(metric("cost_usd_mean").map(|cost| format!("${cost:.4}{star}"))),
        or_dash(metric("duration_s_mean").map(|seconds| format!("{seconds:.2} s"))),
    ]
}

/// Says how variants differ from the baseline, and from the previous run.
fn changes(run: &RunEnds) -> Vec<Line> {
    let deltas = run.summary.variant_deltas.iter().filter_map(|(name, delta)| {
        let points = delta.pass_rate_delta? * 100.0;
        let line = Line::of_code(name.as_str()).words(" against ").code(delta.baseline.as_str());
        Some(line.words(format!(": {points:+.1} points of cases passed.")))
    });
    deltas.chain(since_previous(run)).collect()
}

fn since_previous(run: &RunEnds) -> Vec<Line> {
    let Some(previous) = run.summary.previous_run.as_ref() else { return Vec::new() };
    let of_variant = |name: &VariantName, variant: &PreviousVariant| -> Option<Line> {
        let change = variant.change.as_ref()?;
        let points = |share: f64| format!("{:+.1}", share * 100.0);
        let (mean, lower, upper) = (points(change.mean), points(change.lower), points(change.upper));
        let id = previous.run_id.as_str();
        let line = Line::of_code(name.as_str()).words(" since the previous run ").code(id).words(": ");
        let mut line = line
            .strong(change.assessment.as_str())
            .words(format!(", {mean} points of trials passed (95% range {lower} to {upper})."));
        for (ids, words) in [(&variant.regressed, " Regressed: "), (&variant.improved, " Improved: ")] {
            if !ids.is_empty() {
                line = line.words(words).codes(ids.iter().take(LISTED).map(CaseId::as_str));
                line = line.words(if ids.len() > LISTED { " and more." } else { "." });
            }
        }
        Some(line)
    };
    previous.variants.iter().filter_map(|(name, variant)| of_variant(name, variant)).collect()
}

/// Adds a list of cases, each with what is said of it; nothing when it is of none.
fn list(out: &mut Document, title: &'static str, run: &RunEnds, says: impl Fn(&CaseEnd) -> Option<String>) {
    let all: Vec<(&CaseEnd, String)> = run.cases.iter().filter_map(|case| Some((case, says(case)?))).collect();
    if all.is_empty() {
        return;
    }
    out.heading(3, &Line::new(format!("{title} ({})", all.len())));
    let several = run.record.variants.len() > 1;
    out.table(
        ["Case", "Why"],
        all.iter().take(LISTED).map(|(case, why)| {
            let id = code(Shown::line(case.id.as_str()).as_str());
            let variant = if several {
                format!(" in {}", code(Shown::line(case.variant.as_str()).as_str()))
            } else {
                String::new()
            };
            [format!("{id}{variant}"), why.clone()]
        }),
    );
    if all.len() > LISTED {
        out.paragraph(&Line::new(format!("and {} more.", all.len() - LISTED)));
    }
}

/// Returns a reason on one line, cut where a table would become unreadable.
fn reason(why: &str) -> String {
    let short: String = why.chars().take(LONGEST).collect();
    let rest = if short.len() < why.len() { "…" } else { "" };
    format!("{}{rest}", prose(Shown::line(&short).as_str()))
}
