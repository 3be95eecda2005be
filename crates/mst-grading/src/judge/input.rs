//! What a judge is given of a case and a trial.

use mst_model::{
    EvalCase, JudgeCase, JudgeExpected, JudgeInput, JudgePrompt, JudgeSetting, JudgeTrial, Scrubbed, TrialRecord,
};
use serde_json::Value;

/// Makes a judge's input of a case, the judge's setting there (for its reference) and the trial in full: scrubbed, and
/// before response redaction.
pub fn judge_input(case: &EvalCase, setting: &JudgeSetting, trial: &Scrubbed<TrialRecord>) -> JudgeInput {
    JudgeInput { case: judge_case(case, setting.reference.as_ref()), trial: observed_trial(trial) }
}

/// Makes a case as judges are given it. A `reference` stands in place of its own answer.
pub fn judge_case(case: &EvalCase, reference: Option<&Value>) -> JudgeCase {
    let mut expected = case.expected.clone().unwrap_or_default();
    if let Some(reference) = reference {
        expected.insert("answer".to_owned(), reference.clone());
    }
    JudgeCase {
        id: case.id.to_string(),
        input: JudgePrompt { prompt: case.input.clone() },
        expected: JudgeExpected(expected),
        tags: case.tags.clone(),
        metadata: case.metadata.clone().unwrap_or_default(),
    }
}

/// Makes a trial as judges are given it.
///
/// `artifactsDir` is as the record has it, relative to the run's folder: who runs a judge that reads it makes it whole.
pub fn observed_trial(trial: &Scrubbed<TrialRecord>) -> JudgeTrial {
    let trial = trial.get();
    let transcript = trial.transcript.as_ref();
    let text = transcript.and_then(|transcript| transcript.final_text.clone()).unwrap_or_default();
    JudgeTrial {
        response: Value::String(text.clone()),
        text,
        events: transcript.map(|transcript| transcript.events.clone()).unwrap_or_default(),
        messages: transcript.and_then(|transcript| transcript.messages.clone()),
        evidence: transcript.and_then(|transcript| transcript.evidence),
        usage: trial.client_usage.clone().or_else(|| transcript?.usage.clone()),
        artifacts_dir: trial.artifacts.clone(),
        write_record: trial.write_record.clone(),
    }
}
