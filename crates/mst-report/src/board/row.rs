//! What a leaderboard keeps of each file that it read.

use mst_measure::rubric::{ScoreInput, rubric_score, shown_total};
use mst_model::{FailedScan, Grade, ScanReport, ScanTransport, Timestamp, TokenSource, sha256_hex};

use super::configuration::Configuration;

/// A report on a board: a few numbers, however large the report is.
#[derive(Clone, Debug)]
pub struct BoardRow {
    /// What tells its server from others.
    pub(crate) server: ServerKey,
    /// The version the server tells.
    pub(crate) version: Option<String>,
    /// Who judged.
    pub(crate) configuration: Configuration,
    /// The version of the judge's program, or of the scanner.
    pub(crate) cli_version: String,
    /// The total as computed.
    pub(crate) total: f64,
    /// Its grade.
    pub(crate) grade: Grade,
    /// The likely range.
    pub(crate) interval: Option<(f64, f64)>,
    /// How many tools.
    pub(crate) tools: usize,
    /// What they cost.
    pub(crate) definition_tokens: f64,
    /// How that was counted.
    pub(crate) token_source: TokenSource,
    /// Whether the economics formula is the one with response data.
    pub(crate) has_responses: bool,
    /// When.
    pub(crate) scanned_at: Timestamp,
}

/// A server as a board tells them apart: its name, and how it is reached where the report says so. Two servers may well
/// call themselves by one name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ServerKey {
    pub(crate) name: String,
    pub(crate) reached_by: Option<String>,
}

impl ServerKey {
    fn new(name: &str, transport: ScanTransport, command: Option<&[String]>, url: Option<&str>) -> Self {
        let reached_by = match transport {
            ScanTransport::Stdio => command.map(|words| words.join(" ")),
            ScanTransport::Http => url.map(str::to_owned),
            ScanTransport::File => None,
        };
        Self { name: name.to_owned(), reached_by }
    }
}

/// Why a report has no place on a board.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoPlace {
    /// Its score does not follow from its parts.
    #[error("its score does not follow from its parts: it says {stored}, and they give {computed}")]
    OtherScore {
        /// What the file says.
        stored: String,
        /// What its parts give.
        computed: String,
    },
    /// Its parts give no score.
    #[error("its parts give no score: {0}")]
    NoScore(String),
}

impl BoardRow {
    /// Reads a row out of a report. The score is computed again from the report's parts, so that no one is ranked by a
    /// number that was only written down.
    ///
    /// # Errors
    /// The score that the report states is not the one that its parts give.
    pub fn of(report: &ScanReport) -> Result<Self, NoPlace> {
        let input = ScoreInput {
            baseline: &report.harness.baseline.results,
            tools: &report.tools,
            confusable_pairs: &report.confusable_pairs,
            definition_tokens: report.economics.definition_tokens,
            avg_response_tokens: report.economics.avg_response_tokens,
        };
        let score = rubric_score(&input).map_err(|fault| NoPlace::NoScore(fault.to_string()))?;
        if (score.total - report.score.total).abs() > 1e-9 || score.grade != report.score.grade {
            let said = |total, grade: Grade| format!("{} ({})", shown_total(total, grade), grade.as_str());
            return Err(NoPlace::OtherScore {
                stored: said(report.score.total, report.score.grade),
                computed: said(score.total, score.grade),
            });
        }
        let target = &report.target;
        Ok(Self {
            server: ServerKey::new(&target.name, target.transport, target.command.as_deref(), target.url.as_deref()),
            version: target.version.clone(),
            configuration: Configuration::of(&report.judge),
            cli_version: report.judge.cli_version.clone(),
            total: score.total,
            grade: score.grade,
            interval: report.unscored.interval.as_ref().map(|one| (one.lower, one.upper)),
            tools: report.tools.len(),
            definition_tokens: report.economics.definition_tokens,
            token_source: report.economics.definition_tokens_source,
            has_responses: report.economics.avg_response_tokens.is_some(),
            scanned_at: report.scanned_at,
        })
    }

    /// Returns the server's name as letters, digits and hyphens, for a path.
    pub(crate) fn plain_name(&self) -> String {
        let mut out = String::new();
        for char in self.server.name.chars() {
            if char.is_ascii_alphanumeric() {
                out.push(char.to_ascii_lowercase());
            } else if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
            if out.len() >= 60 {
                break;
            }
        }
        let plain = out.trim_end_matches('-');
        match plain {
            "" => "server".to_owned(),
            _ if is_device(plain) => format!("{plain}-server"),
            _ => plain.to_owned(),
        }
    }

    /// Returns eight hex digits that tell reports of one plain name apart, whatever else is on the board.
    pub(crate) fn mark(&self) -> String {
        let parts = format!("{:?} {} {}", self.server, self.configuration.id(), self.scanned_at);
        sha256_hex(parts.as_bytes())[..8].to_owned()
    }
}

/// Returns whether Windows takes a name for a device.
fn is_device(name: &str) -> bool {
    let numbered =
        |kind: &str| name.strip_prefix(kind).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit());
    matches!(name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

/// A failed scan on a board.
#[derive(Clone, Debug)]
pub struct FailedRow {
    pub(crate) server: ServerKey,
    pub(crate) stage: String,
    pub(crate) reason: String,
    pub(crate) failed_at: Timestamp,
}

impl FailedRow {
    /// Reads a row out of a failed scan.
    pub fn of(failed: &FailedScan) -> Self {
        let target = &failed.target;
        Self {
            server: ServerKey::new(&target.name, target.transport, target.command.as_deref(), target.url.as_deref()),
            stage: failed.stage.clone(),
            reason: failed.reason.clone(),
            failed_at: failed.failed_at,
        }
    }
}

/// A file that a board does not show, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// The file, as found.
    pub file: String,
    /// Why.
    pub reason: String,
}
