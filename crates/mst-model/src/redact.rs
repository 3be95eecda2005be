//! Response redaction: what a run with `redactStoredResponses` does not keep. A storage policy, not a secret filter.

use serde_json::Value;

use crate::diagnostics::ClientDiagnostics;
use crate::judge::Preference;
use crate::results::CaseResult;
use crate::score::GraderScore;
use crate::transcript::Transcript;
use crate::trial::TrialRecord;

/// Drops answers, tool outputs and what servers said beside them from a trial that is about to be stored; events,
/// arguments, usage and counts stay.
pub fn redact_trial(trial: &mut TrialRecord) {
    if let Some(transcript) = &mut trial.transcript {
        redact_transcript(transcript);
    }
    trial.client_diagnostics.iter_mut().for_each(redact_diagnostics);
    if let Some(Value::Object(telemetry)) = &mut trial.client_telemetry {
        telemetry.shift_remove("content");
    }
    if let Some(Value::Object(record)) = &mut trial.write_record {
        for writes in record.values_mut().filter_map(Value::as_array_mut) {
            for write in writes.iter_mut().filter_map(Value::as_object_mut) {
                write.shift_remove("reply");
            }
        }
    }
}

/// Drops what servers said and were told beside their results; that they asked, and how often, stays.
fn redact_diagnostics(diagnostics: &mut ClientDiagnostics) {
    for server in &mut diagnostics.servers {
        server.log.clear();
        for request in &mut server.requests {
            (request.message, request.answer) = (None, None);
        }
    }
}

/// Drops answers and tool outputs from a transcript.
pub fn redact_transcript(transcript: &mut Transcript) {
    transcript.final_text = None;
    transcript.messages = None;
    for event in &mut transcript.events {
        event.output = None;
    }
    for call in transcript.model_calls.iter_mut().flatten() {
        call.text = None;
    }
}

/// Drops a judge's other output from a score; the verdict and its reasoning stay.
pub fn redact_score(score: &mut GraderScore) {
    score.metadata = None;
    score.judge_results.iter_mut().flatten().for_each(redact_score);
}

/// Drops a pairwise judge's other output from a preference; the preference and its reasoning stay.
pub fn redact_preference(preference: &mut Preference) {
    preference.metadata = None;
}

/// Drops from a case's result what [`redact_trial`] and [`redact_score`] drop from its files, and its answer.
pub fn redact_case(case: &mut CaseResult) {
    case.response = None;
    case.transcript.iter_mut().for_each(redact_transcript);
    case.client_diagnostics.iter_mut().for_each(redact_diagnostics);
    case.scores.values_mut().for_each(redact_score);
    for trial in case.trial_results.iter_mut().flatten() {
        trial.transcript.iter_mut().for_each(redact_transcript);
        trial.client_diagnostics.iter_mut().for_each(redact_diagnostics);
        trial.scores.values_mut().for_each(redact_score);
    }
}
