//! What ran: datasets, setup, and where it is written down.

use mst_model::Phase;

use super::comparison::Standing;
use super::report::RunReport;
use crate::text::measured::{cost, duration};
use crate::text::number::{counted, grouped};
use crate::text::{Line, Shown};

/// A dataset.
pub(super) struct DatasetView {
    pub(super) name: Shown,
    pub(super) cases: String,
    pub(super) hash: String,
    pub(super) source: Option<Shown>,
}

/// Returns the datasets.
pub(super) fn datasets(report: &RunReport<'_>) -> Vec<DatasetView> {
    let each = report.record.datasets.iter().map(|one| DatasetView {
        name: Shown::line(&one.name),
        cases: counted(one.case_count, "case"),
        hash: short(&one.content_hash),
        source: one.source_type.as_deref().map(Shown::line),
    });
    each.collect()
}

/// Returns what there is to know of the run, each with what it is.
pub(super) fn facts(report: &RunReport<'_>, standings: &[Standing<'_>]) -> Vec<(&'static str, Line)> {
    let record = report.record;
    let mut facts = vec![
        ("Run", Line::of_code(record.run_id.as_str())),
        ("Eval", Line::of_code(&record.eval_name).words(", config ").code(&short(&record.content_hash))),
        ("Started", Line::new(record.created_at.to_string())),
    ];
    if let Some(finished) = record.finished_at {
        let took = (finished.as_millis() - record.created_at.as_millis()) as f64;
        facts.push(("Took", Line::new(duration(took))));
    }
    let trials: u32 = standings.iter().map(|standing| standing.tally.trials).sum();
    facts.push((
        "Size",
        Line::new(format!(
            "{}, {}, {}",
            counted(report.cases.len(), "case"),
            counted(standings.len(), "variant"),
            counted(trials as usize, "trial")
        )),
    ));
    facts.push((
        "Phases",
        Line::new(format!("collecting {}, grading {}", phase(record.phases.collect), phase(record.phases.grade))),
    ));
    if let Some(telemetry) = report.summary.and_then(|summary| summary.telemetry.as_ref()) {
        let usage = |usage: &Option<mst_model::Usage>| {
            let usage = usage.as_ref()?;
            let input = usage.total_input_tokens().map(|tokens| format!("{} input", grouped(&tokens.to_string())));
            let output = usage.output_tokens.map(|tokens| format!("{} output tokens", grouped(&tokens.to_string())));
            let parts: Vec<String> = [input, output, usage.summed_cost_usd().map(cost)].into_iter().flatten().collect();
            (!parts.is_empty()).then(|| Line::new(parts.join(", ")))
        };
        facts.extend(usage(&telemetry.total_client_usage).map(|line| ("Clients used", line)));
        facts.extend(usage(&telemetry.total_judge_usage).map(|line| ("Judges used", line)));
    }
    for (provider, seen) in &record.throttling {
        facts.push((
            "Throttled",
            Line::of_code(&provider.to_string()).words(format!(
                " refused {}, at the least {} at a time, calls waited {} in all",
                counted(seen.refused as usize, "call"),
                seen.lowest_concurrency,
                duration(seen.waited_ms as f64)
            )),
        ));
    }
    for note in &record.notes {
        facts.push(("Note", Line::of_quote(note)));
    }
    facts.push(("Written by", Line::new("mst ").quote(&record.mst.version)));
    facts
}

/// A variant's setup.
pub(super) struct SetupView {
    pub(super) name: Shown,
    pub(super) description: Option<Shown>,
    pub(super) facts: Vec<(&'static str, Line)>,
}

/// Returns each variant's setup.
pub(super) fn setups(standings: &[Standing<'_>]) -> Vec<SetupView> {
    standings
        .iter()
        .filter_map(|standing| Some((standing, standing.record?)))
        .map(|(standing, record)| {
            let mut facts = Vec::new();
            let mut put = |what, line: Option<Line>| facts.extend(line.map(|line| (what, line)));
            put("Client", record.client.as_deref().map(Line::of_code));
            put("Model", record.model.as_deref().map(Line::of_code));
            for server in record.servers.iter().flatten() {
                let reached = server.command.as_deref().or(server.url.as_deref());
                let line = Line::of_code(&server.label).words(format!(
                    " over {}",
                    server.transport.as_str().chars().filter(char::is_ascii_alphanumeric).collect::<String>()
                ));
                put(
                    "Server",
                    Some(match reached {
                        Some(reached) => line.words(", ").code(reached),
                        None => line,
                    }),
                );
            }
            for seen in &record.readiness {
                let label = &seen.observation.label;
                put("Tools", Some(Line::of_code(label).words(format!(" lists {}", counted(seen.tools.len(), "tool")))));
                for warning in &seen.observation.warnings {
                    put("Warning", Some(Line::of_code(label).words(": ").quote(warning)));
                }
            }
            if let Some(summary) = standing.summary {
                put("Evidence", summary.evidence.map(|evidence| Line::new(format!("{evidence:?}").to_lowercase())));
                if !summary.unpriced_models.is_empty() {
                    put("Not priced", Some(Line::default().codes(summary.unpriced_models.iter().map(String::as_str))));
                }
                if !summary.unavailable_metrics.is_empty() {
                    put(
                        "Not measured",
                        Some(Line::default().codes(summary.unavailable_metrics.iter().map(String::as_str))),
                    );
                }
            }
            SetupView {
                name: Shown::line(record.name.as_str()),
                description: record.description.as_deref().map(Shown::line),
                facts,
            }
        })
        .collect()
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Complete => "complete",
        Phase::Partial => "partial",
        Phase::Skipped => "skipped",
        Phase::Failed => "failed",
    }
}

fn short(hash: &str) -> String {
    hash.chars().take(12).filter(char::is_ascii_alphanumeric).collect()
}
