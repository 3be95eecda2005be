//! SARIF 2.1.0 (OASIS): description defects and lint findings, for tools that collect findings.

use std::fmt::Write as _;

use mst_measure::rubric::shown_total;
use mst_model::{DefectType, LintFinding, ScanReport, sha256_hex};
use serde_json::{Map, Value, json};

use crate::text::Shown;

/// Where the format is described.
pub(crate) const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Returns a report's defects and lint findings as a SARIF 2.1.0 log.
///
/// `artifact` is the path of the report's JSON, relative to where the log is read: SARIF's readers want a file for every
/// finding, and a server's source is not known. Tools stand as logical locations.
pub fn scan_sarif(report: &ScanReport, artifact: &str) -> Value {
    let rules = rules(report);
    let ids: Vec<&str> = rules.iter().filter_map(|rule| rule.get("id").and_then(Value::as_str)).collect();
    let results: Vec<Value> = findings(report).iter().map(|one| one.result(report, artifact, &ids)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "gradable", "version": report.scanner.version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "artifacts": [{ "location": { "uri": uri(artifact) } }],
            "results": results,
            "properties": {
                "server": Shown::line(&report.target.name).as_str(),
                "score": shown_total(report.score.total, report.score.grade),
                "grade": report.score.grade.as_str(),
                "surfaceHash": report.target.surface_hash,
                "judge": { "cli": report.judge.cli, "model": report.judge.model },
            },
        }],
    })
}

/// A finding of either kind.
struct Finding<'a> {
    rule: &'a str,
    level: &'static str,
    tool: Option<&'a str>,
    pointer: &'a str,
    message: String,
}

fn findings(report: &ScanReport) -> Vec<Finding<'_>> {
    let defects = report.tools.iter().flat_map(|tool| {
        tool.defects.iter().map(|defect| Finding {
            rule: defect.kind.as_str(),
            level: "warning",
            tool: Some(&tool.name),
            pointer: "/description",
            message: message(&defect.reason, tool.suggested_description.as_deref()),
        })
    });
    let lint = report.unscored.lint.iter().flatten().map(|one| Finding {
        rule: &one.code,
        level: "note",
        tool: one.subject.tool.as_deref(),
        pointer: &one.subject.pointer,
        message: Shown::line(&one.message).as_str().to_owned(),
    });
    defects.chain(lint).collect()
}

fn message(reason: &str, suggestion: Option<&str>) -> String {
    let reason = Shown::line(reason);
    match suggestion {
        Some(text) => format!(
            "{reason}\n\nSuggested description, a hypothesis to confirm against the implementation:\n{}",
            Shown::block(text)
        ),
        None => reason.as_str().to_owned(),
    }
}

impl Finding<'_> {
    fn result(&self, report: &ScanReport, artifact: &str, rules: &[&str]) -> Value {
        let server = Shown::line(&report.target.name);
        let name = self.tool.map_or_else(|| server.clone(), Shown::line);
        let kind = if self.tool.is_some() { "function" } else { "module" };
        let identity = format!("{:?} {:?} {} {}", report.target.name, self.tool, self.rule, self.pointer);
        json!({
            "ruleId": self.rule,
            "ruleIndex": rules.iter().position(|id| *id == self.rule),
            "level": self.level,
            "message": { "text": self.message },
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": uri(artifact), "index": 0 }, "region": { "startLine": 1 } },
                "logicalLocations": [{
                    "name": name.as_str(),
                    "fullyQualifiedName": format!("{server}/{name}{}", Shown::line(self.pointer)),
                    "kind": kind,
                }],
            }],
            "partialFingerprints": { "finding/v1": &sha256_hex(identity.as_bytes())[..32] },
        })
    }
}

/// Returns the rules that are there, defects first, then lint rules in the order of their codes.
fn rules(report: &ScanReport) -> Vec<Map<String, Value>> {
    let mut rules: Vec<Map<String, Value>> =
        DefectType::ALL.iter().map(|kind| rule(kind.as_str(), None, described(*kind), "warning")).collect();
    let mut lint: Vec<&LintFinding> = report.unscored.lint.iter().flatten().collect();
    lint.sort_by(|a, b| a.code.cmp(&b.code));
    lint.dedup_by(|a, b| a.code == b.code);
    let unscored = "A rule that needs no model. It does not count in the score.";
    rules.extend(lint.iter().map(|one| rule(&one.code, Some(&one.rule), unscored, "note")));
    rules
}

fn rule(id: &str, name: Option<&str>, text: &str, level: &str) -> Map<String, Value> {
    let mut rule = Map::new();
    rule.insert("id".to_owned(), id.into());
    if let Some(name) = name {
        rule.insert("name".to_owned(), name.into());
    }
    rule.insert("shortDescription".to_owned(), json!({ "text": name.unwrap_or(id).replace(['_', '-'], " ") }));
    rule.insert("fullDescription".to_owned(), json!({ "text": text }));
    rule.insert("defaultConfiguration".to_owned(), json!({ "level": level }));
    rule
}

fn described(kind: DefectType) -> &'static str {
    match kind {
        DefectType::NameRestatesBehavior => {
            "The description mostly repeats the tool's name and adds no when, why or behaviour."
        }
        DefectType::ParamsUnexplained => {
            "A required parameter's meaning, accepted values or default stand nowhere an agent can see."
        }
        DefectType::NoReturnDescription => {
            "The description does not say what a call returns, and the output schema does not make it plain."
        }
    }
}

/// Returns a file's path as a URI: relative, or of the scheme `file` where the path is absolute.
pub(crate) fn file_uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') {
        format!("file://{}", uri(&path))
    } else if is_drive {
        // The colon of a drive stays as it is.
        format!("file:///{}:{}", &path[..1], uri(&path[2..]))
    } else {
        uri(&path)
    }
}

/// Returns a path as a relative URI.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes any text");
        }
    }
    out
}
