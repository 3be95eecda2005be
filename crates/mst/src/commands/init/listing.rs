//! The servers that were found, for people and for programs.

use mst_cli::{Ui, printable, shown_url};
use mst_model::ServerConfig;
use serde_json::{Value, json};

use super::candidate::Candidate;
use crate::commands::one_line::one_line;

/// Prints what was found on stdout.
pub(crate) fn print(found: &[Candidate], as_json: bool, ui: &Ui) {
    if as_json {
        ui.data(&json!({ "servers": found.iter().map(value).collect::<Vec<_>>() }));
    } else if found.is_empty() {
        ui.status("No server was found.");
    } else {
        for candidate in found {
            let off = if candidate.server.disabled { " (switched off there)" } else { "" };
            let file = candidate.files.first().map(|file| file.display().to_string()).unwrap_or_default();
            let named = candidate.server.name != candidate.server.label;
            let name = if named { format!(" ({:?})", one_line(&candidate.server.name, 64)) } else { String::new() };
            let label = format!("{}{name}", one_line(&candidate.server.label, 64));
            let way = one_line(&candidate.way(), usize::from(ui.width()));
            ui.text(&printable(&format!("{label}{off}: {way}\n  {}: {file}", candidate.program)));
        }
    }
}

/// Returns a server without any value that may be a secret.
pub(crate) fn value(candidate: &Candidate) -> Value {
    let server = &candidate.server;
    let mut value = json!({
        "label": server.label,
        "name": server.name,
        "program": candidate.program,
        "format": candidate.format,
        "files": candidate.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "disabled": server.disabled,
        "usable": server.launch.is_ok(),
    });
    match &server.launch {
        Err(wrong) => value["reason"] = json!(wrong.to_string()),
        Ok(launch) => {
            match &launch.written {
                ServerConfig::Stdio(stdio) => {
                    value["transport"] = json!("stdio");
                    value["command"] = json!(stdio.command);
                    value["args"] = json!(stdio.args);
                }
                ServerConfig::Http(http) => {
                    value["transport"] = json!("http");
                    value["url"] = json!(shown_url(&http.server_url));
                }
            }
            let variables =
                launch.variables.iter().map(|variable| json!({ "name": variable.name, "set": variable.set }));
            value["variables"] = variables.collect();
            value["notes"] = json!(launch.notes);
        }
    }
    value
}
