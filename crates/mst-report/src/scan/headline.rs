//! What every form of a report says first: the score, the grade, who judged, and what that allows.

use mst_measure::rubric::shown_total;
use mst_model::{JudgeBlock, ScanReport, ScanStage, StageJudge, TokenSource};

use crate::text::Line;

/// The name of the offline judge in a judge block.
pub(crate) const OFFLINE: &str = "offline";

/// Returns the first paragraph of every form.
pub(crate) fn headline(report: &ScanReport) -> Line {
    let score = &report.score;
    let total = format!("{} of 100, grade {}", shown_total(score.total, score.grade), score.grade.as_str());
    let mut line = Line::default().line(server(report)).words(" scores ").strong(total).words(". ");
    line = line.line(judged_by(&report.judge)).words(" ");
    line.line(comparable(&report.judge))
}

/// Returns the server's name and version.
pub(crate) fn server(report: &ScanReport) -> Line {
    let line = Line::of_code(&report.target.name);
    match &report.target.version {
        Some(version) => line.words(" version ").quote(version),
        None => line,
    }
}

/// Returns who judged, as one or two sentences.
pub(crate) fn judged_by(judge: &JudgeBlock) -> Line {
    let line = if judge.cli == OFFLINE {
        Line::new("Judge: the offline baseline, ").code(&judge.model)
    } else {
        Line::new("Judge: ")
            .code(&judge.cli)
            .words(" ")
            .quote(&judge.cli_version)
            .words(" with model ")
            .code(&judge.model)
    };
    let line = line
        .words("; tasks by ")
        .code(&judge.task_generator_version)
        .words(", selection by ")
        .code(&judge.prompt_template_version)
        .words(".");
    let others = other_stages(judge);
    if judge.stages.is_none() {
        return line.words(" The report does not say who judged the descriptions and the pairs.");
    }
    others.into_iter().fold(line, |line, (stage, other)| {
        line.strong(format!(" The {} stage had another judge:", stage.as_str()))
            .words(" ")
            .code(&other.cli)
            .words(" ")
            .quote(&other.cli_version)
            .words(" with ")
            .code(&other.model)
            .words(".")
    })
}

/// Returns what the score may be compared with.
fn comparable(judge: &JudgeBlock) -> Line {
    if is_offline(judge) {
        Line::default()
            .strong("This is a lexical baseline, not a language model.")
            .words(" Rules found the defects and word overlap picked the tools. Such a score is never compared with one that a language model gave.")
    } else {
        Line::new("Scores of other judge configurations are not directly comparable.")
    }
}

/// Returns whether the offline baseline judged any stage.
pub(crate) fn is_offline(judge: &JudgeBlock) -> bool {
    judge.cli == OFFLINE || stages(judge).iter().any(|(_, stage)| stage.cli == OFFLINE)
}

/// Returns each stage with who answered it, in the order they run.
pub(crate) fn stages(judge: &JudgeBlock) -> Vec<(ScanStage, &StageJudge)> {
    let Some(stages) = &judge.stages else { return Vec::new() };
    let by_stage = [&stages.tasks, &stages.defects, &stages.confusability, &stages.selection];
    ScanStage::ALL.into_iter().zip(by_stage).filter_map(|(stage, judge)| Some((stage, judge.as_ref()?))).collect()
}

/// Returns each stage with judge, version, model and prompt.
pub(crate) fn stage_rows(report: &ScanReport) -> Vec<[Line; 5]> {
    stages(&report.judge)
        .into_iter()
        .map(|(stage, judge)| {
            let prompt = Line::of_code(&judge.prompt_version);
            let prompt = match &judge.prompt_hash {
                Some(hash) => prompt.words(" ").code(hash.get(..12).unwrap_or(hash)),
                None => prompt,
            };
            let [cli, model] = [&judge.cli, &judge.model].map(|name| Line::of_code(name));
            [Line::new(stage.as_str()), cli, Line::of_quote(&judge.cli_version), model, prompt]
        })
        .collect()
}

/// Returns the stages that another judge answered than the block names.
fn other_stages(judge: &JudgeBlock) -> Vec<(ScanStage, &StageJudge)> {
    let named = (&judge.cli, &judge.cli_version, &judge.model);
    let mut stages = stages(judge);
    stages.retain(|(_, stage)| (&stage.cli, &stage.cli_version, &stage.model) != named);
    stages
}

/// Returns a count of tokens with how far it can be trusted.
pub(crate) fn definition_tokens(report: &ScanReport) -> String {
    let count = crate::text::number::tokens(report.economics.definition_tokens);
    match report.economics.definition_tokens_source {
        TokenSource::Exact => format!("{count} tokens, counted by the provider"),
        TokenSource::Estimated => format!("about {count} tokens, approximate: estimated as bytes / 4"),
    }
}
