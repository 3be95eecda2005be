//! Whole outputs: reports made by hand, one of them hostile.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test")]

mod board;
mod browser;
mod ci;
mod fix;
mod hostile;
mod pages;
mod runs;
mod sarif;

use mst_model::ScanReport;
use mst_report::Declared;
use serde_json::json;

/// The reports: offline with findings of every kind, two model judges without any, and one whose texts all try something.
const REPORTS: [(&str, &str); 3] = [
    ("notes", include_str!("reports/notes.json")),
    ("tidy", include_str!("reports/tidy.json")),
    ("hostile", include_str!("reports/hostile.json")),
];

fn report(name: &str) -> ScanReport {
    let (_, text) = REPORTS.iter().find(|(known, _)| *known == name).unwrap();
    serde_json::from_str(text).unwrap()
}

/// What the server of the `notes` report declares.
fn declared() -> Declared {
    let tools = [
        json!({ "name": "find_note", "description": "Find note", "inputSchema": { "type": "object", "properties": { "q": {}, "limit": {} } } }),
        json!({ "name": "read_note", "description": "Reads a note.\n```\nnot the end\n```", "inputSchema": { "properties": { "id": {} } } }),
        json!({ "name": "list_notes" }),
        json!({ "name": "list_notes", "description": "listed a second time" }),
        json!({ "description": "a tool without a name" }),
    ];
    Declared::from_tools(tools.iter().map(|tool| tool.as_object().unwrap()))
}
