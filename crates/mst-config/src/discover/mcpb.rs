//! A bundle (`.mcpb`): a zip archive whose `manifest.json` says how its server is started.

use std::io::{Read, Seek};
use std::path::Path;

use serde_json::{Map, Value};
use thiserror::Error;

use super::declared::{Declared, Entry};
use super::found::{Format, Found, FoundServer};
use super::label::label_from;
use super::launch::launch;
use super::placeholder::{Input, Placeholders};
use super::surroundings::Surroundings;
use super::text::Text;
use crate::diagnostic::{Code, Diagnostic};

/// The largest manifest that is read, in bytes.
const LONGEST_MANIFEST: u64 = 1024 * 1024;

/// Why a bundle's manifest cannot be read.
#[derive(Debug, Error)]
pub enum BundleError {
    /// It is no zip archive, or a broken one.
    #[error("it is no zip archive that can be read: {0}")]
    Archive(String),
    /// It has no manifest.
    #[error("it holds no manifest.json")]
    NoManifest,
    /// The manifest is larger than any is.
    #[error("its manifest.json is larger than {limit} bytes")]
    TooLarge {
        /// The most that is read.
        limit: u64,
    },
}

/// Returns the bytes of a bundle's manifest.
pub fn manifest_of_bundle(bundle: impl Read + Seek) -> Result<Vec<u8>, BundleError> {
    let broken = |error: &dyn std::fmt::Display| BundleError::Archive(error.to_string());
    let mut archive = zip::ZipArchive::new(bundle).map_err(|error| broken(&error))?;
    let file = match archive.by_name("manifest.json") {
        Ok(file) => file,
        Err(zip::result::ZipError::FileNotFound) => return Err(BundleError::NoManifest),
        Err(error) => return Err(broken(&error)),
    };
    let mut bytes = Vec::new();
    file.take(LONGEST_MANIFEST + 1).read_to_end(&mut bytes).map_err(|error| broken(&error))?;
    if bytes.len() as u64 > LONGEST_MANIFEST {
        return Err(BundleError::TooLarge { limit: LONGEST_MANIFEST });
    }
    Ok(bytes)
}

/// Reads a bundle's manifest; `folder` is where the bundle is, or will be, unpacked.
///
/// # Errors
/// The manifest cannot be parsed. A server that cannot be started is kept with the reason.
pub fn read_manifest(
    path: &Path,
    manifest: Vec<u8>,
    folder: &Path,
    around: &Surroundings,
) -> Result<Found, Box<Diagnostic>> {
    let text = Text::json(&path.join("manifest.json"), manifest)?;
    let mut places = Placeholders::new(around, around.folder.clone());
    places.bundle = Some(folder.to_owned());
    let mut found = read_text(&text, &mut places)?;
    path.clone_into(&mut found.path);
    Ok(found)
}

/// Reads the manifest of a bundle that lies unpacked around it.
pub(super) fn read_unpacked(text: &Text, places: &mut Placeholders<'_>) -> Result<Found, Box<Diagnostic>> {
    places.bundle = Some(places.workspace.clone());
    places.workspace.clone_from(&places.around.folder);
    read_text(text, places)
}

fn read_text(text: &Text, places: &mut Placeholders<'_>) -> Result<Found, Box<Diagnostic>> {
    let Value::Object(root) = text.root() else {
        return Err(text.wrong("", Code::WrongType, "a manifest holds an object"));
    };
    user_config(root.get("user_config"), places);
    let name = root.get("name").and_then(Value::as_str).unwrap_or("server");
    let label = label_from(name);
    let launch = declared(text, root, places).and_then(|declared| {
        launch(declared, places, &label).map(Box::new).map_err(|fault| {
            text.wrong("/server", Code::InvalidValue, format!("the bundle {name:?} cannot be used: {fault}"))
        })
    });
    let server = FoundServer { name: name.to_owned(), label, disabled: false, launch };
    Ok(Found { path: text.path().to_owned(), format: Format::Bundle, servers: vec![server] })
}

/// Takes note of the values that the bundle asks its user for. One that is not required and has no default is empty.
fn user_config(config: Option<&Value>, places: &mut Placeholders<'_>) {
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    for (name, option) in config.and_then(Value::as_object).into_iter().flatten() {
        let is = |key: &str| option.get(key) == Some(&Value::Bool(true));
        let default = match option.get("default") {
            Some(Value::Array(items)) => Some(items.iter().filter_map(scalar).collect()),
            Some(value) => scalar(value).map(|text| vec![text]),
            None => None,
        };
        let default = default.or_else(|| (!is("required")).then(Vec::new));
        places.inputs.insert(name.clone(), Input { secret: is("sensitive"), default });
    }
}

fn declared(text: &Text, root: &Map<String, Value>, places: &Placeholders<'_>) -> Result<Declared, Box<Diagnostic>> {
    let Some(Value::Object(server)) = root.get("server") else {
        return Err(text.wrong("/server", Code::MissingKey, "the manifest has no \"server\""));
    };
    let at = Entry { text, pointer: "/server", object: server };
    let kind = at.text("type")?.unwrap_or_default();
    let entry_point = at.text("entry_point")?.map(|path| format!("${{__dirname}}/{path}"));
    let mut declared = Declared::default();
    if let Some(Value::Object(config)) = server.get("mcp_config") {
        let mut pointer = "/server/mcp_config".to_owned();
        fill(&mut declared, &Entry { text, pointer: &pointer, object: config })?;
        let platform = places.around.platform.node_name();
        pointer = format!("{pointer}/platform_overrides/{platform}");
        if let Some(Value::Object(own)) = text.root().pointer(&pointer) {
            fill(&mut declared, &Entry { text, pointer: &pointer, object: own })?;
        }
    }
    if declared.command.is_none() {
        let Some(entry_point) = entry_point else {
            return Err(text.wrong(
                "/server",
                Code::MissingKey,
                "the manifest has neither \"mcp_config\" nor \"entry_point\"",
            ));
        };
        let (command, args) = match kind.as_str() {
            "node" => ("node".to_owned(), vec![entry_point]),
            "python" => ("python3".to_owned(), vec![entry_point]),
            "uv" => (
                "uv".to_owned(),
                ["run", "--directory", "${__dirname}"].map(str::to_owned).into_iter().chain([entry_point]).collect(),
            ),
            "binary" => (entry_point, Vec::new()),
            other => {
                let message =
                    format!("a server of the type {other:?} cannot be started; known: node, python, uv, binary");
                return Err(text.wrong("/server/type", Code::UnknownName, message));
            }
        };
        (declared.command, declared.args) = (Some(command), args);
    }
    Ok(declared)
}

/// Puts what a part of the manifest says over what is there.
fn fill(declared: &mut Declared, entry: &Entry<'_>) -> Result<(), Box<Diagnostic>> {
    if let Some(command) = entry.text("command")? {
        declared.command = Some(command);
    }
    if entry.object.contains_key("args") {
        declared.args = entry.texts("args")?;
    }
    for (name, value) in entry.map("env")? {
        declared.env.retain(|(known, _)| *known != name);
        declared.env.push((name, value));
    }
    Ok(())
}
