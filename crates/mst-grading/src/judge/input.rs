//! What a judge is given of a case and a trial.

use mst_model::{
    EvalCase, JudgeCase, JudgeExpected, JudgeInput, JudgePrompt, JudgeSetting, JudgeTrial, Scrubbed, TrialRecord,
};
use serde_json::Value;

/// Makes a judge's input of a case, the judge's setting there (for its reference) and the trial in full: scrubbed, and
/// before response redaction.
///
/// `artifactsDir` is as the record has it, relative to the run's folder: who runs a judge that reads it makes it whole.
pub fn judge_input(case: &EvalCase, setting: &JudgeSetting, trial: &Scrubbed<TrialRecord>) -> JudgeInput {
    let mut expected = case.expected.clone().unwrap_or_default();
    if let Some(reference) = &setting.reference {
        expected.insert("answer".to_owned(), reference.clone());
    }
    let trial = trial.get();
    let transcript = trial.transcript.as_ref();
    let text = transcript.and_then(|transcript| transcript.final_text.clone()).unwrap_or_default();
    JudgeInput {
        case: JudgeCase {
            id: case.id.to_string(),
            input: JudgePrompt { prompt: case.input.clone() },
            expected: JudgeExpected(expected),
            tags: case.tags.clone(),
            metadata: case.metadata.clone().unwrap_or_default(),
        },
        trial: JudgeTrial {
            response: Value::String(text.clone()),
            text,
            events: transcript.map(|transcript| transcript.events.clone()).unwrap_or_default(),
            messages: transcript.and_then(|transcript| transcript.messages.clone()),
            evidence: transcript.and_then(|transcript| transcript.evidence),
            usage: trial.client_usage.clone().or_else(|| transcript?.usage.clone()),
            artifacts_dir: trial.artifacts.clone(),
            write_record: trial.write_record.clone(),
        },
    }
}
