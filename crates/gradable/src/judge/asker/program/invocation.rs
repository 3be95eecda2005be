//! How a program is called, and what came of it.

use std::collections::BTreeMap;

use super::home::Home;

/// Variables that any program gets: where programs are, the user's language, and the way out to the network.
const COMMON: [&str; 22] = [
    "PATH",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// How a program is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Invocation {
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// Its whole environment.
    pub(super) env: BTreeMap<String, String>,
    /// Its working directory, which is empty.
    pub(super) cwd: std::path::PathBuf,
}

impl Invocation {
    /// Begins an invocation with a home of its own and the variables that any program gets.
    pub(super) fn new(home: &Home, env: &BTreeMap<String, String>) -> Self {
        let mut invocation = Self { cwd: home.folder("cwd"), ..Self::default() };
        invocation.pass(env, |name| COMMON.contains(&name));
        for name in ["HOME", "USERPROFILE"] {
            invocation.set(name, home.path("home"));
        }
        invocation
    }

    /// Passes variables on.
    pub(super) fn pass(&mut self, env: &BTreeMap<String, String>, is_passed: impl Fn(&str) -> bool) {
        let passed = env.iter().filter(|(name, _)| is_passed(name));
        self.env.extend(passed.map(|(name, value)| (name.clone(), value.clone())));
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.env.insert(name.to_owned(), value.into());
    }

    /// Adds arguments.
    pub(super) fn args<'a>(&mut self, args: impl IntoIterator<Item = &'a str>) {
        self.args.extend(args.into_iter().map(str::to_owned));
    }
}

/// What a program printed.
#[derive(Clone, Debug, Default)]
pub(super) struct Printed {
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Its exit code; absent when it was killed by a signal.
    pub(super) code: Option<i32>,
}

impl Printed {
    /// Returns the lines of stdout that are JSON objects.
    pub(super) fn events(&self) -> impl Iterator<Item = serde_json::Value> {
        self.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(serde_json::Value::is_object)
    }

    /// Says how it ended.
    pub(super) fn ending(&self) -> String {
        match self.code {
            Some(code) => format!("it ended with code {code}"),
            None => "it was killed".to_owned(),
        }
    }
}

/// What a model said through a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// The answer.
    pub(super) text: String,
    /// The models that took part in it, as the program says.
    pub(super) models: Vec<String>,
    /// Whether it was cut off at the model's output limit.
    pub(super) is_cut_off: bool,
}

impl Heard {
    /// Notes a model that took part.
    pub(super) fn by(&mut self, model: &str) {
        if !model.is_empty() && self.models.iter().all(|known| known != model) {
            self.models.push(model.to_owned());
        }
    }
}

/// Why a program gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It is not logged in, or its credentials were rejected.
    Auth(String),
    /// The prompt is too long for its model.
    TooLong(String),
    /// Something that may be gone when it is run again.
    Passing(String),
    /// Something else.
    Lasting(String),
    /// The scan was stopped.
    Cancelled,
}

impl Trouble {
    /// Sorts a provider's refusal by its status.
    pub(super) fn of_status(status: u64, reason: String) -> Self {
        match status {
            401 | 403 => Self::Auth(reason),
            408 | 429 | 500..=599 => Self::Passing(reason),
            _ => Self::Lasting(reason),
        }
    }
}

/// Cuts a text that a program printed for a reason.
pub(super) fn brief(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Reads what a program printed, and returns it in a line.
    pub(crate) fn said(read: impl Fn(&Printed) -> Result<Heard, Trouble>, lines: &[String], code: i32) -> String {
        said_with(read, lines, "", code)
    }

    /// Does the same with what it wrote to stderr.
    pub(crate) fn said_with(
        read: impl Fn(&Printed) -> Result<Heard, Trouble>,
        lines: &[String],
        stderr: &str,
        code: i32,
    ) -> String {
        let printed = Printed { stdout: lines.join("\n"), stderr: stderr.to_owned(), code: Some(code) };
        match read(&printed) {
            Ok(heard) => {
                let cut = if heard.is_cut_off { ", cut off" } else { "" };
                format!("{} by {}{cut}", heard.text.trim(), heard.models.join(", "))
            }
            Err(trouble) => format!("{trouble:?}"),
        }
    }
}
