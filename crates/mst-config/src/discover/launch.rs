//! From an entry of another program to one of an eval config.
//!
//! Two entries come out: one to connect with now, which holds every value, and one to write, which holds no secret. An
//! eval config takes a bearer token from a variable (`auth.accessTokenEnv`); a variable of a stdio server's environment
//! comes from the environment or a secrets file with `inheritEnv`; other places have no way, so a secret there is left
//! out and told.

use mst_model::{AccessAuth, HttpServer, ServerConfig, StdioServer};
use url::Url;

use super::arguments::Arguments;
use super::declared::Declared;
use super::found::{Launch, NeededVariable};
use super::placeholder::{Expanded, Placeholders, is_variable, variable_of};
use super::secret::looks_secret;

/// Turns a declaration into what an eval config says. The error is a lowercase fragment.
pub(super) fn launch(declared: Declared, places: &Placeholders<'_>, label: &str) -> Result<Launch, String> {
    let kind = declared.kind.as_deref().unwrap_or_default().to_ascii_lowercase().replace(['_', '-'], "");
    match (kind.as_str(), &declared.command, &declared.url) {
        ("sse", _, _) => {
            Err("it speaks the HTTP+SSE transport of 2024-11-05, which needs a bridge to Streamable HTTP".to_owned())
        }
        ("stdio" | "local", None, _) => Err("it has no \"command\"".to_owned()),
        ("http" | "streamablehttp" | "remote", _, None) => Err("it has no \"url\"".to_owned()),
        ("", Some(_), Some(_)) => Err(
            "it has both a \"command\" and a \"url\", and no \"type\" that says which is meant; give one of them with \
             --url or after `--`"
                .to_owned(),
        ),
        ("" | "stdio" | "local", Some(_), _) => stdio(declared, places),
        ("" | "http" | "streamablehttp" | "remote", _, Some(_)) => http(declared, places, label),
        ("", None, None) => Err("it has neither a \"command\" nor a \"url\"".to_owned()),
        _ => Err(format!("its transport {:?} is not one that mst speaks", declared.kind.unwrap_or_default())),
    }
}

fn stdio(declared: Declared, places: &Placeholders<'_>) -> Result<Launch, String> {
    let mut out = Parts { notes: declared.notes, ..Parts::default() };
    let whole = |text: &str, what: &str| {
        let expanded = places.expand(text);
        match expanded.missing.first() {
            Some(missing) => Err(format!("its {what} needs {}", unset(missing))),
            None => Ok(expanded.text),
        }
    };
    let command = whole(declared.command.as_deref().unwrap_or_default(), "command")?;
    let cwd = match &declared.cwd {
        Some(cwd) => Some(places.workspace.join(whole(cwd, "cwd")?).display().to_string()),
        None => (places.workspace != places.around.folder).then(|| places.workspace.display().to_string()),
    };
    let mut connect = StdioServer { command: command.clone(), cwd, ..StdioServer::default() };
    connect.connect_timeout_ms = declared.connect_timeout_ms.filter(|millis| *millis > 0);
    let mut written = connect.clone();
    let mut args = Vec::new();
    for arg in &declared.args {
        for expanded in places.expand_argument(arg) {
            if let Some(missing) = expanded.missing.first() {
                return Err(format!("its arguments need {}", unset(missing)));
            }
            args.push(expanded);
        }
    }
    let arguments = Arguments::of(&command, &args)?;
    (connect.args, written.args) = (arguments.connect, arguments.written);
    out.notes.extend(arguments.notes);
    for name in &arguments.passed {
        out.need(name, true, places);
    }
    for (name, value) in arguments.moved {
        if declared.env.iter().any(|(known, _)| *known == name) {
            return Err(format!("its arguments and its environment both set {name}"));
        }
        out.need(&name, true, places);
        connect.env.insert(name, value);
    }
    for (name, value) in &declared.env {
        if !is_environment_name(name) {
            out.notes.push(format!("the variable {name:?} is left out: that is no name of one"));
            continue;
        }
        let expanded = places.expand(value);
        if expanded.missing.is_empty() {
            connect.env.insert(name.clone(), expanded.text.clone());
        }
        let secret = declared.secrets.contains(name) || expanded.secret || looks_secret(name, &expanded.text);
        if secret || !expanded.missing.is_empty() {
            out.need(name, expanded.missing.is_empty(), places);
        } else {
            written.env.insert(name.clone(), expanded.text);
        }
    }
    for name in declared.passed.iter().filter(|name| is_variable(name)) {
        if let Some(value) = places.around.variable(name) {
            connect.env.insert(name.clone(), value.to_owned());
        }
        out.need(name, places.around.variable(name).is_some(), places);
    }
    if let Some(file) = &declared.env_file {
        let file = places.workspace.join(places.expand(file).text);
        let file = file.display();
        out.notes.push(format!("the variables of {file} are not taken over: run with --secrets-file {file}"));
        written.inherit_env = true;
        connect.inherit_env = true;
    }
    written.inherit_env |= !out.variables.is_empty();
    Ok(out.finish(ServerConfig::Stdio(connect), ServerConfig::Stdio(written)))
}

