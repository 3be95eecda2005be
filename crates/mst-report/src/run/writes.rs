//! What became of writes.

use mst_model::WriteMode;
use serde_json::Value;

use super::comparison::Standing;
use super::judges::per_trial;
use crate::text::number::percent;
use crate::text::{Line, Shown};

/// A variant's writes.
pub(super) struct WritesView {
    pub(super) variant: Shown,
    /// What happens to writes, by server.
    pub(super) modes: Vec<Line>,
    /// What was measured, each with what it is.
    pub(super) measures: Vec<(&'static str, String)>,
}

/// Returns a row a variant; none where no server can write and nothing was measured.
pub(super) fn writes(standings: &[Standing<'_>]) -> Vec<WritesView> {
    let views: Vec<WritesView> = standings.iter().map(view).collect();
    let modes = |standing: &Standing<'_>| {
        standing
            .record
            .and_then(|record| record.write_modes.as_ref())
            .is_some_and(|modes| modes.values().any(|mode| !matches!(mode, WriteMode::ReadOnly | WriteMode::Unguarded)))
    };
    let matters = standings.iter().any(modes) || views.iter().any(|view| !view.measures.is_empty());
    if matters { views } else { Vec::new() }
}

fn view(standing: &Standing<'_>) -> WritesView {
    let modes = standing.record.and_then(|record| record.write_modes.as_ref()).into_iter().flatten();
    let evidence = standing.summary.and_then(|summary| summary.metrics.get("write_evidence")).and_then(Value::as_str);
    let count = |key: &str| per_trial(standing.metric(key));
    let measures = [
        ("write cases that passed", standing.metric("write_case_passed_rate").map(percent)),
        ("the verdict rests on", evidence.map(|level| Shown::line(level).to_string())),
        ("writes without a call, per trial", count("unreported_writes_mean")),
        ("calls without a record, per trial", count("unrecorded_writes_mean")),
        ("calls not classified, per trial", count("unclassified_calls_mean")),
    ];
    WritesView {
        variant: Shown::line(standing.tally.name.as_str()),
        modes: modes
            .map(|(label, mode)| Line::of_code(label.as_str()).words(format!(": {}", mode_words(*mode))))
            .collect(),
        measures: measures.into_iter().filter_map(|(what, value)| Some((what, value?))).collect(),
    }
}

fn mode_words(mode: WriteMode) -> &'static str {
    match mode {
        WriteMode::Planned => "stopped, answered as planned",
        WriteMode::Simulated => "stopped, answered as done",
        WriteMode::ServerPlanned => "stopped by the server",
        WriteMode::Unguarded => "reaches the server unwatched",
        WriteMode::Live => "reaches the service",
        WriteMode::ReadOnly => "has no write tools",
    }
}
