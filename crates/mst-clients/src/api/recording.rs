//! What is kept of a conversation while it goes on, so that nothing is lost whenever it ends.

use std::collections::BTreeMap;

use mst_llm::{ChatReply, ToolArguments, ToolCall};
use mst_model::{
    ClientDiagnostics, ClientRun, Event, EventKind, EventSource, ModelCall, ServerLabel, ServerObservation, SkillLoad,
    SkillLoadKind, Timestamp, Usage,
};

use super::offer::Target;
use super::tool_server::ToolAnswer;

/// The events, model calls and notes of a trial so far.
#[derive(Debug, Default)]
pub(super) struct Recording {
    final_text: String,
    events: Vec<Event>,
    model_calls: Vec<ModelCall>,
    usage: Option<Usage>,
    model_ms: i64,
    notes: Vec<String>,
    warnings: BTreeMap<ServerLabel, Vec<String>>,
    /// What was read of skills; absent while none are offered.
    skill_loads: Option<Vec<SkillLoad>>,
    /// The event whose answer has not come.
    in_flight: Option<usize>,
}

impl Recording {
    /// Adds a note unless it is there already.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Returns whether the model has answered at all.
    pub(super) fn acted(&self) -> bool {
        !self.model_calls.is_empty()
    }

    /// Adds the time a model request took, retries included, in milliseconds.
    pub(super) fn model_time(&mut self, started: Timestamp, completed: Timestamp) {
        self.model_ms += milliseconds(started, completed);
    }

    /// Adds a model's turn.
    pub(super) fn reply(&mut self, reply: &mut ChatReply) {
        let number = self.model_calls.len() + 1;
        for note in std::mem::take(&mut reply.notes) {
            self.note(note);
        }
        if let Some(usage) = &reply.usage {
            self.usage.get_or_insert_default().add(usage);
        }
        self.final_text = reply.text();
        let id = match reply.id.take() {
            Some(id) if self.model_calls.iter().all(|call| call.id != id) => id,
            Some(id) => format!("{id}#{number}"),
            None => format!("call-{number}"),
        };
        self.model_calls.push(ModelCall {
            id,
            model: std::mem::take(&mut reply.model),
            usage: reply.usage.take(),
            finish_reason: reply.finish_reason.clone(),
            text: Some(self.final_text.clone()),
            tool_call_ids: reply.tool_calls().map(|call| call.id.clone()).collect(),
            started_at: Some(reply.started_at),
            completed_at: Some(reply.completed_at),
            request_id: reply.request_id.take(),
            entry_ids: None,
        });
    }

    /// Adds a call that is about to be sent.
    pub(super) fn sending(&mut self, call: &ToolCall, target: &Target, now: Timestamp) {
        let mut event = event(call, Some(target));
        event.started_at = Some(now);
        self.in_flight = Some(self.events.len());
        self.events.push(event);
    }

    /// Adds what came back for the call that was sent last.
    pub(super) fn answered(&mut self, target: &Target, answer: &mut ToolAnswer, now: Timestamp) {
        self.warn(&target.label, &std::mem::take(&mut answer.warnings));
        let Some(event) = self.in_flight.take().and_then(|at| self.events.get_mut(at)) else { return };
        event.output = Some(std::mem::take(&mut answer.text));
        event.is_error = Some(answer.is_error);
        event.completed_at = Some(now);
        event.duration_ms = Some(answer.duration.as_secs_f64() * 1000.0);
    }

    /// Adds faults of a server, each once.
    pub(super) fn warn(&mut self, server: &ServerLabel, faults: &[String]) {
        if faults.is_empty() {
            return;
        }
        let warnings = self.warnings.entry(server.clone()).or_default();
        for fault in faults {
            if !warnings.contains(fault) {
                warnings.push(fault.clone());
            }
        }
    }

    /// Says that the model is offered skills.
    pub(super) fn offer_skills(&mut self) {
        self.skill_loads.get_or_insert_default();
    }

    /// Adds what was read of a skill, at this point of the trial. What kept a skill of a server from the model is noted; a
    /// URI that the model made up is not.
    pub(super) fn load(&mut self, load: SkillLoad) {
        if let Some(name) = &load.name {
            let what = if load.kind == SkillLoadKind::Skill { "the skill" } else { "a file of the skill" };
            for problem in &load.problems {
                self.note(format!("{}: the model was not given {what} {name:?}: {problem}", load.server));
            }
        }
        let after_tool_calls = self.events.iter().filter(|event| event.is_tool_call()).count() as u64;
        self.skill_loads.get_or_insert_default().push(SkillLoad { after_tool_calls, ..load });
    }