fn http(declared: Declared, places: &Placeholders<'_>, label: &str) -> Result<Launch, String> {
    let mut out = Parts { notes: declared.notes, ..Parts::default() };
    let address = places.expand(declared.url.as_deref().unwrap_or_default());
    if let Some(missing) = address.missing.first() {
        return Err(format!("its URL needs {}", unset(missing)));
    }
    let url = Url::parse(&address.text).map_err(|error| format!("its URL is none: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("its URL must be http or https, not {}", url.scheme()));
    }
    let mut connect = HttpServer { server_url: address.text.clone(), ..HttpServer::default() };
    connect.connect_timeout_ms = declared.connect_timeout_ms.filter(|millis| *millis > 0);
    let mut written = HttpServer { server_url: out.written_url(url, &address), ..connect.clone() };
    let by_variable = declared.header_variables.into_iter().map(|(name, variable)| (name, format!("${{{variable}}}")));
    for (name, value) in declared.headers.into_iter().chain(by_variable) {
        let expanded = places.expand(&value);
        let known = expanded.missing.is_empty();
        if name.eq_ignore_ascii_case("authorization")
            && let Some((_, token)) = bearer(&expanded.text)
        {
            let variable = expanded.variables.first().cloned();
            let variable = variable.unwrap_or_else(|| variable_of(&format!("{label}-token")));
            if known {
                connect.auth = Some(AccessAuth { access_token: Some(token.to_owned()), ..AccessAuth::default() });
            }
            out.need(&variable, known, places);
            written.auth = Some(AccessAuth { access_token_env: Some(variable), ..AccessAuth::default() });
            continue;
        }
        if known {
            connect.headers.insert(name.clone(), expanded.text.clone());
        }
        if expanded.secret || declared.secrets.contains(&name) || looks_secret(&name, &expanded.text) {
            out.notes.push(format!(
                "the header {name:?} is left out: it holds a secret, and an eval config takes no header from a variable"
            ));
        } else if known {
            written.headers.insert(name, expanded.text);
        } else {
            out.notes.push(format!("the header {name:?} is left out: {} is not set", expanded.missing.join(", ")));
        }
    }
    if let Some(variable) = declared.token_variable {
        let value = places.around.variable(&variable);
        out.need(&variable, value.is_some(), places);
        connect.auth = value.map(|token| AccessAuth { access_token: Some(token.to_owned()), ..AccessAuth::default() });
        written.auth = Some(AccessAuth { access_token_env: Some(variable), ..AccessAuth::default() });
    }
    if written.auth.is_some() {
        // A connection has one source of its authorization.
        let other = |name: &String| name.eq_ignore_ascii_case("authorization");
        written.headers.retain(|name, _| !other(name));
        connect.headers.retain(|name, _| !other(name));
    }
    Ok(out.finish(ServerConfig::Http(connect), ServerConfig::Http(written)))
}

/// Says that a placeholder has no value, and how one is given where that can be done.
fn unset(missing: &str) -> String {
    if is_variable(missing) {
        format!("{missing}, which is not set; give --env {missing}=…")
    } else {
        format!("{missing}, which only the program that owns the file can fill in")
    }
}

/// Splits `Bearer TOKEN`; a token that is missing is an empty one.
fn bearer(value: &str) -> Option<(&str, &str)> {
    let (scheme, token) = value.trim_start().split_once(' ').unwrap_or((value.trim(), ""));
    scheme.eq_ignore_ascii_case("bearer").then_some((scheme, token.trim()))
}

/// Returns whether a process can have a variable of this name.
fn is_environment_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// What is gathered beside the entries.
#[derive(Default)]
struct Parts {
    variables: Vec<NeededVariable>,
    notes: Vec<String>,
}

impl Parts {
    fn need(&mut self, name: &str, known: bool, places: &Placeholders<'_>) {
        if !self.variables.iter().any(|variable| variable.name == name) {
            let set = places.around.variable(name).is_some();
            self.variables.push(NeededVariable { name: name.to_owned(), known, set });
        }
    }

    /// Returns a URL without a user and without the parameters that are secrets.
    fn written_url(&mut self, mut url: Url, address: &Expanded) -> String {
        let original = url.to_string();
        if !url.username().is_empty() || url.password().is_some() {
            self.notes.push("the URL's user is left out: an eval config holds no secret".to_owned());
            // An http URL has a host, so both can be set.
            url.set_username("").ok();
            url.set_password(None).ok();
        }
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let is_secret = |(name, value): &(String, String)| looks_secret(name, value) || address.secret;
        if pairs.iter().any(is_secret) {
            let kept: Vec<_> = pairs.iter().filter(|pair| !is_secret(pair)).collect();
            for (name, _) in pairs.iter().filter(|pair| is_secret(pair)) {
                self.notes.push(format!("the URL's parameter {name:?} is left out: an eval config holds no secret"));
            }
            url.set_query(None);
            if !kept.is_empty() {
                url.query_pairs_mut().extend_pairs(kept);
            }
        }
        if url.as_str() == original { address.text.clone() } else { url.to_string() }
    }

    fn finish(self, connect: ServerConfig, written: ServerConfig) -> Launch {
        Launch { connect, written, variables: self.variables, notes: self.notes }
    }
}
