//! What a report shows, whatever the form: built once from a [`ScanReport`], with everything from outside made visible.

pub(crate) mod arithmetic;
pub(crate) mod beyond;
pub(crate) mod contest;
pub(crate) mod findings;
pub(crate) mod headline;
pub(crate) mod markdown;
pub(crate) mod words;

use mst_model::{ScanReport, ScanTransport};

use crate::text::Line;
use crate::text::number::counted;

/// Returns facts about a scan: what was scanned, how and when.
pub(crate) fn facts(report: &ScanReport) -> Vec<(&'static str, Line)> {
    let target = &report.target;
    let mut facts = vec![("Server", headline::server(report))];
    let how = match target.transport {
        ScanTransport::Stdio => Line::new("a process: ").code(&target.command.as_deref().unwrap_or_default().join(" ")),
        ScanTransport::Http => Line::new("Streamable HTTP: ").code(target.url.as_deref().unwrap_or_default()),
        ScanTransport::File => Line::new("a file that holds its listing"),
    };
    facts.push(("Reached by", how));
    if let Some(revision) = &target.protocol_version {
        facts.push(("Protocol", Line::of_quote(revision)));
    }
    facts.push((
        "Surface",
        Line::new(format!("{}, {}", counted(report.tools.len(), "tool"), headline::definition_tokens(report))),
    ));
    facts.push(("Surface hash", Line::of_code(&target.surface_hash)));
    facts.push(("Scanned", Line::new(report.scanned_at.to_string())));
    facts.push(("Scanner", Line::new("gradable ").quote(&report.scanner.version)));
    facts
}
