//! A registry's `server.json`: packages that are started, and remotes that are there already.
//!
//! The file names a package and its arguments, not a command line: the command is the runtime it hints at, else the one
//! that its kind of package is started with; then come the runtime's arguments, the package, and the package's own.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::declared::{Declared, Entry};
use super::found::{Format, Found, FoundServer};
use super::label::label_from;
use super::launch::launch;
use super::placeholder::{Input, Placeholders, variable_of};
use super::text::Text;
use crate::diagnostic::{Code, Diagnostic};

/// Reads the packages and remotes of one server: each is a way to reach it.
pub(super) fn read(text: &Text, places: &Placeholders<'_>) -> Result<Found, Box<Diagnostic>> {
    // A registry's answer wraps the file.
    let start = if text.root().get("server").is_some_and(Value::is_object) { "/server" } else { "" };
    let root = text.root().pointer(start).and_then(Value::as_object);
    let name = root.and_then(|root| root.get("name")).and_then(Value::as_str).unwrap_or("server");
    let mut servers = Vec::new();
    for (key, reader) in [("packages", package as Reader), ("remotes", remote as Reader)] {
        let pointer = format!("{start}/{key}");
        match text.root().pointer(&pointer) {
            None | Some(Value::Null) => {}
            Some(Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    servers.push(way(text, &format!("{pointer}/{at}"), item, (name, reader, places)));
                }
            }
            Some(_) => return Err(text.wrong(&pointer, Code::WrongType, format!("{key:?} must be a list"))),
        }
    }
    tell_apart(&mut servers);
    Ok(Found { path: text.path().to_owned(), format: Format::ServerJson, servers })
}

/// Makes a declaration of a package or a remote; gives also the word that tells it from the server's other ways.
type Reader = fn(&Entry<'_>, &mut Placeholders<'_>) -> Result<(Declared, String), Box<Diagnostic>>;

