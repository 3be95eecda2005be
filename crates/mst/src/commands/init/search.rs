//! Finds the servers that other programs know.

use std::path::{Path, PathBuf};

use mst_cli::{CliError, Ui, usage};
use mst_config::discover::{
    Format, Found, FoundServer, LONGEST_FILE, Surroundings, manifest_of_bundle, places, read, read_manifest,
};
use mst_config::{Diagnostic, Diagnostics, read_plain_file};

use super::candidate::Candidate;

/// The most bundles of a folder that are looked into.
const MOST_BUNDLES: usize = 20;

/// Looks into the working directory and the home folder. A file that cannot be read is told and passed over.
pub(crate) fn everywhere(around: &Surroundings, ui: &Ui) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for place in places(around).into_iter().filter(|place| place.path.is_file()) {
        match read_file(&place.path, around) {
            Ok(list) => add(&mut found, list, place.program),
            Err(error) => ui.warn(&format!("passed over: {}", told(&error, &place.path))),
        }
    }
    for path in bundles(&around.folder) {
        match read_file(&path, around) {
            Ok(list) => add(&mut found, list, "bundle"),
            Err(error) => ui.warn(&format!("passed over: {}", told(&error, &path))),
        }
    }
    found
}

/// Reads one file.
pub(crate) fn read_one(path: &Path, around: &Surroundings) -> Result<Vec<Candidate>, CliError> {
    if !path.is_file() {
        return Err(usage(format!("--from: {} is no file", path.display())));
    }
    let mut found = Vec::new();
    add(&mut found, read_file(path, around)?, "file");
    Ok(found)
}

/// Reads a bundle's manifest for the folder that it is unpacked in.
pub(crate) fn read_bundle(path: &Path, folder: &Path, around: &Surroundings) -> Result<FoundServer, CliError> {
    let file = fs_err::File::open(path)
        .map_err(|error| usage(format!("{} cannot be read: {}", path.display(), error.kind())))?;
    let manifest = manifest_of_bundle(std::io::BufReader::new(file))
        .map_err(|fault| usage(format!("{}: {fault}", path.display())))?;
    let found = read_manifest(path, manifest, folder, around).map_err(|diagnostic| wrong(&diagnostic))?;
    found.servers.into_iter().next().ok_or_else(|| usage(format!("{} starts no server", path.display())))
}

fn add(found: &mut Vec<Candidate>, list: Found, program: &str) {
    let Found { path, format, servers } = list;
    for server in servers {
        let same = |known: &&mut Candidate| {
            known.server.label == server.label
                && match (&known.server.launch, &server.launch) {
                    (Ok(one), Ok(other)) => one.connect == other.connect,
                    _ => false,
                }
        };
        if let Some(known) = found.iter_mut().find(same) {
            known.files.push(path.clone());
            continue;
        }
        let mut candidate = Candidate::listed(server, path.clone(), program, format.as_str());
        candidate.bundle = (format == Format::Bundle && is_bundle(&path)).then(|| path.clone());
        found.push(candidate);
    }
}

fn read_file(path: &Path, around: &Surroundings) -> Result<Found, CliError> {
    if is_bundle(path) {
        // The folder it will be unpacked in is not known yet; nothing is connected to before it is.
        let server = read_bundle(path, &path.with_extension("bundle"), around)?;
        return Ok(Found { path: path.to_owned(), format: Format::Bundle, servers: vec![server] });
    }
    let bytes = read_plain_file(path, LONGEST_FILE)
        .map_err(|error| usage(format!("{} cannot be read: {error}", path.display())))?;
    read(path, bytes, around).map_err(|diagnostic| wrong(&diagnostic))
}

fn wrong(diagnostic: &Diagnostic) -> CliError {
    CliError::diagnostics(Diagnostics::from_iter([diagnostic.clone()]))
}

/// Says in one line what is wrong with a file.
fn told(error: &CliError, path: &Path) -> String {
    match error.diagnostics.as_ref().and_then(|all| all.as_slice().first()) {
        Some(diagnostic) => diagnostic.to_string(),
        None if error.message.contains(&path.display().to_string()) => error.message.clone(),
        None => format!("{}: {}", path.display(), error.message),
    }
}

fn is_bundle(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["mcpb", "dxt"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

fn bundles(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_bundle(path) && path.is_file());
    let mut paths: Vec<PathBuf> = paths.take(MOST_BUNDLES).collect();
    paths.sort();
    paths
}
