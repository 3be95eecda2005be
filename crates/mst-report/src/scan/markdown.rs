//! `report.md`.

use mst_model::ScanReport;

use super::arithmetic::{self, Category};
use super::beyond::Beyond;
use super::{contest, facts, findings, headline, words};
use crate::text::{Document, Line};

/// Returns a report as Markdown.
///
/// Its first paragraph holds the score, the grade and who judged. What came from the server or the judge is escaped or in
/// fenced blocks that it cannot end.
pub fn scan_markdown(report: &ScanReport) -> String {
    let mut out = Document::default();
    out.heading(1, &Line::new("Agent readiness of ").line(Line::of_code(&report.target.name)));
    out.paragraph(&headline::headline(report));
    out.table(["", ""], facts(report).into_iter().map(|(name, line)| [name.to_owned(), line.markdown()]));
    score(&mut out, report);
    wrong(&mut out, report);
    destructive(&mut out, report);
    defects(&mut out, report);
    pairs(&mut out, report);
    lists(&mut out, report);
    judge(&mut out, report);
    beyond(&mut out, report);
    out.title(2, "What the score does not measure");
    out.words("None of these is scored:");
    out.bullets(&words::NOT_MEASURED.map(Line::new));
    out.words(words::NOT_MEASURED_MEANS);
    out.title(2, "Disputing it");
    out.words(words::A_MEASUREMENT);
    out.numbered(&contest::steps(report));
    out.finish()
}

fn score(out: &mut Document, report: &ScanReport) {
    out.title(2, "How the score is made up");
    let categories = arithmetic::categories(report);
    out.table(
        ["Category", "Points", "It asks"],
        categories
            .iter()
            .map(|one| [one.name.to_owned(), format!("{} of {}", one.points, one.max), one.asks.to_owned()]),
    );
    out.paragraph(&Line::new(arithmetic::sum(report)));
    for Category { name, points, max, formula, filled, terms, .. } in &categories {
        out.heading(3, &Line::new(format!("{name}: {points} of {max}")));
        out.fence(&crate::text::Shown::block(&format!("{formula}\n= {filled}")));
        out.bullets(terms);
    }
    out.words(words::COUNTS_TWICE);
    out.words(words::ROUNDING);
}

fn wrong(out: &mut Document, report: &ScanReport) {
    out.title(2, "What the judge got wrong");
    let wrong = findings::wrong_tasks(report);
    out.paragraph(&Line::new(findings::wrong_count(report)));
    out.table(
        ["Task", "Asked", "What happened", "Arguments"],
        wrong.iter().map(|one| {
            let arguments = one.arguments.as_ref().map(Line::markdown).unwrap_or_default();
            [one.id.markdown(), one.prompt.markdown(), one.what.markdown(), arguments]
        }),
    );
    if report.harness.after_rewrite.is_some() {
        out.words("With the suggested descriptions in place of the defective ones, over the same tasks (this does not count):");
    }
    out.table(
        ["Metric", "As declared", "With suggestions"],
        findings::metrics(report)
            .into_iter()
            .map(|one| [format!("`{}`", one.name), one.baseline, one.after.unwrap_or_else(|| "–".to_owned())]),
    );
}

fn destructive(out: &mut Document, report: &ScanReport) {
    out.title(2, "Destructive calls that were not confirmed");
    out.paragraph(&findings::confirmed_of(report));
    out.table(
        ["Tool", "Asked", "Was it the right tool"],
        findings::unconfirmed(report).iter().map(|one| {
            [one.tool.markdown(), one.prompt.markdown(), if one.was_expected { "yes" } else { "no" }.to_owned()]
        }),
    );
}

fn defects(out: &mut Document, report: &ScanReport) {
    out.title(2, "Description defects");
    let tools = findings::defective_tools(report);
    if tools.is_empty() {
        out.words("None was found.");
        return;
    }
    out.words(words::SUGGESTIONS_ARE_HYPOTHESES);
    for tool in &tools {
        out.heading(3, &tool.name);
        out.bullets(&tool.defects);
        if let Some(suggestion) = &tool.suggestion {
            out.words("To consider:");
            out.fence(suggestion);
        }
    }
}

fn pairs(out: &mut Document, report: &ScanReport) {
    out.title(2, "Confusable pairs");
    let pairs = findings::pairs(report);
    if pairs.is_empty() {
        out.words("None was found.");
    }
    out.table(
        ["Pair", "Severity", "Why"],
        pairs.iter().map(|pair| [pair.names.markdown(), pair.severity.to_owned(), pair.reason.markdown()]),
    );
}

fn lists(out: &mut Document, report: &ScanReport) {
    out.title(2, "All tools");
    out.table(
        ["Tool", "Destructive", "Tokens", "Defects"],
        findings::tool_rows(report).into_iter().map(|row| {
            let destructive = if row.destructive { "yes" } else { "" };
            [row.name.markdown(), destructive.to_owned(), row.tokens, row.defects]
        }),
    );
    out.title(2, "All tasks");
    out.table(
        ["Task", "Asked", "Fits", "Chosen", "Outcome"],
        findings::task_rows(report).into_iter().map(|row| {
            let outcome = row.outcome.to_owned();
            [row.id.markdown(), row.prompt.markdown(), row.expected.markdown(), row.chosen.markdown(), outcome]
        }),
    );
}

fn judge(out: &mut Document, report: &ScanReport) {
    out.title(2, "Who judged");
    out.table(
        ["Stage", "Judge", "Version", "Model", "Prompt"],
        headline::stage_rows(report).into_iter().map(|row| row.map(|line| line.markdown())),
    );
}

fn beyond(out: &mut Document, report: &ScanReport) {
    let beyond = Beyond::of(report);
    if beyond.is_empty() {
        return;
    }
    out.title(2, "Beyond the method, not scored");
    if let Some(interval) = &beyond.interval {
        out.title(3, "Likely range");
        out.paragraph(interval);
    }
    if !beyond.capabilities.is_empty() {
        out.title(3, "Capabilities, as far as the declared surface shows them");
    }
    out.table(
        ["Capability", "Declared", "Why"],
        beyond.capabilities.iter().map(|one| [one.name.markdown(), one.state.to_owned(), one.reason.markdown()]),
    );
    if !beyond.lint.is_empty() {
        out.title(3, "Lint");
    }
    out.table(
        ["Rule", "Where", "What"],
        beyond.lint.iter().map(|one| [one.rule.markdown(), one.subject.markdown(), one.message.markdown()]),
    );
}
