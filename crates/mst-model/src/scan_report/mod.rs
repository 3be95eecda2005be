//! `gradable.report/v1` and `gradable.failed/v1`: what a scan of a server's declared tools found.
//!
//! A report holds every input of its score, so that anyone can compute the number again from the file alone.

mod confusable;
mod defect;
mod failed;
mod harness;
mod judge;
mod report;
mod rubric_score;
mod target;
mod unscored;

pub use confusable::{ConfusablePair, Severity};
pub use defect::{Defect, DefectType, ToolFinding};
pub use failed::FailedScan;
pub use harness::{Harness, HarnessMetrics, HarnessRuns, ScanTask, TaskResult};
pub use judge::{JudgeBlock, ScanStage, StageJudge, StageJudges};
pub use report::{Economics, ResponseSource, ScanReport, Scanner, TokenSource};
pub use rubric_score::{Categories, CategoryScore, Grade, RubricScore};
pub use target::{FailedTarget, ScanTarget, ScanTransport};
pub use unscored::{CapabilityFinding, CapabilityState, LintFinding, LintSubject, ScoreInterval, Unscored};

/// The format's name in a report.
pub const SCAN_REPORT_FORMAT: &str = "gradable.report/v1";
/// The format's name in the record of a scan that failed.
pub const FAILED_SCAN_FORMAT: &str = "gradable.failed/v1";
