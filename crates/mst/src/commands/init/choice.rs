//! Which of the servers that were found is meant.

use std::collections::BTreeSet;

use mst_cli::{CliError, Ui, plural, usage};

use super::args::InitArgs;
use super::candidate::Candidate;
use super::listing;

/// How many names an error lists.
const MOST_NAMES: usize = 20;

/// Chooses the one server that is meant; several are listed, one line each.
pub(crate) fn choose(found: Vec<Candidate>, args: &InitArgs, ui: &Ui) -> Result<Candidate, CliError> {
    if let Some(wanted) = &args.server {
        return named(found, wanted);
    }
    // A single one is told with what is wrong, when something is.
    let usable = |candidate: &&Candidate| !candidate.server.disabled && candidate.server.launch.is_ok();
    let only = if found.len() == 1 { Some(0) } else { None };
    let only = only.or_else(|| match found.iter().filter(usable).count() {
        1 => found.iter().position(|candidate| usable(&candidate)),
        _ => None,
    });
    if let Some(at) = only {
        let mut found = found;
        return Ok(found.swap_remove(at));
    }
    if found.is_empty() {
        let nothing = match &args.from {
            Some(path) => format!("{} lists no servers", path.display()),
            None => {
                "no server was found: neither in this folder nor in the home folder does a program list one".to_owned()
            }
        };
        return Err(usage(nothing).with_hint("give one: mst init -- COMMAND ARGS, mst init --url URL, or --from FILE"));
    }
    if !args.json {
        listing::print(&found, false, ui);
    }
    let names: Vec<String> = found.iter().map(|candidate| name_among(&found, candidate)).collect();
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = &names[..names.len().min(MOST_NAMES)];
    let message = format!("{} were found: {}{more}", plural(found.len(), "server"), shown.join(", "));
    Err(usage(message).with_hint("choose one with --server NAME; `mst init --list --json` says more of each"))
}

fn named(found: Vec<Candidate>, wanted: &str) -> Result<Candidate, CliError> {
    let mut meant = all_named(found, wanted)?;
    if meant.len() == 1 {
        return Ok(meant.swap_remove(0));
    }
    let names: BTreeSet<&str> = meant.iter().map(|candidate| candidate.server.name.as_str()).collect();
    if names.len() > 1 {
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        return Err(usage(format!("{wanted:?} is the label of several servers: {}", names.join(", ")))
            .with_hint("choose one by its exact name: --server NAME"));
    }
    let files = meant.iter().filter_map(|candidate| candidate.files.first());
    let files: Vec<String> = files.map(|file| super::shown(file.as_path())).collect();
    Err(usage(format!("{wanted:?} is listed differently in {}", files.join(" and ")))
        .with_hint("choose the file with --from FILE"))
}

/// Returns the servers of a name: those that have exactly it where they were found, else those whose label it is.
pub(crate) fn all_named(mut found: Vec<Candidate>, wanted: &str) -> Result<Vec<Candidate>, CliError> {
    if found.iter().any(|candidate| candidate.server.name == wanted) {
        found.retain(|candidate| candidate.server.name == wanted);
    } else if found.iter().any(|candidate| candidate.server.label == wanted) {
        found.retain(|candidate| candidate.server.label == wanted);
    } else {
        let names: Vec<String> = found.iter().map(|candidate| name_among(&found, candidate)).collect();
        let error = usage(format!("no server {wanted:?} was found"));
        return Err(match mst_cli::nearest(wanted, names.iter().map(String::as_str)) {
            Some(near) => error.with_hint(format!("did you mean {near:?}?")),
            None if names.is_empty() => error,
            None => error.with_hint(format!("found: {}", names.join(", "))),
        });
    }
    Ok(found)
}

/// Returns what chooses a server: its label, or its name where another one has that label.
fn name_among(found: &[Candidate], candidate: &Candidate) -> String {
    let server = &candidate.server;
    let shared = found.iter().any(|other| other.server.label == server.label && other.server.name != server.name);
    if shared { server.name.clone() } else { server.label.clone() }
}
