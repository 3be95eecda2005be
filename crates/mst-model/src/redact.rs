//! Response redaction: what a run with `redactStoredResponses` does not keep. A storage policy, not a secret filter.

use serde_json::Value;

use crate::trial::TrialRecord;

/// Drops answers and tool outputs from a trial that is about to be stored; events, arguments, usage and counts stay.
pub fn redact_trial(trial: &mut TrialRecord) {
    if let Some(transcript) = &mut trial.transcript {
        transcript.final_text = None;
        transcript.messages = None;
        for event in &mut transcript.events {
            event.output = None;
        }
        for call in transcript.model_calls.iter_mut().flatten() {
            call.text = None;
        }
    }
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
