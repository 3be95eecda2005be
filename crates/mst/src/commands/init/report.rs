//! What was made, and what comes next.

use mst_cli::{Ui, plural};
use mst_model::ServerConfig;
use serde_json::{Value, json};

use super::eval_files::{Draft, Written};
use super::shown;
use crate::commands::one_line::one_line;
use crate::commands::tools::ToolKind;

/// Prints what was written on stdout, and what to know and do on stderr.
pub(crate) fn print(draft: &Draft<'_>, written: &Written, ui: &Ui) {
    if draft.args.json {
        ui.data(&value(draft, written));
    } else {
        ui.text(&format!("Server {}: {}", draft.chosen.server.label, draft.chosen.way()));
        if let Some(seen) = draft.seen {
            let names: Vec<String> = seen.surface.tools.iter().map(|tool| one_line(tool.name(), 128)).collect();
            ui.text(&format!("{}: {}", plural(names.len(), "tool"), names.join(", ")));
        }
        ui.text(&format!("Wrote {}", written.config.display()));
        ui.text(&format!("Wrote {} ({}, drafted)", written.dataset.display(), plural(written.cases, "case")));
    }
    for warning in draft.seen.iter().flat_map(|seen| &seen.observation.warnings) {
        ui.warn(warning);
    }
    for note in notes(draft) {
        ui.warn(&note);
    }
    for step in steps(draft, written) {
        ui.hint(&step);
    }
}

/// Says what the files do not hold, and what differs from how the server was found.
fn notes(draft: &Draft<'_>) -> Vec<String> {
    let server = &draft.chosen.server;
    let mut notes = Vec::new();
    if server.label != server.name {
        notes.push(format!(
            "the server is called {:?} in the eval, and {:?} where it was found",
            server.label, server.name
        ));
    }
    if server.disabled {
        notes.push(format!("{:?} is switched off where it was found", server.name));
    }
    notes.extend(draft.launch.notes.iter().cloned());
    let names: Vec<&str> = draft.launch.variables.iter().map(|variable| variable.name.as_str()).collect();
    if matches!(&draft.launch.written, ServerConfig::Stdio(stdio) if stdio.inherit_env) && !names.is_empty() {
        notes.push(format!(
            "the server gets the whole environment (\"inheritEnv\": true): that is how {} reaches it without standing in \
             the file",
            names.join(", ")
        ));
    }
    notes
}

/// Returns what to do next, ready to be typed where it is a command.
fn steps(draft: &Draft<'_>, written: &Written) -> Vec<String> {
    let config = shown(&written.config);
    let label = &draft.chosen.server.label;
    let mut steps = Vec::new();
    for variable in draft.launch.variables.iter().filter(|variable| !variable.set) {
        steps.push(format!(
            "before a run, set {} in the environment, or in a file given with --secrets-file",
            variable.name
        ));
    }
    let writing = writing_tools(draft);
    if !writing.is_empty() && draft.args.unguarded.is_empty() {
        steps.push(format!(
            "{} may write: {}. A run stops before its first trial; if they may run for real, add to {config}: \"writes\": \
             {{ {label:?}: \"unguarded\" }}",
            plural(writing.len(), "tool"),
            writing.join(", ")
        ));
    }
    steps.push(format!("check the files: mst run --config {config} --dry-run"));
    steps.push(format!("run the eval: mst run --config {config}"));
    if draft.is_offline() {
        steps.push(format!(
            "it runs on the offline baseline, which is no language model; for one, set \"model\" in {config} and its \
             provider's key, such as ANTHROPIC_API_KEY"
        ));
    }
    steps
}

fn writing_tools(draft: &Draft<'_>) -> Vec<String> {
    let tools = draft.seen.iter().flat_map(|seen| &seen.surface.tools);
    tools.filter(|tool| ToolKind::of(tool) != ToolKind::ReadOnly).map(|tool| one_line(tool.name(), 128)).collect()
}

fn value(draft: &Draft<'_>, written: &Written) -> Value {
    let tools = draft.seen.iter().flat_map(|seen| &seen.surface.tools);
    let tools = tools.map(|tool| json!({ "name": tool.name(), "kind": ToolKind::of(tool).as_str() }));
    let variables = draft.launch.variables.iter().map(|variable| json!({ "name": variable.name, "set": variable.set }));
    json!({
        "label": draft.chosen.server.label,
        "files": draft.chosen.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "config": written.config.display().to_string(),
        "dataset": written.dataset.display().to_string(),
        "cases": written.cases,
        "tools": tools.collect::<Vec<_>>(),
        "variables": variables.collect::<Vec<_>>(),
        "notes": notes(draft),
        "next": steps(draft, written),
    })
}
