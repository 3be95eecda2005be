//! `surface.json`: the surface that a scan read, beside its report.
//!
//! A report holds what was found and not what was declared. With the copy beside it a fix brief can quote the current texts
//! later too, and whoever disputes a score has what was judged. It is used only when its hash is the report's.

use std::path::Path;

use mst_mcp::ListedTool;
use mst_model::ScanReport;
use mst_report::Declared;
use serde_json::{Map, Value};

use crate::surface::{Surface, surface_hash};

/// The copy's name.
pub(crate) const SURFACE: &str = "surface.json";

/// Returns a surface as its copy holds it: `{ instructions?, tools }`, as `--surface` reads it.
pub(crate) fn copy(surface: &Surface) -> Value {
    let mut whole = Map::new();
    if let Some(instructions) = &surface.instructions {
        whole.insert("instructions".to_owned(), Value::String(instructions.clone()));
    }
    whole.insert("tools".to_owned(), surface.tools.iter().map(|tool| Value::Object(tool.raw().clone())).collect());
    Value::Object(whole)
}

/// Returns the texts of the copy beside a report; none when there is no copy of exactly that surface. A copy that secrets
/// were taken out of has another hash.
pub(crate) fn beside(report_file: &Path, report: &ScanReport) -> Declared {
    read(&report_file.with_file_name(SURFACE), &report.target.surface_hash).unwrap_or_default()
}

fn read(file: &Path, hash: &str) -> Option<Declared> {
    let bytes = fs_err::read(file).ok()?;
    let Value::Object(mut whole) = serde_json::from_slice(&bytes).ok()? else { return None };
    let Some(Value::Array(tools)) = whole.remove("tools") else { return None };
    let tools: Option<Vec<ListedTool>> = tools
        .into_iter()
        .map(|tool| match tool {
            Value::Object(raw) => ListedTool::new(raw),
            _ => None,
        })
        .collect();
    let (instructions, tools) = (whole.get("instructions").and_then(Value::as_str), tools?);
    (surface_hash(instructions, &tools) == hash).then(|| Declared::from_tools(tools.iter().map(ListedTool::raw)))
}
