//! A server given by hand, put through the same rules as one that was found: no secret is written.

use mst_model::ServerConfig;

use super::declared::Declared;
use super::found::Launch;
use super::launch::launch;
use super::placeholder::Placeholders;
use super::surroundings::Surroundings;

/// Returns how a server is reached that an eval config's entry describes. One that is started gets the variables named
/// by `passed` from the surroundings.
///
/// # Errors
/// Why it cannot be used, as a lowercase fragment.
pub fn launch_given(
    label: &str,
    config: &ServerConfig,
    passed: Vec<String>,
    around: &Surroundings,
) -> Result<Launch, String> {
    let pairs = |map: &indexmap::IndexMap<String, String>| {
        map.iter().map(|(name, value)| (name.clone(), value.clone())).collect::<Vec<_>>()
    };
    let declared = match config {
        ServerConfig::Stdio(server) => Declared {
            command: Some(server.command.clone()),
            args: server.args.clone(),
            env: pairs(&server.env),
            cwd: server.cwd.clone(),
            passed,
            ..Declared::default()
        },
        ServerConfig::Http(server) => Declared {
            url: Some(server.server_url.clone()),
            headers: pairs(&server.headers),
            token_variable: server.auth.as_ref().and_then(|auth| auth.access_token_env.clone()),
            ..Declared::default()
        },
    };
    launch(declared, &Placeholders::new(around, around.folder.clone()), label)
}
