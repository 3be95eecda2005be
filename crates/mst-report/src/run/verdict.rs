//! The first thing that a report says: what the run came to, in words with their numbers.

use mst_measure::stats::{Assessment, PairedChange, RangeMethod};

use super::comparison::{Against, Standing};
use super::report::RunReport;
use crate::text::Line;
use crate::text::measured::{p_value, points_changed, share_range};
use crate::text::number::{counted, grouped, percent};

/// What is said of one variant.
pub(super) struct Verdict {
    /// How it is coloured: `better`, `worse`, `unclear`, `plain`.
    pub(super) tone: &'static str,
    /// A mark that says the same without colour.
    pub(super) mark: &'static str,
    /// The answer in a word.
    pub(super) word: &'static str,
    /// Which variant, where there are several.
    pub(super) variant: Option<Line>,
    /// The number that stands largest, and what it is.
    pub(super) figure: String,
    pub(super) figure_means: String,
    /// Sentences.
    pub(super) says: Vec<Line>,
}

/// Returns what is said of each variant, the baseline last: what became of the candidates is what a reader came for.
pub(super) fn verdicts(report: &RunReport<'_>, standings: &[Standing<'_>], graded: bool) -> Vec<Verdict> {
    let several = standings.len() > 1;
    let mut order: Vec<&Standing<'_>> = standings.iter().collect();
    order.sort_by_key(|standing| standing.is_baseline);
    let baseline = standings.iter().find(|standing| standing.is_baseline);
    order.into_iter().map(|standing| verdict(report, standing, baseline, several, graded)).collect()
}

fn verdict(
    report: &RunReport<'_>,
    standing: &Standing<'_>,
    baseline: Option<&Standing<'_>>,
    several: bool,
    graded: bool,
) -> Verdict {
    let (tone, mark, word) = match (&standing.against, standing.not_compared) {
        _ if !graded => ("plain", "○", "not graded"),
        (_, Some(_)) => ("unclear", "◇", "not compared"),
        (Some(against), None) => answer(against.assessment()),
        (None, None) if several => ("plain", "●", "baseline"),
        (None, None) => whole(standing),
    };
    let mut says = Vec::new();
    if graded {
        says.extend(standing.headline.as_ref().map(headline));
        says.push(counts(standing));
    } else {
        says.push(Line::new(format!(
            "{} collected; no grader has judged them.",
            counted(standing.tally.trials as usize, "trial")
        )));
    }
    if let (Some(against), Some(baseline)) = (&standing.against, baseline) {
        says.extend(compared(against, baseline));
    }
    if let Some(reason) = standing.not_compared {
        says.push(Line::new(format!("It is not compared with the baseline: {reason}.")));
    }
    says.extend(since_previous(report, standing));
    let rate = standing.headline.as_ref().map(|headline| percent(headline.rate)).filter(|_| graded);
    Verdict {
        tone,
        mark,
        word,
        variant: several.then(|| Line::of_code(standing.tally.name.as_str())),
        figure: rate.unwrap_or_else(|| "–".to_owned()),
        figure_means: "headline pass rate".to_owned(),
        says,
    }
}

/// Returns how an answer is shown.
pub(super) fn answer(assessment: Assessment) -> (&'static str, &'static str, &'static str) {
    match assessment {
        Assessment::Better => ("better", "▲", "better"),
        Assessment::Worse => ("worse", "▼", "worse"),
        Assessment::Unclear => ("unclear", "◆", "unclear"),
    }
}

/// Returns what a run of one variant came to.
fn whole(standing: &Standing<'_>) -> (&'static str, &'static str, &'static str) {
    match (standing.passed, standing.failed, standing.incomplete) {
        (0, 0, _) => ("plain", "○", "no result"),
        (_, 0, 0) => ("better", "✓", "all passed"),
        (_, 0, _) => ("unclear", "◇", "incomplete"),
        (0, _, _) => ("worse", "✗", "none passed"),
        _ => ("worse", "✗", "some failed"),
    }
}

