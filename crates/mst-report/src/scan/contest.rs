//! How a score is disputed.

use mst_model::ScanReport;

use crate::text::{Line, Shown};

/// Returns the steps by which anyone can check a score.
pub(crate) fn steps(report: &ScanReport) -> Vec<Line> {
    vec![
        Line::new("Recompute it from the file alone: ").code("gradable score report.json").words("."),
        Line::new("See above which judge configuration gave it, stage by stage. ")
            .code("gradable verify report.json")
            .words(" also checks that the server still declares this surface, whose hash begins with ")
            .code(report.target.surface_hash.get(..12).unwrap_or(&report.target.surface_hash))
            .words("."),
        Line::new("Scan it again with a judge of your own: ").code(&scan_again(report)).words("."),
        Line::new(
            "If the result differs much, that says something about how far scores depend on the judge, and is worth an issue \
             where the method is kept. Attach both reports.",
        ),
    ]
}

/// Returns the command that scans this server again.
pub(crate) fn scan_again(report: &ScanReport) -> String {
    let what = match (&report.target.command, &report.target.url) {
        (Some(command), _) => {
            format!("-- {}", command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
        }
        (None, Some(url)) => format!("--url {}", quoted(url)),
        (None, None) => "--surface FILE".to_owned(),
    };
    Shown::line(&format!("gradable scan --judge-cli CLI --judge-model MODEL {what}")).as_str().to_owned()
}

/// Returns a word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:@=+,%".contains(char);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
