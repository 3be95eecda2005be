//! A server that another program's list holds.

use std::io::Read as _;
use std::path::Path;

use mst_cli::{CliError, ExitClass, nearest, usage};
use mst_config::Diagnostics;
use mst_config::discover::{FoundServer, LONGEST_FILE, Surroundings, read};
use mst_model::ServerConfig;

use super::target::Found;
use crate::args::TargetArgs;

/// Returns the server that `--from` and `--server` mean, with `--env` and `--cwd` in its entry.
pub(super) fn server(path: &Path, args: &TargetArgs, around: &Surroundings) -> Result<Found, CliError> {
    let wrong =
        |diagnostic: &mst_config::Diagnostic| CliError::diagnostics(Diagnostics::from_iter([diagnostic.clone()]));
    let list = read(path, bytes(path)?, around).map_err(|diagnostic| wrong(&diagnostic))?;
    let found = choose(list.servers, args.server.as_deref(), path)?;
    let launch = found.launch.map_err(|diagnostic| wrong(&diagnostic))?;
    let hidden = launch.hidden_values();
    let unset = launch.variables.iter().filter(|variable| !variable.known).map(|one| one.name.clone()).collect();
    let mut config = launch.connect;
    match &mut config {
        ServerConfig::Http(_) if args.given.cwd.is_some() => {
            return Err(usage("--cwd is for a server that is started, and this one has a URL"));
        }
        ServerConfig::Http(_) => {}
        ServerConfig::Stdio(server) => {
            server.env.extend(args.given.variables()?);
            if let Some(cwd) = &args.given.cwd {
                if !cwd.is_dir() {
                    return Err(usage(format!("--cwd: {} is not a directory", cwd.display())));
                }
                server.cwd = Some(cwd.display().to_string());
            }
        }
    }
    Ok(Found { label: found.label, name: found.name, config, hidden, unset })
}

fn choose(servers: Vec<FoundServer>, name: Option<&str>, path: &Path) -> Result<FoundServer, CliError> {
    let known: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
    let at = match name {
        Some(name) => {
            let by = |of: fn(&FoundServer) -> &str| servers.iter().position(|server| of(server) == name);
            by(|server| &server.name).or_else(|| by(|server| &server.label)).ok_or_else(|| {
                let error = usage(format!("{} lists no server {name:?}", path.display()));
                match nearest(name, known.iter().map(String::as_str)) {
                    Some(near) => error.with_hint(format!("did you mean {near:?}?")),
                    None => error.with_hint(format!("its servers: {}", known.join(", "))),
                }
            })?
        }
        None if servers.len() == 1 => 0,
        None if servers.is_empty() => return Err(usage(format!("{} lists no server", path.display()))),
        None => {
            return Err(usage(format!("{} lists several servers: {}", path.display(), known.join(", ")))
                .with_hint("choose one with --server NAME"));
        }
    };
    Ok(servers.into_iter().nth(at).expect("the position of one of them"))
}

fn bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    if path.extension().is_some_and(|extension| extension == "mcpb" || extension == "dxt") {
        return Err(usage(format!(
            "{}: a bundle has to be unpacked first, which `mst init --from` does",
            path.display()
        )));
    }
    let unreadable = |error: &std::io::Error| {
        CliError::new(ExitClass::Usage, format!("--from: {} cannot be read: {}", path.display(), error.kind()))
    };
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path).map_err(|error| unreadable(&error))?;
    file.take(LONGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(usage(format!(
            "--from: {} is larger than {} MB, and no list of servers is",
            path.display(),
            LONGEST_FILE >> 20
        )));
    }
    Ok(bytes)
}