fn counts(standing: &Standing<'_>) -> Line {
    let complete = standing.passed + standing.failed;
    let mut line = Line::default()
        .strong(grouped(&standing.passed.to_string()))
        .words(format!(" of {} passed", counted(complete, "case")));
    if standing.flaky > 0 {
        line =
            line.words(format!("; {} came out differently from trial to trial", grouped(&standing.flaky.to_string())));
    }
    if standing.incomplete > 0 {
        line = line.words(format!("; {} incomplete, neither passed nor failed", counted(standing.incomplete, "case")));
    }
    line.words(".")
}

fn headline(rate: &mst_measure::stats::HeadlineRate) -> Line {
    match &rate.range {
        Some((range, method)) => {
            let method = match method {
                RangeMethod::T => "a t interval over cases",
                RangeMethod::WilsonCases => "Wilson’s interval over cases",
                RangeMethod::WilsonTrials => "Wilson’s interval over trials",
            };
            Line::new("Likely ").strong(share_range(range.lower, range.upper)).words(format!(" (95%, {method})."))
        }
        None => Line::new("One trial says nothing of how far the rate may be off."),
    }
}

fn compared(against: &Against, baseline: &Standing<'_>) -> Vec<Line> {
    let mut says = Vec::new();
    match against.change() {
        Some(change) if change.mean.is_some() => says.push(change_line(change, against.assessment(), baseline)),
        _ => says.push(Line::new("No case is complete on both sides, so nothing can be said of a change.")),
    }
    let broken = against.broken();
    if broken > 0 {
        says.push(Line::default().strong(format!("{} broke.", counted(broken, "regression case"))));
    }
    if against.regressed + against.improved > 0 {
        says.push(Line::new(format!(
            "▼ {} regressed, ▲ {} improved.",
            counted(against.regressed, "case"),
            grouped(&against.improved.to_string())
        )));
    }
    says
}

fn change_line(change: &PairedChange, assessment: Assessment, baseline: &Standing<'_>) -> Line {
    let mean = change.mean.unwrap_or(0.0);
    let p = if mean < 0.0 { change.p_worse } else { change.p_better };
    let line = Line::new("Against ")
        .code(baseline.tally.name.as_str())
        .words(": ")
        .strong(format!("{} points", points_changed(mean)))
        .words(format!(
            " (95% {} to {}, {}, {}).",
            points_changed(change.interval.lower),
            points_changed(change.interval.upper),
            p_value(p),
            counted(change.cases, "case")
        ));
    let line = if assessment == Assessment::Unclear && change.missing_differing > 0 {
        line.words(format!(
            " Only {} out differently; the test cannot say better or worse with fewer than {}.",
            if change.differing == 1 { "1 case comes".to_owned() } else { format!("{} cases come", change.differing) },
            change.differing + change.missing_differing
        ))
    } else if assessment == Assessment::Unclear {
        line.words(" Chance may explain it.")
    } else {
        line
    };
    if change.uneven > 0 {
        line.words(format!(" {} more trials on one side: the test is then approximate.", has(change.uneven)))
    } else {
        line
    }
}

fn has(cases: usize) -> String {
    if cases == 1 { "1 case has".to_owned() } else { format!("{cases} cases have") }
}

/// Returns what the summary says of the change since the previous run.
fn since_previous(report: &RunReport<'_>, standing: &Standing<'_>) -> Option<Line> {
    let previous = report.summary?.previous_run.as_ref()?;
    let line = Line::new("Since the previous run ").code(previous.run_id.short()).words(": ");
    if !previous.same_config {
        return Some(line.words("the eval config changed, so no change is shown."));
    }
    let change = previous.variants.get(&standing.tally.name)?.change.as_ref()?;
    Some(line.strong(format!("{} points", points_changed(change.mean))).words(format!(
        " (95% {} to {}, {}): {}.",
        points_changed(change.lower),
        points_changed(change.upper),
        counted(change.cases, "case"),
        change.assessment.as_str()
    )))
}
