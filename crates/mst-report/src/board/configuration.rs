//! Which scores may be ranked together.

use mst_model::{JudgeBlock, ScanStage, canonical_json, sha256_hex};
use serde::Serialize;

use crate::scan::headline;
use crate::text::Line;

/// A judge configuration: everything about who judged that moves scores. Two reports are ranked together exactly when
/// theirs are equal.
///
/// That is the judge's program or API, the model, the versions of what was asked, and the same of each stage with its
/// prompt's hash. A report that does not say who answered its stages is never of the same configuration as one that does.
/// The program's version is left out: it changes weekly and the model does not; a table names the versions it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    cli: String,
    model: String,
    task_generator_version: String,
    prompt_template_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    stages: Option<Vec<Stage>>,
}

/// One stage of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stage {
    stage: ScanStage,
    cli: String,
    model: String,
    prompt_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_hash: Option<String>,
}

impl Configuration {
    /// Returns the configuration of a judge block.
    pub fn of(judge: &JudgeBlock) -> Self {
        let stages = headline::stages(judge).into_iter().map(|(stage, answered)| Stage {
            stage,
            cli: answered.cli.clone(),
            model: answered.model.clone(),
            prompt_version: answered.prompt_version.clone(),
            prompt_hash: answered.prompt_hash.clone(),
        });
        Self {
            cli: judge.cli.clone(),
            model: judge.model.clone(),
            task_generator_version: judge.task_generator_version.clone(),
            prompt_template_version: judge.prompt_template_version.clone(),
            stages: judge.stages.is_some().then(|| stages.collect()),
        }
    }

    /// Returns whether the offline baseline answered any stage.
    pub(crate) fn is_offline(&self) -> bool {
        let offline = |cli: &str| cli == headline::OFFLINE;
        offline(&self.cli) || self.stages.iter().flatten().any(|stage| offline(&stage.cli))
    }

    /// Returns a short name that is the same wherever the configuration is met: eight hex digits.
    pub(crate) fn id(&self) -> String {
        sha256_hex(canonical_json(self).as_bytes())[..8].to_owned()
    }

    /// Returns the configuration in a heading's words.
    pub(crate) fn title(&self) -> Line {
        let line = if self.cli == headline::OFFLINE {
            Line::new("Offline baseline, ").code(&self.model)
        } else {
            Line::of_code(&self.model).words(" through ").code(&self.cli)
        };
        self.other_stages().fold(line, |line, other| {
            line.words(format!(", {} by ", other.stage.as_str())).code(&other.model).words(" through ").code(&other.cli)
        })
    }

    /// Returns what a heading leaves out.
    pub(crate) fn details(&self) -> Line {
        let line = Line::new("Tasks by ")
            .code(&self.task_generator_version)
            .words(", selection by ")
            .code(&self.prompt_template_version)
            .words(".");
        if self.stages.is_none() {
            return line.strong(" These reports do not say who judged the descriptions and the pairs.");
        }
        match self.other_stages().count() {
            0 => line,
            _ => line.strong(" Not every stage had the same judge."),
        }
    }

    /// Returns the stages that another judge answered than the configuration is named by.
    fn other_stages(&self) -> impl Iterator<Item = &Stage> {
        self.stages.iter().flatten().filter(|stage| (&stage.cli, &stage.model) != (&self.cli, &self.model))
    }
}

#[cfg(test)]
mod tests {
    use mst_model::{JudgeBlock, StageJudge, StageJudges};

    use super::Configuration;

    fn judge() -> JudgeBlock {
        let stage = |stage: &str| {
            Some(StageJudge {
                cli: "opencode".to_owned(),
                cli_version: "1.0".to_owned(),
                model: "m".to_owned(),
                prompt_version: format!("{stage}-v1"),
                prompt_hash: Some("0".repeat(64)),
            })
        };
        JudgeBlock {
            cli: "opencode".to_owned(),
            cli_version: "1.0".to_owned(),
            model: "m".to_owned(),
            task_generator_version: "tasks-v1".to_owned(),
            prompt_template_version: "selection-v1".to_owned(),
            stages: Some(StageJudges {
                tasks: stage("tasks"),
                defects: stage("defects"),
                confusability: stage("confusability"),
                selection: stage("selection"),
            }),
        }
    }

    #[test]
    fn a_stage_with_another_judge_is_another_configuration() {
        let same = Configuration::of(&judge());
        let changed = |change: fn(&mut JudgeBlock)| {
            let mut judge = judge();
            change(&mut judge);
            Configuration::of(&judge)
        };
        assert_eq!(changed(|judge| judge.cli_version = "1.1".to_owned()), same, "a program's version alone");
        let others = [
            changed(|judge| judge.model = "n".to_owned()),
            changed(|judge| judge.prompt_template_version = "selection-v2".to_owned()),
            changed(|judge| judge.stages = None),
            changed(|judge| judge.stages.as_mut().unwrap().defects.as_mut().unwrap().model = "n".to_owned()),
            changed(|judge| judge.stages.as_mut().unwrap().tasks.as_mut().unwrap().prompt_hash = None),
        ];
        for other in others {
            assert_ne!(other, same);
            assert_ne!(other.id(), same.id());
        }
    }
}
