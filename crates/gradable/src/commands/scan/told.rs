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
    if reasons.len() > MOST_REASONS {
        let rest: f64 = reasons[MOST_REASONS..].iter().map(|reason| reason.lost).sum();
        let more = reasons.len() - MOST_REASONS;
        let lines_more = plural(more, "smaller reason");
        lines.push(format!("  {:>5}  {lines_more}, in report.md", shown_points(-rest)));
    }
    let judge = &report.judge;
    lines.push(if judge.cli == OFFLINE {
        format!(
            "Judge: offline, {}: rules and a lexical baseline. Not comparable with scores by a language model.",
            judge.model
        )
    } else {
        // The version of a judge behind an API is this program's own.
        let is_api = judge.cli.starts_with("api:");
        let version = if is_api { String::new() } else { format!(" {}", judge.cli_version) };
        format!("Judge: {}{version}, {}", judge.cli, judge.model)
    });
    lines.push(format!("In {}: report.json, report.md, report.html, fix.md", output.folder().display()));
    lines.join("\n")
}
