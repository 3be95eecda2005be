//! A server as a file declares it, before any placeholder is replaced.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::text::Text;
use crate::diagnostic::{Code, Diagnostic};
use crate::issue::join;

/// A server's entry in neutral form.
#[derive(Default)]
pub(super) struct Declared {
    /// What the entry calls its transport.
    pub(super) kind: Option<String>,
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    /// Variables that are passed on from the environment.
    pub(super) passed: Vec<String>,
    pub(super) cwd: Option<String>,
    pub(super) env_file: Option<String>,
    pub(super) url: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    /// Headers whose value a variable holds.
    pub(super) header_variables: Vec<(String, String)>,
    /// The variable that holds the bearer token.
    pub(super) token_variable: Option<String>,
    /// Names whose values the file itself calls secret.
    pub(super) secrets: BTreeSet<String>,
    pub(super) connect_timeout_ms: Option<u64>,
    pub(super) disabled: bool,
    pub(super) notes: Vec<String>,
}

impl Declared {
    /// Reads an entry of `mcpServers`, `servers` or `mcp_servers`: they share their keys.
    pub(super) fn read(text: &Text, pointer: &str, entry: &Value) -> Result<Self, Box<Diagnostic>> {
        let Value::Object(object) = entry else {
            return Err(text.wrong(pointer, Code::WrongType, "a server's entry must be an object"));
        };
        let at = Entry { text, pointer, object };
        let flag = |key| at.flag(key);
        Ok(Self {
            kind: at.first_text(&["type", "transport", "transportType"])?,
            command: at.text("command")?,
            args: at.texts("args")?,
            env: at.map("env")?,
            passed: at.texts_or_names("env_vars")?,
            cwd: at.text("cwd")?,
            env_file: at.first_text(&["envFile", "env_file"])?,
            url: at.first_text(&["url", "serverUrl", "httpUrl"])?,
            headers: [at.map("headers")?, at.map("http_headers")?].concat(),
            header_variables: at.map("env_http_headers")?,
            token_variable: at.text("bearer_token_env_var")?,
            connect_timeout_ms: at.seconds("startup_timeout_sec")?,
            disabled: flag("disabled")? == Some(true) || flag("enabled")? == Some(false),
            ..Self::default()
        })
    }
}

/// An object of a file, with its place.
pub(super) struct Entry<'t> {
    pub(super) text: &'t Text,
    pub(super) pointer: &'t str,
    pub(super) object: &'t Map<String, Value>,
}

impl Entry<'_> {
    fn wrong<T>(&self, key: &str, wanted: &str) -> Result<T, Box<Diagnostic>> {
        Err(self.text.wrong(&join(self.pointer, key), Code::WrongType, format!("{key:?} must be {wanted}")))
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// Returns a text; an empty one counts as absent.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Box<Diagnostic>> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => self.wrong(key, "a string"),
        }
    }

    fn first_text(&self, keys: &[&str]) -> Result<Option<String>, Box<Diagnostic>> {
        keys.iter().find_map(|key| self.text(key).transpose()).transpose()
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Box<Diagnostic>> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => self.wrong(key, "true or false"),
        }
    }

    /// Returns a list of texts; numbers and flags count as their text.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Box<Diagnostic>> {
        match self.value(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => match items.iter().map(scalar).collect::<Option<Vec<_>>>() {
                Some(texts) => Ok(texts),
                None => self.wrong(key, "a list of strings"),
            },
            Some(_) => self.wrong(key, "a list of strings"),
        }
    }

    /// Returns a list of names, given as texts or as objects with a `name`.
    fn texts_or_names(&self, key: &str) -> Result<Vec<String>, Box<Diagnostic>> {
        let Some(value) = self.value(key) else { return Ok(Vec::new()) };
        let name = |item: &Value| item.as_str().or_else(|| item.get("name")?.as_str()).map(str::to_owned);
        match value.as_array().and_then(|items| items.iter().map(name).collect::<Option<Vec<_>>>()) {
            Some(names) => Ok(names),
            None => self.wrong(key, "a list of names"),
        }
    }

    /// Returns a map of texts; an entry that is null is not there.
    pub(super) fn map(&self, key: &str) -> Result<Vec<(String, String)>, Box<Diagnostic>> {
        match self.value(key) {
            None => Ok(Vec::new()),
            Some(Value::Object(map)) => {
                let pairs = map.iter().filter(|(_, value)| !value.is_null());
                match pairs.map(|(name, value)| Some((name.clone(), scalar(value)?))).collect::<Option<Vec<_>>>() {
                    Some(pairs) => Ok(pairs),
                    None => self.wrong(key, "an object of strings"),
                }
            }
            Some(_) => self.wrong(key, "an object of strings"),
        }
    }

    /// Returns a time in seconds as milliseconds.
    fn seconds(&self, key: &str) -> Result<Option<u64>, Box<Diagnostic>> {
        match self.value(key) {
            None => Ok(None),
            Some(value) => match value.as_f64().filter(|seconds| (0.001..1e6).contains(seconds)) {
                Some(seconds) => Ok(Some((seconds * 1e3) as u64)),
                None => self.wrong(key, "a number of seconds"),
            },
        }
    }
}

/// Returns a text, a number or a flag as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
