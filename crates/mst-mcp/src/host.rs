//! This side of a connection as its server meets it: notes are taken of what it says, and what it asks is answered.

use std::sync::Arc;

use mst_model::{ServerConfig, ServerLabel, ServerRequest, ServerRequestOutcome};
use serde_json::{Value, json};

use crate::message;
use crate::notes::Notes;
use crate::script::{Reply, Script, subject};
use crate::text::cut;

/// What a connection's tasks share of this side.
#[derive(Debug)]
pub(crate) struct Host {
    /// What the connection shows.
    pub(crate) notes: Arc<Notes>,
    /// What requests are answered with.
    pub(crate) script: Arc<Script>,
}

impl Host {
    pub(crate) fn new(label: &ServerLabel, server: &ServerConfig) -> Self {
        Self { notes: Arc::new(Notes::new(label)), script: Arc::new(Script::of(server)) }
    }

    /// Returns this side with the same answers, where what is noted is noted by itself.
    pub(crate) fn elsewhere(&self) -> Self {
        Self { notes: Arc::new(self.notes.copied()), script: Arc::clone(&self.script) }
    }

    /// Answers a request that the server sent, and returns the answer's bytes.
    pub(crate) async fn answer(&self, id: &Value, method: &str, params: &Value) -> Vec<u8> {
        let reply = self.script.reply(method, params).await;
        if method == "ping" {
            self.notes.notified(method, params);
        } else {
            self.notes.asked(noted(method, params, &reply));
        }
        let outcome = match reply {
            Reply::Answer(result) | Reply::Declined(result) => Ok(result),
            Reply::Refused { code, message } => Err(json!({ "code": code, "message": message })),
        };
        message::answer(id, outcome)
    }

    /// Answers a request that stood in a result (revision 2026-07-28); fails with the reason when nothing fits it.
    pub(crate) async fn input(&self, method: &str, params: &Value) -> Result<Value, String> {
        let reply = self.script.reply(method, params).await;
        self.notes.asked_in_result(noted(method, params, &reply));
        match reply {
            Reply::Answer(result) => Ok(result),
            Reply::Declined(_) | Reply::Refused { .. } => {
                let asked = cut(method, 100);
                Err(match subject(method, params) {
                    Some(subject) => format!("nothing answers its {asked} {:?}", cut(&subject, 200)),
                    None => format!("nothing answers its {asked}"),
                })
            }
        }
    }
}

/// Returns what is kept of a request and what it got.
fn noted(method: &str, params: &Value, reply: &Reply) -> ServerRequest {
    let (outcome, answer) = match reply {
        Reply::Answer(result) => (ServerRequestOutcome::Answered, result.clone()),
        Reply::Declined(result) => (ServerRequestOutcome::Refused, result.clone()),
        Reply::Refused { message, .. } => (ServerRequestOutcome::Refused, json!(message)),
    };
    let (method, message) = (cut(method, 100), subject(method, params));
    ServerRequest { method, message, outcome, answer: Some(answer) }
}
