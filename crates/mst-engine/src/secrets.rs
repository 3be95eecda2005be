//! The secrets that a run knows, from everything it was given.

use std::collections::BTreeMap;

use mst_config::Plan;
use mst_model::{Scrubber, ServerConfig, is_credential_name};

use crate::error::RunError;
use crate::judges;

/// Makes the scrubber of a run.
///
/// Secret at any length: what is used as a credential (literal and named access tokens, a URL's password, credential-named
/// query values). Secret from 8 characters: variables, headers, and entries of a server's environment and its arguments whose
/// name says so, and the variable that `apiKeyEnvVar` of a client or a judge names.
pub fn scrubber(plan: &Plan, env: &BTreeMap<String, String>) -> Scrubber {
    let mut known = Known::of(env);
    for variable in judges::key_variables(plan) {
        known.named.extend(env.get(&variable).map(|key| ("api_key".to_owned(), key.clone())));
    }
    for variant in &plan.variants {
        for config in variant.servers.values() {
            known.add_server(config, env);
        }
        let named = &mut known.named;
        for client in variant.batches.iter().map(|batch| &batch.client).chain([&variant.client]) {
            let variable = client.options.get("apiKeyEnvVar").and_then(|name| name.as_str());
            named.extend(variable.and_then(|name| env.get(name)).map(|key| ("api_key".to_owned(), key.clone())));
            let own = client.options.get("env").and_then(|env| env.as_object());
            named.extend(
                own.into_iter().flatten().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))),
            );
        }
    }
    known.scrubber()
}

/// Makes the scrubber of a command that connects to servers without a plan; what is secret is what it is in a run.
pub fn scrubber_of_servers<'a>(
    servers: impl IntoIterator<Item = &'a ServerConfig>,
    env: &BTreeMap<String, String>,
) -> Scrubber {
    let mut known = Known::of(env);
    for config in servers {
        known.add_server(config, env);
    }
    known.scrubber()
}

/// What is known so far: values used as credentials, and values with their names.
struct Known {
    credentials: Vec<String>,
    named: Vec<(String, String)>,
}

impl Known {
    fn of(env: &BTreeMap<String, String>) -> Self {
        let named = env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Self { credentials: Vec::new(), named }
    }

    fn add_server(&mut self, config: &ServerConfig, env: &BTreeMap<String, String>) {
        let Self { credentials, named } = self;
        match config {
            ServerConfig::Stdio(server) => {
                named.extend(server.env.iter().map(|(name, value)| (name.clone(), value.clone())));
                named.extend(named_arguments(&server.args));
                let values = server.args.iter().map(|arg| arg.split_once('=').map_or(arg.as_str(), |(_, value)| value));
                credentials.extend(server.args.iter().map(String::as_str).chain(values).flat_map(url_credentials));
            }
            ServerConfig::Http(server) => {
                credentials.extend(url_credentials(&server.server_url));
                credentials.extend(server.proxy.iter().flat_map(|proxy| url_credentials(&proxy.url)));
                for (name, value) in &server.headers {
                    named.push((name.clone(), value.clone()));
                    if let Some((_, token)) = value.split_once(' ').filter(|_| is_credential_name(name)) {
                        named.push((name.clone(), token.to_owned()));
                    }
                }
                let auth = server.auth.as_ref();
                credentials.extend(auth.and_then(|auth| auth.access_token.clone()));
                let variable = auth.and_then(|auth| auth.access_token_env.as_ref());
                credentials.extend(variable.and_then(|name| env.get(name).cloned()));
            }
        }
    }

    fn scrubber(&self) -> Scrubber {
        Scrubber::new(
            self.credentials.iter().map(String::as_str),
            self.named.iter().map(|(name, value)| (name.as_str(), value.as_str())),
        )
    }
}

/// Returns the arguments that have a name: `--name=value`, `--name value`, `NAME=value`.
fn named_arguments(args: &[String]) -> Vec<(String, String)> {
    let bare = |name: &str| name.trim_start_matches('-').to_owned();
    let joined = args.iter().filter_map(|arg| arg.split_once('=').map(|(name, value)| (bare(name), value.to_owned())));
    let pairs = args.windows(2).filter(|pair| pair[0].starts_with('-') && !pair[0].contains('='));
    let apart = pairs.filter(|pair| !pair[1].starts_with('-')).map(|pair| (bare(&pair[0]), pair[1].clone()));
    joined.chain(apart).collect()
}

/// Returns what a URL carries as credentials: its password, and query values whose name says so.
fn url_credentials(text: &str) -> Vec<String> {
    let Ok(url) = url::Url::parse(text) else { return Vec::new() };
    let mut found: Vec<String> =
        url.query_pairs().filter(|(name, _)| is_credential_name(name)).map(|(_, value)| value.into_owned()).collect();
    found.extend(url.password().map(str::to_owned));
    found
}

/// Returns the bearer token of a server entry, from its literal or the variable it names.
pub(crate) fn bearer(
    label: &mst_model::ServerLabel,
    config: &ServerConfig,
    env: &BTreeMap<String, String>,
) -> Result<Option<String>, RunError> {
    let ServerConfig::Http(server) = config else { return Ok(None) };
    let Some(auth) = &server.auth else { return Ok(None) };
    if let Some(token) = &auth.access_token {
        return Ok(Some(token.clone()));
    }
    let Some(variable) = &auth.access_token_env else { return Ok(None) };
    match env.get(variable).filter(|token| !token.is_empty()) {
        Some(token) => Ok(Some(token.clone())),
        None => Err(RunError::ServerCredential { server: label.clone(), variable: variable.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_argument_names_as_a_credential_is_scrubbed() {
        let args = [
            "--password=planted-1",
            "--api-key",
            "planted-2",
            "--mode",
            "planted-kept",
            "API_TOKEN=planted-3",
            "--pw=planted-kept",
            "--db=postgres://u:planted-4@h/d",
            "--token=short",
            "--auth",
            "--verbose",
        ];
        let server = mst_model::StdioServer { args: args.map(str::to_owned).to_vec(), ..Default::default() };
        let scrubber = scrubber_of_servers([&ServerConfig::Stdio(server)], &BTreeMap::new());
        let text = scrubber.text("planted-1 planted-2 planted-3 planted-4 planted-kept short --verbose");
        assert_eq!(text, "[REDACTED] [REDACTED] [REDACTED] [REDACTED] planted-kept short --verbose");
    }

    #[test]
    fn a_url_gives_away_its_password_and_named_query_values() {
        assert_eq!(url_credentials("https://u:pw-1@example.invalid/mcp?api_key=qk-2&page=3"), ["qk-2", "pw-1"]);
        assert_eq!(url_credentials("not a url"), Vec::<String>::new());
    }
}
