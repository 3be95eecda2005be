//! What a run is told by its surroundings: the environment, the secrets file over it, and the variables that set it up.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mst_cli::{CliError, Env, ExitClass};
use mst_config::load_secrets;

use crate::error;

/// Returns the environment with the secrets file over it. A relative path of the file starts at the root directory.
pub(crate) fn read(
    secrets_file: Option<&Path>,
    root_dir: &Path,
    env: &Env,
) -> Result<Arc<BTreeMap<String, String>>, CliError> {
    let mut variables = env.variables().clone();
    if let Some(path) = secrets_file {
        variables.extend(load_secrets(&root_dir.join(path)).map_err(error::diagnostics)?);
    }
    Ok(Arc::new(variables))
}

/// Refuses a root directory that is none.
pub(crate) fn check_root_dir(root_dir: &Path) -> Result<(), CliError> {
    if root_dir.is_dir() {
        return Ok(());
    }
    let message = format!("--root-dir: {} is not a directory", root_dir.display());
    Err(CliError::new(ExitClass::Usage, message))
}

/// Reads `MST_MCP_READINESS_RETRY_S`: comma-separated seconds, `10,30` when absent, none when empty.
pub(crate) fn readiness_delays(variables: &BTreeMap<String, String>) -> Result<Vec<Duration>, CliError> {
    const NAME: &str = "MST_MCP_READINESS_RETRY_S";
    const OLD: &str = "MST_COWORK_MCP_PREFLIGHT_RETRY_S";
    if variables.contains_key(OLD) {
        return Err(CliError::new(ExitClass::Usage, format!("{OLD} is now called {NAME}")));
    }
    let text = variables.get(NAME).map_or("10,30", String::as_str);
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| match part.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            Some(delay) => Ok(delay),
            None => Err(CliError::new(ExitClass::Usage, format!("{NAME}: {part:?} is not a number of seconds"))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_delays_are_seconds_between_commas() {
        let read = |text: Option<&str>| {
            let name = "MST_MCP_READINESS_RETRY_S".to_owned();
            let variables = text.map(|text| (name, text.to_owned())).into_iter().collect();
            readiness_delays(&variables).map(|delays| delays.iter().map(Duration::as_secs_f64).collect::<Vec<_>>())
        };
        assert_eq!(read(None).expect("the default"), [10.0, 30.0]);
        assert_eq!(read(Some("")).expect("none"), Vec::<f64>::new());
        assert_eq!(read(Some("5, 0.5")).expect("two"), [5.0, 0.5]);
        for bad in ["x", "-1", "1,,y", "nan", "inf"] {
            assert!(read(Some(bad)).is_err(), "{bad}");
        }
    }
}