    /// Adds a skill that the model loaded with a call, and what it was shown.
    pub(super) fn skill(
        &mut self,
        call: &ToolCall,
        skill: (ServerLabel, String),
        shown: &str,
        span: (Timestamp, Timestamp),
    ) {
        let (server, name) = skill;
        let (started, completed) = span;
        self.events.push(Event {
            kind: EventKind::Skill,
            source: EventSource::Mcp,
            raw_name: Some(call.name.clone()),
            name,
            server: Some(server),
            output: Some(shown.to_owned()),
            is_error: Some(false),
            started_at: Some(started),
            completed_at: Some(completed),
            duration_ms: Some(milliseconds(started, completed) as f64),
            ..event(call, None)
        });
    }

    /// Adds a call that never leaves the client, with what the model is told instead of a result.
    pub(super) fn not_sent(&mut self, call: &ToolCall, target: Option<&Target>, output: &str) {
        let mut event = event(call, target);
        event.output = Some(output.to_owned());
        event.is_error = Some(true);
        self.events.push(event);
    }

    /// Marks the call that no answer came for.
    fn close_in_flight(&mut self, now: Timestamp, why: &str) {
        let Some(event) = self.in_flight.take().and_then(|at| self.events.get_mut(at)) else { return };
        event.output = Some(format!("no result: {why}"));
        event.is_error = Some(true);
        event.duration_ms = event.started_at.map(|started| milliseconds(started, now) as f64);
    }

    /// Makes the trial's result, without its error and ending. `why` says why a call may have no answer.
    pub(super) fn into_run(
        mut self,
        span: (Timestamp, Timestamp),
        why: &str,
        seen: Vec<ServerObservation>,
    ) -> ClientRun {
        let (started, completed) = span;
        self.close_in_flight(completed, why);
        let wall = milliseconds(started, completed) as f64;
        if let Some(usage) = &mut self.usage {
            usage.duration_ms = Some(wall);
            usage.duration_api_ms = Some(self.model_ms as f64);
        }
        ClientRun {
            final_text: self.final_text,
            events: self.events,
            usage: self.usage,
            model_calls: Some(self.model_calls),
            started_at: Some(started),
            completed_at: Some(completed),
            duration_ms: Some(wall),
            skill_loads: self.skill_loads,
            diagnostics: ClientDiagnostics {
                notes: self.notes,
                servers: with_warnings(seen, self.warnings),
                ..ClientDiagnostics::default()
            },
            ..ClientRun::default()
        }
    }
}

/// Makes the event of a call: of the server's tool when the name was offered, else of nobody's.
fn event(call: &ToolCall, target: Option<&Target>) -> Event {
    let name = target.map_or(&call.name, |target| &target.tool);
    let (arguments, raw_arguments) = match &call.arguments {
        ToolArguments::Object(arguments) => (Some(arguments.clone()), None),
        ToolArguments::Malformed(raw) => (None, Some(raw.clone())),
    };
    Event {
        kind: EventKind::ToolCall,
        source: if target.is_some() { EventSource::Mcp } else { EventSource::Builtin },
        name: name.clone(),
        server: target.map(|target| target.label.clone()),
        raw_name: (*name != call.name).then(|| call.name.clone()),
        arguments,
        raw_arguments,
        output: None,
        is_error: None,
        id: Some(call.id.clone()),
        started_at: None,
        completed_at: None,
        duration_ms: None,
        results: None,
    }
}

/// Adds the warnings of calls to what was seen of their servers.
fn with_warnings(
    mut seen: Vec<ServerObservation>,
    warnings: BTreeMap<ServerLabel, Vec<String>>,
) -> Vec<ServerObservation> {
    for (label, warnings) in warnings {
        if seen.iter().all(|observation| label != *observation.label) {
            seen.push(ServerObservation::new(&label));
        }
        let known = seen.iter_mut().filter(|observation| label == *observation.label);
        for observation in known {
            let new: Vec<_> = warnings.iter().filter(|text| !observation.warnings.contains(text)).cloned().collect();
            observation.warnings.extend(new);
        }
    }
    seen
}

/// Returns the milliseconds between two times, 0 when a clock was set back between them.
fn milliseconds(from: Timestamp, to: Timestamp) -> i64 {
    (to.as_millis() - from.as_millis()).max(0)
}
