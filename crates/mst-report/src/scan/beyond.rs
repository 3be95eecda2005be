//! What a report says beyond the method. None of it counts.

use mst_model::{CapabilityFinding, CapabilityState, LintFinding, ScanReport, ScoreInterval};

use crate::text::Line;
use crate::text::number::{grouped, percent, points};

/// What is beyond the method, as a report shows it.
#[derive(Clone, Debug)]
pub(crate) struct Beyond {
    /// The likely range of the total.
    pub(crate) interval: Option<Line>,
    /// The nine capabilities.
    pub(crate) capabilities: Vec<Capability>,
    /// Findings of rules.
    pub(crate) lint: Vec<Lint>,
}

/// A capability.
#[derive(Clone, Debug)]
pub(crate) struct Capability {
    /// Its name in words.
    pub(crate) name: Line,
    /// `present`, `partial` or `absent`.
    pub(crate) state: &'static str,
    /// Why, and what shows it.
    pub(crate) reason: Line,
}

/// A finding of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Lint {
    /// The rule's code and name.
    pub(crate) rule: Line,
    /// What it is about.
    pub(crate) subject: Line,
    /// What is wrong.
    pub(crate) message: Line,
}

impl Beyond {
    /// Reads it from a report.
    pub(crate) fn of(report: &ScanReport) -> Self {
        let unscored = &report.unscored;
        Self {
            interval: unscored.interval.as_ref().map(interval),
            capabilities: unscored.capabilities.iter().flatten().map(capability).collect(),
            lint: unscored.lint.iter().flatten().map(lint).collect(),
        }
    }

    /// Returns whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.interval.is_none() && self.capabilities.is_empty() && self.lint.is_empty()
    }
}

/// Returns in one sentence how far the total would likely move with other tasks.
pub(crate) fn likely_range(interval: &ScoreInterval) -> Line {
    let [lower, upper] = [interval.lower, interval.upper].map(points);
    if lower == upper {
        return Line::new(format!(
            "Every draw of tasks from these gives {lower}: they do not show how far other tasks would move the score. Safety is \
             held fixed."
        ));
    }
    Line::new("With other tasks of the same kind the score would likely lie between ")
        .strong(format!("{lower} and {upper}"))
        .words(", with safety held fixed.")
}

fn interval(interval: &ScoreInterval) -> Line {
    likely_range(interval).words(format!(
        " {} of the totals of {} draws of as many tasks lie in the range (bootstrap, seed {}); everything about the \
         surface is held fixed too.",
        percent(interval.level),
        grouped(&interval.resamples.to_string()),
        interval.seed
    ))
}

fn capability(finding: &CapabilityFinding) -> Capability {
    let reason = Line::of_quote(&finding.reason);
    Capability {
        name: Line::of_quote(&finding.name.replace('_', " ")),
        state: match finding.state {
            CapabilityState::Present => "present",
            CapabilityState::Partial => "partial",
            CapabilityState::Absent => "absent",
        },
        reason: match finding.evidence.as_slice() {
            [] => reason,
            evidence => reason.words("; shown by ").codes(evidence.iter().map(String::as_str)).words("."),
        },
    }
}

fn lint(finding: &LintFinding) -> Lint {
    let subject = match &finding.subject.tool {
        Some(tool) => Line::of_code(tool),
        None => Line::new("the server"),
    };
    Lint {
        rule: Line::of_code(&finding.code).words(" ").quote(&finding.rule),
        subject: match finding.subject.pointer.as_str() {
            "" => subject,
            pointer => subject.words(" at ").code(pointer),
        },
        message: Line::of_quote(&finding.message),
    }
}
