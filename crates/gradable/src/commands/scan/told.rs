//! A scan's result as it is shown.

use mst_cli::plural;
use mst_measure::rubric::{shown_points, shown_total};
use mst_model::ScanReport;

use crate::judge::offline::CLI as OFFLINE;
use crate::output::Output;
use crate::reasons::reasons;

/// The most reasons that are shown.
const MOST_REASONS: usize = 4;

/// Returns a result as it is shown.
pub(super) fn told(report: &ScanReport, output: &Output) -> String {
    let (score, target) = (&report.score, &report.target);
    let version = target.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let tools = plural(target.tool_count as usize, "tool");
    let total = shown_total(score.total, score.grade);
    let mut lines = vec![format!("{}{version}, {tools}: {total} of 100, grade {}", target.name, score.grade.as_str())];
    for (name, category) in score.categories.named() {
        lines.push(format!("  {name:<16}{:>5} of {}", shown_points(category.score), category.max));
    }
    let reasons = reasons(report);
    if !reasons.is_empty() {
        lines.push("What cost points:".to_owned());
    }
    let shown = reasons.iter().take(MOST_REASONS);
    lines.extend(shown.map(|reason| format!("  {:>5}  {}", shown_points(-reason.lost), reason.what)));
    let judge = &report.judge;
    lines.push(if judge.cli == OFFLINE {
        format!(
            "Judge: offline, {}: rules and a lexical baseline. Not comparable with scores by a language model.",
            judge.model
        )
    } else {
        format!("Judge: {} {}, {}", judge.cli, judge.cli_version, judge.model)
    });
    lines.push(format!("In {}: report.json, report.md, report.html, fix.md", output.folder().display()));
    lines.join("\n")
}
