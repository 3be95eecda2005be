//! Which fields of the stored types hold text from outside.

use std::collections::BTreeMap;

use crate::assertion::{Assertions, ExpectedCall, ToolsTriggered};
use crate::client_run::ClientRun;
use crate::diagnostics::{ClientDiagnostics, ServerObservation};
use crate::ending::Ending;
use crate::event::{Event, EventSource};
use crate::host_telemetry::{HostItem, HostTelemetry};
use crate::judge::{Criterion, JuryMember, Preference, PreferenceDimension, PreferenceRecord, SubScore};
use crate::one_or_many::OneOrMany;
use crate::record::{DatasetRecord, RecordedServer, RunRecord, ServerReadiness, VariantRecord};
use crate::results::{CaseRequest, CaseResult};
use crate::score::{GraderScore, ScoreRecord};
use crate::server_request::{ServerLogLine, ServerRequest};
use crate::skill_load::SkillLoad;
use crate::transcript::{ModelCall, Transcript};
use crate::trial::TrialRecord;

use super::scrubber::{Scrub, Scrubber};

impl Scrub for String {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        scrubber.text_in(self);
    }
}

impl Scrub for serde_json::Value {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        scrubber.value_in(self);
    }
}

impl Scrub for serde_json::Map<String, serde_json::Value> {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        scrubber.object_in(self);
    }
}

impl<T: Scrub> Scrub for Option<T> {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        if let Some(value) = self {
            value.scrub_with(scrubber);
        }
    }
}

impl<T: Scrub> Scrub for Vec<T> {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        for item in self {
            item.scrub_with(scrubber);
        }
    }
}

impl<T: Scrub> Scrub for BTreeMap<String, T> {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        for part in self.values_mut() {
            part.scrub_with(scrubber);
        }
    }
}

/// Scrubs the named fields of a struct.
macro_rules! scrub_fields {
    ($type:ty: $($field:ident),+ $(,)?) => {
        impl Scrub for $type {
            fn scrub_with(&mut self, scrubber: &Scrubber) {
                $(self.$field.scrub_with(scrubber);)+
            }
        }
    };
}

scrub_fields!(ClientRun: final_text, events, error, ending, model_calls, messages, telemetry, host_telemetry, skill_loads, diagnostics);
scrub_fields!(HostTelemetry: spans, logs, metrics);
scrub_fields!(HostItem: kept, content);
scrub_fields!(TrialRecord: dataset_name, ending, error, grading_error, transcript, write_record, client_telemetry, client_metadata, skill_loads, client_diagnostics);
scrub_fields!(Transcript: events, final_text, error, model_calls, messages);
scrub_fields!(ModelCall: id, model, finish_reason, text, tool_call_ids, request_id, entry_ids);
scrub_fields!(ClientDiagnostics: notes, servers, details);
scrub_fields!(ServerObservation: protocol_version, server_info, first_stray_line, requests, log, warnings);
scrub_fields!(ServerRequest: method, message, answer);
scrub_fields!(ServerLogLine: text);
// A skill's name is one that its server lists, as a tool's is.
scrub_fields!(SkillLoad: uri, problems);
scrub_fields!(ServerReadiness: tools, observation);
scrub_fields!(ScoreRecord: score);
scrub_fields!(GraderScore: details, reasoning, error, judge_model, sub_scores, criteria, jury, judge_results, metadata);
scrub_fields!(SubScore: reasoning);
scrub_fields!(PreferenceRecord: preference);
scrub_fields!(Preference: error, reasoning, dimensions, model, metadata);
scrub_fields!(PreferenceDimension: reasoning);
scrub_fields!(Criterion: text, reasoning);
scrub_fields!(JuryMember: reasoning, judge_model, criteria);
scrub_fields!(RunRecord: datasets, notes);
scrub_fields!(DatasetRecord: name);
scrub_fields!(RecordedServer: command, url);

impl Scrub for Event {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        // A server's tool is recorded under the name that the server lists: scrubbed, it would be another tool.
        if self.source != EventSource::Mcp {
            self.name.scrub_with(scrubber);
            self.raw_name.scrub_with(scrubber);
        }
        self.arguments.scrub_with(scrubber);
        self.raw_arguments.scrub_with(scrubber);
        self.output.scrub_with(scrubber);
        self.id.scrub_with(scrubber);
        for hit in self.results.iter_mut().flatten() {
            hit.name.scrub_with(scrubber);
        }
    }
}