fn way(
    text: &Text,
    pointer: &str,
    item: &Value,
    (name, reader, places): (&str, Reader, &Placeholders<'_>),
) -> FoundServer {
    let label = label_from(name.rsplit('/').next().unwrap_or(name));
    let mut own = Placeholders::new(places.around, places.workspace.clone());
    let read = match item {
        Value::Object(object) => reader(&Entry { text, pointer, object }, &mut own),
        _ => Err(text.wrong(pointer, Code::WrongType, "a package or remote must be an object")),
    };
    let (launch, word) = match read {
        Err(wrong) => {
            let kind = ["registryType", "registry_type"].iter().find_map(|key| item.get(*key)?.as_str());
            (Err(wrong), kind.unwrap_or("remote").to_owned())
        }
        Ok((declared, word)) => {
            let launched = launch(declared, &own, &label).map(Box::new).map_err(|fault| {
                text.wrong(pointer, Code::InvalidValue, format!("{name:?} cannot be used this way: {fault}"))
            });
            (launched, word)
        }
    };
    FoundServer { name: format!("{name} ({word})"), label, disabled: false, launch }
}

/// Gives several ways of one server labels that differ.
fn tell_apart(servers: &mut [FoundServer]) {
    if servers.len() < 2 {
        return;
    }
    let mut taken = BTreeSet::new();
    for server in servers {
        let word = server.name.rsplit('(').next().unwrap_or_default().trim_end_matches(')').to_owned();
        let base = label_from(&format!("{}-{word}", server.label));
        let mut label = base.clone();
        let mut number = 2;
        while !taken.insert(label.clone()) {
            label = format!("{base}-{number}");
            number += 1;
        }
        server.label = label;
    }
}

fn package(entry: &Entry<'_>, places: &mut Placeholders<'_>) -> Result<(Declared, String), Box<Diagnostic>> {
    let text =
        |camel: &str, snake: &str| entry.text(camel).transpose().or_else(|| entry.text(snake).transpose()).transpose();
    let kind = text("registryType", "registry_type")?.or(entry.text("registry_name")?).unwrap_or_default();
    let identifier = text("identifier", "name")?.unwrap_or_default();
    let version = entry.text("version")?;
    let mut declared = Declared::default();
    let mut runtime = arguments(entry, ["runtimeArguments", "runtime_arguments"], places)?;
    let own = arguments(entry, ["packageArguments", "package_arguments"], places)?;
    variables(entry, &mut declared, places)?;
    let at_version = |mark: &str| {
        version.as_ref().map_or_else(|| identifier.clone(), |version| format!("{identifier}{mark}{version}"))
    };
    let hint = text("runtimeHint", "runtime_hint")?;
    let (command, reference) = match kind.as_str() {
        "npm" => ("npx", at_version("@")),
        "pypi" => ("uvx", at_version("==")),
        "oci" | "docker" => {
            let tagged = identifier.rsplit('/').next().is_some_and(|last| last.contains([':', '@']));
            ("docker", if tagged { identifier.clone() } else { at_version(":") })
        }
        "nuget" => ("dnx", at_version("@")),
        _ => ("", String::new()),
    };
    let command = hint.unwrap_or_else(|| command.to_owned());
    match command.as_str() {
        "npx" if !runtime.iter().any(|arg| arg == "-y" || arg == "--yes") => runtime.insert(0, "-y".to_owned()),
        "dnx" if !runtime.iter().any(|arg| arg == "--yes") => runtime.push("--yes".to_owned()),
        "docker" | "podman" if runtime.first().is_none_or(|arg| arg != "run") => {
            let names = declared.env.iter().flat_map(|(name, _)| ["-e".to_owned(), name.clone()]);
            runtime = ["run", "-i", "--rm"].map(str::to_owned).into_iter().chain(names).chain(runtime).collect();
        }
        _ => {}
    }
    let transport = entry.object.get("transport").and_then(|transport| transport.get("type")).and_then(Value::as_str);
    if transport.is_some_and(|transport| transport != "stdio") {
        let message = "the package listens at a URL: start it yourself, then: mst init --url URL";
        return Err(entry.text.wrong(entry.pointer, Code::NotAvailable, message));
    }
    if identifier.is_empty() || reference.is_empty() {
        let message = if kind == "mcpb" {
            "a bundle is downloaded first, then: mst init --from FILE.mcpb".to_owned()
        } else {
            format!("a package of the kind {kind:?} cannot be started")
        };
        return Err(entry.text.wrong(entry.pointer, Code::NotAvailable, message));
    }
    declared.command = Some(command);
    declared.args = runtime.into_iter().chain([reference]).chain(own).collect();
    Ok((declared, kind))
}

fn remote(entry: &Entry<'_>, places: &mut Placeholders<'_>) -> Result<(Declared, String), Box<Diagnostic>> {
    inputs(entry.object.get("variables"), places);
    let mut declared = Declared {
        kind: entry.text("type")?.or(entry.text("transport_type")?),
        url: entry.text("url")?.map(|url| templated(&url)),
        ..Declared::default()
    };
    for header in entry.object.get("headers").and_then(Value::as_array).into_iter().flatten() {
        let (Some(name), Some(header)) = (header.get("name").and_then(Value::as_str), header.as_object()) else {
            continue;
        };
        if secret(header) {
            declared.secrets.insert(name.to_owned());
        }
        if let Some(value) = value(header, name, places) {
            declared.headers.push((name.to_owned(), value));
        }
    }
    Ok((declared, "remote".to_owned()))
}

/// Returns arguments as words; one without a value that is not required is left out.
fn arguments(
    entry: &Entry<'_>,
    keys: [&str; 2],
    places: &mut Placeholders<'_>,
) -> Result<Vec<String>, Box<Diagnostic>> {
    let Some((key, list)) = keys.iter().find_map(|key| Some((key, entry.object.get(*key)?))) else {
        return Ok(Vec::new());
    };
    let Value::Array(list) = list else {
        let pointer = format!("{}/{key}", entry.pointer);
        return Err(entry.text.wrong(&pointer, Code::WrongType, format!("{key:?} must be a list")));
    };
    let mut words = Vec::new();
    for argument in list.iter().filter_map(Value::as_object) {
        let text = |key: &str| argument.get(key).and_then(Value::as_str);
        let name = text("name").map(str::to_owned);
        let hint =
            text("valueHint").or_else(|| text("value_hint")).or(name.as_deref()).unwrap_or("argument").to_owned();
        let value = value(argument, hint.trim_start_matches('-'), places);
        match (name, value) {
            (Some(name), Some(value)) => words.extend([name, value]),
            (Some(name), None) if !has_value(argument) => words.push(name),
            (None, Some(value)) => words.push(value),
            _ => {}
        }
    }
    Ok(words)
}

/// Returns whether an argument takes a value: a flag alone has nothing that describes one.
fn has_value(argument: &Map<String, Value>) -> bool {
    ["value", "default", "format", "choices", "valueHint", "value_hint", "placeholder", "isSecret"]
        .iter()
        .any(|key| argument.contains_key(*key))
}

fn variables(entry: &Entry<'_>, declared: &mut Declared, places: &mut Placeholders<'_>) -> Result<(), Box<Diagnostic>> {
    let keys = ["environmentVariables", "environment_variables"];
    let Some((key, list)) = keys.iter().find_map(|key| Some((key, entry.object.get(*key)?))) else { return Ok(()) };
    let Value::Array(list) = list else {
        let pointer = format!("{}/{key}", entry.pointer);
        return Err(entry.text.wrong(&pointer, Code::WrongType, format!("{key:?} must be a list")));
    };
    for variable in list.iter().filter_map(Value::as_object) {
        let Some(name) = variable.get("name").and_then(Value::as_str) else { continue };
        if secret(variable) {
            declared.secrets.insert(name.to_owned());
        }
        if let Some(value) = value(variable, name, places) {
            declared.env.push((name.to_owned(), value));
        }
    }
    Ok(())
}

fn flag(object: &Map<String, Value>, camel: &str, snake: &str) -> bool {
    [camel, snake].iter().any(|key| object.get(*key) == Some(&Value::Bool(true)))
}

fn secret(object: &Map<String, Value>) -> bool {
    flag(object, "isSecret", "is_secret")
}

/// Returns the text of an input: its value, its default, or a placeholder for what the user has to give; `None` when it
/// may be left out and the user has not given it.
fn value(input: &Map<String, Value>, name: &str, places: &mut Placeholders<'_>) -> Option<String> {
    inputs(input.get("variables"), places);
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    if let Some(value) = text("value") {
        return Some(templated(value));
    }
    let given = [name.to_owned(), variable_of(name)].iter().any(|name| places.around.variable(name).is_some());
    let default = text("default").map(|text| vec![text.to_owned()]);
    if !given && default.is_none() && !flag(input, "isRequired", "is_required") {
        return None;
    }
    places.inputs.insert(name.to_owned(), Input { secret: secret(input), default });
    Some(format!("${{input:{name}}}"))
}

/// Takes note of the variables that `{name}` stands for.
fn inputs(variables: Option<&Value>, places: &mut Placeholders<'_>) {
    for (name, variable) in variables.and_then(Value::as_object).into_iter().flatten() {
        let Some(variable) = variable.as_object() else { continue };
        let text = |key: &str| variable.get(key).and_then(Value::as_str).map(|text| vec![text.to_owned()]);
        let input = Input { secret: secret(variable), default: text("value").or_else(|| text("default")) };
        places.inputs.insert(name.clone(), input);
    }
}

/// Returns `{name}` in the form that placeholders have.
fn templated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let Some(end) = rest[start..].find('}') else { break };
        let name = &rest[start + 1..start + end];
        let is_name = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "_-.".contains(char));
        out.push_str(&rest[..start]);
        if is_name && !out.ends_with('$') {
            out.extend(["${input:", name, "}"]);
        } else {
            out.push_str(&rest[start..=start + end]);
        }
        rest = &rest[start + end + 1..];
    }
    out.push_str(rest);
    out
}
