//! A surface that stands in a file.

use std::io::Read as _;
use std::path::Path;

use mst_cli::{CliError, ExitClass, usage};
use mst_mcp::surface_of_list;
use mst_model::{FailedTarget, ScanTransport, ServerLabel};
use serde_json::{Map, Value};

use super::IngestFault;
use super::target::stem;
use crate::surface::{Surface, surface_hash};

/// The longest file that is read.
const LONGEST: u64 = 256 << 20;

/// A file that holds a surface: a `tools/list` result, the JSON-RPC reply with one, or any object with a `tools` array.
#[derive(Debug)]
pub(crate) struct SurfaceFile {
    /// The name in the report.
    name: String,
    /// What the folder of the report is named after.
    pub(super) folder_name: String,
    version: Option<String>,
    protocol_version: Option<String>,
    instructions: Option<String>,
    tools: Vec<Value>,
}

impl SurfaceFile {
    /// Reads a file.
    pub(super) fn read(path: &Path, name: Option<&str>) -> Result<Self, CliError> {
        let whole = object(path)?;
        let shown = path.display();
        let (result, about) = match whole.get("result") {
            Some(Value::Object(result)) if !whole.contains_key("tools") => (result.clone(), whole),
            _ => (whole.clone(), whole),
        };
        let Some(tools) = result.get("tools") else {
            let error = usage(format!("--surface: {shown} has no \"tools\""));
            return Err(match about.get("error") {
                Some(_) => error.with_hint("it is the reply of a request that failed"),
                None if ["mcpServers", "servers"].iter().any(|key| about.contains_key(*key)) => {
                    error.with_hint("it lists servers: --from takes it")
                }
                None => error,
            });
        };
        let Value::Array(tools) = tools else {
            return Err(usage(format!("--surface: \"tools\" of {shown} is no array")));
        };
        if result.get("nextCursor").and_then(Value::as_str).is_some_and(|cursor| !cursor.is_empty()) {
            return Err(usage(format!("--surface: {shown} is one page of a longer list: it has a \"nextCursor\""))
                .with_hint("put the tools of all pages into one file"));
        }
        let text = |of: &Map<String, Value>, key: &str| {
            of.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let info = ["serverInfo", "server"].iter().find_map(|key| about.get(*key)?.as_object());
        let inner = info.and_then(|info| info.get("serverInfo")).and_then(Value::as_object).or(info);
        let of_info = |key: &str| inner.and_then(|info| text(info, key));
        let own = of_info("name").or_else(|| text(&about, "name")).unwrap_or_else(|| stem(path));
        let protocol = text(&about, "protocolVersion").or_else(|| info.and_then(|info| text(info, "protocolVersion")));
        Ok(Self {
            name: name.map_or(own, str::to_owned),
            folder_name: name.map_or_else(|| stem(path), str::to_owned),
            version: of_info("version").or_else(|| text(&about, "version")),
            protocol_version: protocol.filter(|revision| is_revision(revision)),
            instructions: result
                .get("instructions")
                .or_else(|| about.get("instructions"))
                .and_then(Value::as_str)
                .map(str::to_owned),
            tools: tools.clone(),
        })
    }

    /// Returns what is known before the tools are read.
    pub(super) fn known(&self) -> FailedTarget {
        FailedTarget {
            name: self.name.clone(),
            version: self.version.clone(),
            transport: ScanTransport::File,
            command: None,
            url: None,
            protocol_version: self.protocol_version.clone(),
            surface_hash: None,
            tool_count: None,
        }
    }

    /// Returns the surface.
    pub(super) fn surface(&self) -> Result<Surface, IngestFault> {
        let target = Box::new(self.known());
        let failed = |reason: String| IngestFault { class: ExitClass::Server, reason, hints: Vec::new(), target };
        let label = ServerLabel::new(self.name.clone());
        let Ok(listed) = surface_of_list(&label, self.tools.clone()) else {
            return Err(failed("the file lists more tools than are read".to_owned()));
        };
        if listed.tools.is_empty() {
            return Err(failed("the file lists no tool, so there is nothing to grade".to_owned()));
        }
        Ok(Surface {
            name: self.name.clone(),
            version: self.version.clone(),
            transport: ScanTransport::File,
            command: None,
            url: None,
            protocol_version: self.protocol_version.clone(),
            instructions: self.instructions.clone(),
            hash: surface_hash(self.instructions.as_deref(), &listed.tools),
            tools: listed.tools,
            listed_twice: listed.listed_twice,
            warnings: listed.warnings,
        })
    }
}

/// Tells whether a text has the form of a protocol revision: `2025-11-25`.
fn is_revision(text: &str) -> bool {
    let digits = |c: char| if c.is_ascii_digit() { '0' } else { c };
    text.chars().map(digits).collect::<String>() == "0000-00-00"
}

fn object(path: &Path) -> Result<Map<String, Value>, CliError> {
    let shown = path.display();
    let unreadable = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => usage(format!("--surface: {shown}: there is no such file")),
        kind => usage(format!("--surface: {shown} cannot be read: {kind}")),
    };
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path).map_err(|error| unreadable(&error))?;
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > LONGEST {
        return Err(usage(format!("--surface: {shown} is larger than {} MB", LONGEST >> 20)));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(usage(format!("--surface: {shown} is no JSON object"))),
        Err(error) => Err(usage(format!("--surface: {shown} is not JSON: {error}"))),
    }
}