impl Scrub for Ending {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        if let Self::Infrastructure { reason, .. } = self {
            reason.scrub_with(scrubber);
        }
    }
}

impl Scrub for VariantRecord {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        self.description.scrub_with(scrubber);
        self.servers.scrub_with(scrubber);
        self.model.scrub_with(scrubber);
        self.client_options.scrub_with(scrubber);
        self.input_template.scrub_with(scrubber);
        self.readiness.scrub_with(scrubber);
        for patch in self.tools.iter_mut().flat_map(|tools| tools.values_mut()) {
            patch.description.scrub_with(scrubber);
            patch.input_schema.scrub_with(scrubber);
        }
    }
}

/// A case's records are scrubbed before they are joined; what is left is what was asked for, and what the traces repeat.
impl Scrub for CaseResult {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        self.dataset_name.scrub_with(scrubber);
        self.tags.scrub_with(scrubber);
        self.request.scrub_with(scrubber);
        let own = self.tool_call_trace.iter_mut();
        let of_trials = self.trial_results.iter_mut().flatten().filter_map(|trial| trial.tool_call_trace.as_mut());
        for missed in own.chain(of_trials).flat_map(|trace| &mut trace.missed) {
            missed.name.scrub_with(scrubber);
        }
    }
}

scrub_fields!(CaseRequest: description, tags, assertions, input, reference, expected);
scrub_fields!(Assertions: contains_text, matches_pattern, tools_triggered);
scrub_fields!(ToolsTriggered: calls);
scrub_fields!(ExpectedCall: name, arguments);

impl Scrub for OneOrMany {
    fn scrub_with(&mut self, scrubber: &Scrubber) {
        match self {
            Self::One(text) => text.scrub_with(scrubber),
            Self::Many(texts) => texts.scrub_with(scrubber),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_of_one_letter_cannot_damage_a_record() {
        let scrubber = Scrubber::new(["k", "1", "event"], []);
        let stored = json!({
            "format": "mst.run/v1", "kind": "trial", "runId": "20261007T182504Z-7f3c2a", "variant": "default",
            "caseId": "k1", "datasetName": "parts", "trial": 0, "durationMs": 1.5, "infrastructureError": false,
            "ending": { "kind": "trial" },
            "transcript": {
                "events": [{ "kind": "tool_call", "source": "mcp", "name": "look", "arguments": { "k": "1" } }],
                "finalText": "knock", "startedAt": "2026-10-03T18:02:11.000Z", "usage": { "inputTokens": 11 }
            }
        });
        let trial: TrialRecord = serde_json::from_value(stored).expect("a trial");
        let clean = serde_json::to_value(scrubber.scrub(trial).get()).expect("a trial has a JSON form");
        assert_eq!(clean["transcript"]["finalText"], "[REDACTED]noc[REDACTED]");
        assert_eq!(clean["transcript"]["events"][0]["arguments"], json!({ "[REDACTED]": "[REDACTED]" }));
        assert_eq!(clean["transcript"]["startedAt"], "2026-10-03T18:02:11.000Z");
        assert_eq!(clean["transcript"]["usage"]["inputTokens"], 11);
        assert_eq!((&clean["kind"], &clean["caseId"]), (&json!("trial"), &json!("k1")));
    }

    #[test]
    fn what_a_case_asked_for_is_scrubbed_too() {
        let scrubber = Scrubber::new(["hk-1Bn55Wq8"], []);
        let mut request: CaseRequest = serde_json::from_value(json!({
            "input": "use hk-1Bn55Wq8",
            "assertions": {
                "containsText": ["hk-1Bn55Wq8"],
                "toolsTriggered": { "calls": [{ "name": "a", "arguments": { "deep": [{ "hk-1Bn55Wq8": "hk-1Bn55Wq8" }] } }] }
            }
        }))
        .expect("a request");
        request.scrub_with(&scrubber);
        assert!(!serde_json::to_string(&request).expect("JSON").contains("hk-1Bn55Wq8"), "{request:?}");
    }
}
