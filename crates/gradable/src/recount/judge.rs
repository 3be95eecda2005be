//! The judge block: its own names are those of its stages.

use mst_model::{JudgeBlock, ScanStage, StageJudge, StageJudges};

use super::difference::Differences;

/// Checks that the block says what its stages recorded.
pub(super) fn block(judge: &JudgeBlock, found: &mut Differences) {
    let Some(stages) = &judge.stages else { return };
    if let Some(selection) = &stages.selection {
        found.text("judge.cli", &judge.cli, &selection.cli);
        found.text("judge.cliVersion", &judge.cli_version, &selection.cli_version);
        found.text("judge.model", &judge.model, &selection.model);
        found.text("judge.promptTemplateVersion", &judge.prompt_template_version, &selection.prompt_version);
    }
    if let Some(tasks) = &stages.tasks {
        found.text("judge.taskGeneratorVersion", &judge.task_generator_version, &tasks.prompt_version);
    }
    for stage in ScanStage::ALL {
        let Some(one) = stage_of(stages, stage) else { continue };
        let own = one.prompt_version.strip_prefix(stage.as_str()).is_some_and(|rest| rest.starts_with("-v"));
        if !own {
            let path = format!("judge.stages.{}.promptVersion", stage.as_str());
            found.say(path, format!("{:?} is not a version of the stage {:?}", one.prompt_version, stage.as_str()));
        }
    }
}

fn stage_of(stages: &StageJudges, stage: ScanStage) -> Option<&StageJudge> {
    match stage {
        ScanStage::Tasks => stages.tasks.as_ref(),
        ScanStage::Defects => stages.defects.as_ref(),
        ScanStage::Confusability => stages.confusability.as_ref(),
        ScanStage::Selection => stages.selection.as_ref(),
    }
}
