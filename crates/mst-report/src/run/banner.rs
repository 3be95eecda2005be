//! What a reader has to know before any number: how the run ended, and what it ran on.

use mst_model::Phase;

use super::comparison::Standing;
use super::report::RunReport;
use crate::text::Line;
use crate::text::number::counted;

/// A note across the page.
pub(super) struct Banner {
    /// `warn` or `note`.
    pub(super) tone: &'static str,
    pub(super) title: &'static str,
    pub(super) says: Line,
}

/// Returns the notes, those that touch the numbers first.
pub(super) fn banners(report: &RunReport<'_>, standings: &[Standing<'_>]) -> Vec<Banner> {
    let record = report.record;
    let mut banners = Vec::new();
    let mut warn = |title, says| banners.push(Banner { tone: "warn", title, says });
    let budget = record.notes.iter().find(|note| note.starts_with("the budget "));
    match record.phases.collect {
        Phase::Failed => warn("Stopped early", Line::new("An error stopped the run; what follows is what had been collected by then.")),
        Phase::Partial if budget.is_some() => {
            let note = budget.map(String::as_str).unwrap_or_default();
            warn("Budget reached", Line::default().quote(note).words(". What follows is what had been collected by then."));
        }
        Phase::Partial => warn(
            "Incomplete",
            Line::new("The run is going on or was stopped: trials are missing, and variants that had not ended are not here. ")
                .code(&format!("mst run --resume {}", record.run_id.short()))
                .words(" collects the rest."),
        ),
        Phase::Complete | Phase::Skipped => {}
    }
    let incomplete: usize = standings.iter().map(|standing| standing.incomplete).sum();
    match record.phases.grade {
        Phase::Skipped => warn(
            "Not graded",
            Line::new("The trials were collected and not graded. ")
                .code(&format!("mst grade {}", record.run_id.short()))
                .words(" grades them."),
        ),
        Phase::Partial if record.phases.collect == Phase::Complete => {
            warn(
                "Verdicts are missing",
                Line::new("A grader gave no verdict on some trials; their cases are neither passed nor failed."),
            );
        }
        _ if incomplete > 0 && record.phases.collect == Phase::Complete => warn(
            "Incomplete cases",
            Line::new(format!(
                "{} neither passed nor failed and left out of every rate.",
                if incomplete == 1 { "1 case is".to_owned() } else { format!("{} are", counted(incomplete, "case")) }
            )),
        ),
        _ => {}
    }
    let mut note = |title, says| banners.push(Banner { tone: "note", title, says });
    let offline = standings.iter().filter(|standing| standing.is_offline()).count();
    if offline > 0 {
        let which = if offline == standings.len() { "This run" } else { "A variant of this run" };
        note(
            "Offline model",
            Line::new(format!(
                "{which} was answered by the offline baseline, which is not a language model: its scores say how far words match, \
                 and are never compared with a language model’s."
            )),
        );
    }
    if let Some(tape) = &record.replayed {
        note(
            "Replayed",
            Line::new("Models and servers were answered from the tape ")
                .code(&tape.tape)
                .words(format!(", recorded {}: it says what was recorded, not what they do today.", tape.recorded_at)),
        );
    }
    if record.partial {
        note("Partial run", selection(report));
    }
    if record.redact_stored_responses {
        note(
            "Redacted",
            Line::new("Answers, tool outputs and judges’ words are not shown: the run was stored with ")
                .code("redactStoredResponses")
                .words("."),
        );
    }
    if let Some(from) = &record.graded_from {
        note(
            "Graded again",
            Line::new("The trials are those of ").code(from.as_str()).words("; only the verdicts are new."),
        );
    }
    banners
}

fn selection(report: &RunReport<'_>) -> Line {
    let mut line = Line::new("Flags narrowed it, so it is not compared with full runs");
    let Some(selection) = &report.record.selection else { return line.words(".") };
    let mut list = |what: &'static str, names: Vec<String>| {
        if !names.is_empty() {
            let shown = names.len().min(8);
            line =
                std::mem::take(&mut line).words(format!("; {what} ")).codes(names[..shown].iter().map(String::as_str));
            if names.len() > shown {
                line = std::mem::take(&mut line).words(format!(" and {} more", names.len() - shown));
            }
        }
    };
    list("variants", selection.variants.iter().flatten().map(ToString::to_string).collect());
    list("cases", selection.cases.iter().flatten().map(ToString::to_string).collect());
    list("tags", selection.filter_tags.clone().unwrap_or_default());
    list("at most this many cases of a dataset:", selection.max_cases.iter().map(ToString::to_string).collect());
    list("trials", selection.trials.iter().map(ToString::to_string).collect());
    line.words(".")
}
