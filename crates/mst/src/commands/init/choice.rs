//! Which of the servers that were found is meant.

use mst_cli::{CliError, Ui, plural, usage};

use super::args::InitArgs;
use super::candidate::Candidate;
use super::listing;

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
    let labels: Vec<&str> = found.iter().map(|candidate| candidate.server.label.as_str()).collect();
    let message = format!("{} were found: {}", plural(found.len(), "server"), labels.join(", "));
    Err(usage(message).with_hint("choose one with --server LABEL; `mst init --list --json` says more of each"))
}

fn named(mut found: Vec<Candidate>, wanted: &str) -> Result<Candidate, CliError> {
    let by_label: Vec<usize> = matching(&found, |candidate| candidate.server.label == wanted);
    let at = if by_label.is_empty() { matching(&found, |candidate| candidate.server.name == wanted) } else { by_label };
    match at.as_slice() {
        [one] => Ok(found.swap_remove(*one)),
        [] => {
            let labels: Vec<&str> = found.iter().map(|candidate| candidate.server.label.as_str()).collect();
            let error = usage(format!("no server {wanted:?} was found"));
            Err(match mst_cli::nearest(wanted, labels.iter().copied()) {
                Some(near) => error.with_hint(format!("did you mean {near:?}?")),
                None if labels.is_empty() => error,
                None => error.with_hint(format!("found: {}", labels.join(", "))),
            })
        }
        several => {
            let files = several.iter().filter_map(|at| found[*at].files.first());
            let files: Vec<String> = files.map(|file| super::shown(file.as_path())).collect();
            Err(usage(format!("{wanted:?} is listed differently in {}", files.join(" and ")))
                .with_hint("choose the file with --from FILE"))
        }
    }
}

fn matching(found: &[Candidate], is: impl Fn(&Candidate) -> bool) -> Vec<usize> {
    found.iter().enumerate().filter(|(_, candidate)| is(candidate)).map(|(at, _)| at).collect()
}
