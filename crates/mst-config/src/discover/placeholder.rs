//! `${…}` in other programs' files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mst_model::is_credential_name;

use super::surroundings::{Platform, Surroundings};

/// What the placeholders of one file stand for.
pub(super) struct Placeholders<'a> {
    pub(super) around: &'a Surroundings,
    /// The project folder that the file belongs to.
    pub(super) workspace: PathBuf,
    /// The folder of an unpacked bundle.
    pub(super) bundle: Option<PathBuf>,
    /// Values that the file itself asks its user for.
    pub(super) inputs: BTreeMap<String, Input>,
}

/// A value that a file asks its user for.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    pub(super) secret: bool,
    /// Its default; several for a list.
    pub(super) default: Option<Vec<String>>,
}

/// A text with its placeholders replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expanded {
    /// The text, with nothing where a value is missing.
    pub(super) text: String,
    /// The variables it took a value from, or would have.
    pub(super) variables: Vec<String>,
    /// Placeholders without a value, by what would give one.
    pub(super) missing: Vec<String>,
    /// Whether a part of it is a secret by what it came from.
    pub(super) secret: bool,
}

/// What one placeholder stands for.
enum Value {
    Text(String),
    Variable { name: String, text: Option<String>, secret: bool },
    Unknown(String),
}

impl<'a> Placeholders<'a> {
    pub(super) fn new(around: &'a Surroundings, workspace: PathBuf) -> Self {
        Self { around, workspace, bundle: None, inputs: BTreeMap::new() }
    }

    /// Replaces the placeholders of a text.
    pub(super) fn expand(&self, text: &str) -> Expanded {
        let mut expanded = Expanded::default();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let Some(end) = rest[start..].find('}') else { break };
            expanded.text.push_str(&rest[..start]);
            expanded.add(self.value(&rest[start + 2..start + end]));
            rest = &rest[start + end + 1..];
        }
        expanded.text.push_str(rest);
        expanded
    }

    /// Replaces the placeholders of an argument, which may stand for several, or for none.
    pub(super) fn expand_argument(&self, text: &str) -> Vec<Expanded> {
        let whole = text.strip_prefix("${user_config.").and_then(|rest| rest.strip_suffix('}'));
        let input = whole.and_then(|name| Some((name, self.inputs.get(name)?)));
        match input {
            Some((name, Input { default: Some(values), secret })) if self.given(name).is_none() => {
                values.iter().map(|value| Expanded { secret: *secret, ..self.expand(value) }).collect()
            }
            _ => vec![self.expand(text)],
        }
    }

    fn value(&self, name: &str) -> Value {
        let home = || self.around.home.as_deref();
        let path = |path: Option<&Path>| match path {
            Some(path) => Value::Text(path.display().to_string()),
            None => Value::Unknown(format!("${{{name}}}")),
        };
        let in_home = |folder: &str| path(home().map(|home| home.join(folder)).as_deref());
        if let Some(id) = name.strip_prefix("input:").or_else(|| name.strip_prefix("user_config.")) {
            return self.input(id);
        }
        match name {
            "workspaceFolder" | "workspaceRoot" | "CLAUDE_PROJECT_DIR" => path(Some(&self.workspace)),
            "workspaceFolderBasename" => path(self.workspace.file_name().map(Path::new)),
            "userHome" => path(home()),
            "pathSeparator" | "/" => {
                Value::Text(if self.around.platform == Platform::Windows { "\\" } else { "/" }.to_owned())
            }
            "__dirname" => path(self.bundle.as_deref()),
            "DESKTOP" if self.bundle.is_some() => in_home("Desktop"),
            "DOCUMENTS" if self.bundle.is_some() => in_home("Documents"),
            "DOWNLOADS" if self.bundle.is_some() => in_home("Downloads"),
            _ => self.variable(name.strip_prefix("env:").unwrap_or(name)),
        }
    }

    /// `NAME` or `NAME:-default`.
    fn variable(&self, name: &str) -> Value {
        let (name, default) = name.split_once(":-").map_or((name, None), |(name, default)| (name, Some(default)));
        if !is_variable(name) {
            return Value::Unknown(format!("${{{name}}}"));
        }
        let text = self.around.variable(name).or(default).map(str::to_owned);
        Value::Variable { name: name.to_owned(), text, secret: is_credential_name(name) }
    }

    fn input(&self, id: &str) -> Value {
        let known = self.inputs.get(id);
        let text = self.given(id).map(str::to_owned).or_else(|| {
            known.and_then(|input| input.default.as_ref()).map(|values| self.expand(&values.join(",")).text)
        });
        let secret = known.is_some_and(|input| input.secret) || is_credential_name(id);
        Value::Variable { name: variable_of(id), text, secret }
    }

    /// Returns the value that the user gave for an input, as a variable named like it.
    fn given(&self, id: &str) -> Option<&str> {
        self.around.variable(&variable_of(id)).or_else(|| self.around.variable(id))
    }
}

impl Expanded {
    fn add(&mut self, value: Value) {
        match value {
            Value::Text(text) => self.text.push_str(&text),
            Value::Unknown(what) => self.missing.push(what),
            Value::Variable { name, text, secret } => {
                self.secret |= secret;
                match text {
                    Some(text) => self.text.push_str(&text),
                    None => self.missing.push(name.clone()),
                }
                self.variables.push(name);
            }
        }
    }
}

/// Returns the variable that stands for an input: `github-token` is `GITHUB_TOKEN`.
pub(super) fn variable_of(id: &str) -> String {
    let name: String = id
        .chars()
        .take(100)
        .map(|char| if char.is_ascii_alphanumeric() { char.to_ascii_uppercase() } else { '_' })
        .collect();
    if name.starts_with(|char: char| char.is_ascii_digit()) || name.is_empty() { format!("_{name}") } else { name }
}

pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|char: char| char.is_ascii_digit())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_stand_for_variables_folders_and_inputs() {
        let variables = [("MODE", "fast"), ("API_TOKEN", "t")];
        let around = Surroundings {
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            home: Some("/home/u".into()),
            folder: "/work".into(),
            platform: Platform::Linux,
        };
        let mut places = Placeholders::new(&around, "/home/user/p".into());
        places.inputs.insert("db-path".to_owned(), Input { secret: false, default: Some(vec!["x.db".to_owned()]) });
        places.inputs.insert("pin".to_owned(), Input { secret: true, default: None });
        for (text, want, missing, secret) in [
            ("plain $MODE", "plain $MODE", vec![], false),
            ("${MODE}-${env:MODE}", "fast-fast", vec![], false),
            ("${NONE:-slow}", "slow", vec![], false),
            ("${NONE}", "", vec!["NONE"], false),
            ("Bearer ${API_TOKEN}", "Bearer t", vec![], true),
            ("${workspaceFolder}/a${/}b", "/home/user/p/a/b", vec![], false),
            ("${userHome}", "/home/u", vec![], false),
            ("${input:db-path}", "x.db", vec![], false),
            ("${input:pin}", "", vec!["PIN"], true),
            ("${command:pick}", "", vec!["${command:pick}"], false),
            ("${open", "${open", vec![], false),
        ] {
            let expanded = places.expand(text);
            assert_eq!((expanded.text.as_str(), expanded.secret), (want, secret), "{text}");
            assert_eq!(expanded.missing, missing, "{text}");
        }
    }
}
