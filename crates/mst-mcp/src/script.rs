//! What a server's requests are answered with: the `answers` of its entry, and a plain refusal for everything else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mst_model::{Answers, Capabilities, ElicitationAction, ElicitationAnswer, ServerConfig};
use regress::{Flags, Regex};
use rmcp::model::ErrorCode;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use crate::text::{cut, one_line};

/// The first revision with elicitation, and the first in which it has modes.
const ELICITATION: (&str, &str) = ("2025-06-18", "2025-11-25");
/// The code with which a user's refusal of a sampling is told.
const USER_REJECTED: i64 = -1;
/// How long a pattern may run on a message.
const PATTERN_TIME: Duration = Duration::from_secs(1);
/// How much of a message a pattern sees, in characters: the engine backtracks.
const LONGEST_MESSAGE: usize = 10_000;
/// How many patterns may still run on threads of their own before no further one is tried.
const MOST_STUCK: usize = 4;

/// The answers of one session.
#[derive(Debug)]
pub(crate) struct Script {
    answers: Answers,
    capabilities: Capabilities,
    patterns: Vec<Option<Arc<Regex>>>,
    /// How many sampling requests there were.
    samplings: AtomicUsize,
    stuck: Arc<AtomicUsize>,
}

/// What a request of a server gets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// A scripted result.
    Answer(Value),
    /// The result that means no, where the method has one.
    Declined(Value),
    /// An error.
    Refused { code: i64, message: &'static str },
}

impl Script {
    /// Reads the answers of an entry. A pattern that does not compile, which the config's reader has refused, fits nothing.
    pub(crate) fn of(server: &ServerConfig) -> Self {
        let answers = server.answers().cloned().unwrap_or_default();
        let compile = |answer: &ElicitationAnswer| {
            let regex = Regex::with_flags(answer.matching.as_deref()?, Flags::from("m"));
            Some(Arc::new(regex.unwrap_or_else(|_| nothing())))
        };
        let patterns = answers.elicitation.iter().map(compile).collect();
        let capabilities = server.capabilities().cloned().unwrap_or_default();
        Self { answers, capabilities, patterns, samplings: AtomicUsize::new(0), stuck: Arc::default() }
    }

    /// Returns the capabilities to declare at a revision: what has an answer, and what the entry declares.
    pub(crate) fn capabilities(&self, revision: &str) -> Value {
        let mut declared = Map::new();
        if self.takes_roots() {
            declared.insert("roots".to_owned(), Value::Object(self.capabilities.roots.clone().unwrap_or_default()));
        }
        if self.takes_sampling() {
            let sampling = self.capabilities.sampling.clone().unwrap_or_default();
            declared.insert("sampling".to_owned(), Value::Object(sampling));
        }
        if self.takes_elicitation() && revision >= ELICITATION.0 {
            let modes = if revision >= ELICITATION.1 { json!({ "form": {}, "url": {} }) } else { json!({}) };
            declared.insert("elicitation".to_owned(), modes);
        }
        Value::Object(declared)
    }

    /// Answers a request.
    pub(crate) async fn reply(&self, method: &str, params: &Value) -> Reply {
        match method {
            "ping" => Reply::Answer(json!({})),
            "elicitation/create" if self.takes_elicitation() => self.elicit(params).await,
            "sampling/createMessage" if self.takes_sampling() => self.sample(),
            "roots/list" if self.takes_roots() => {
                let roots = self.answers.roots.iter().flatten().map(|uri| json!({ "uri": uri }));
                Reply::Answer(json!({ "roots": roots.collect::<Vec<_>>() }))
            }
            _ => Reply::Refused { code: code(ErrorCode::METHOD_NOT_FOUND), message: "method not found" },
        }
    }

    fn takes_elicitation(&self) -> bool {
        !self.answers.elicitation.is_empty()
    }

    fn takes_sampling(&self) -> bool {
        !self.answers.sampling.is_empty() || self.capabilities.sampling.is_some()
    }

    fn takes_roots(&self) -> bool {
        self.answers.roots.is_some() || self.capabilities.roots.is_some()
    }

    /// Answers with the first entry that fits; none is used up.
    async fn elicit(&self, params: &Value) -> Reply {
        let mode = params.get("mode").and_then(Value::as_str).unwrap_or("form");
        if !matches!(mode, "form" | "url") {
            return Reply::Refused { code: code(ErrorCode::INVALID_PARAMS), message: "unknown elicitation mode" };
        }
        let message = params.get("message").and_then(Value::as_str).unwrap_or_default();
        for (answer, pattern) in self.answers.elicitation.iter().zip(&self.patterns) {
            if let Some(pattern) = pattern
                && !self.fits(pattern, message).await
            {
                continue;
            }
            let mut result = json!({ "action": answer.action.as_str() });
            if answer.action == ElicitationAction::Accept && mode == "form" {
                result["content"] = Value::Object(answer.content.clone().unwrap_or_default());
            }
            return Reply::Answer(result);
        }
        Reply::Declined(json!({ "action": "decline" }))
    }

    /// Answers with the next text.
    fn sample(&self) -> Reply {
        let next = self.samplings.fetch_add(1, Ordering::Relaxed);
        match self.answers.sampling.get(next) {
            Some(answer) => Reply::Answer(json!({
                "role": "assistant",
                "content": { "type": "text", "text": answer.text },
                "model": "scripted",
                "stopReason": "endTurn",
            })),
            None => Reply::Refused { code: USER_REJECTED, message: "user rejected sampling request" },
        }
    }

    /// Returns whether a pattern matches somewhere in a message. It runs on a thread of its own, since it cannot be
    /// stopped; one that does not end fits nothing.
    async fn fits(&self, pattern: &Arc<Regex>, message: &str) -> bool {
        if self.stuck.load(Ordering::Relaxed) >= MOST_STUCK {
            return false;
        }
        let (pattern, stuck, message) = (Arc::clone(pattern), Arc::clone(&self.stuck), cut(message, LONGEST_MESSAGE));
        let (sender, receiver) = oneshot::channel();
        stuck.fetch_add(1, Ordering::Relaxed);
        let started = std::thread::Builder::new().name("pattern".to_owned()).spawn(move || {
            let fits = pattern.find(&message).is_some();
            stuck.fetch_sub(1, Ordering::Relaxed);
            // The caller may have given up.
            sender.send(fits).ok();
        });
        if started.is_err() {
            self.stuck.fetch_sub(1, Ordering::Relaxed);
        }
        matches!(tokio::time::timeout(PATTERN_TIME, receiver).await, Ok(Ok(true)))
    }
}

/// Returns what a request was about: an elicitation's message, a sampling's last words.
pub(crate) fn subject(method: &str, params: &Value) -> Option<String> {
    let text = match method {
        "elicitation/create" => params.get("message")?.as_str()?,
        "sampling/createMessage" => {
            let content = params.get("messages")?.as_array()?.last()?.get("content")?;
            content.get("text").or_else(|| content.get(0)?.get("text"))?.as_str()?
        }
        _ => return None,
    };
    Some(one_line(text, 500))
}

fn code(code: ErrorCode) -> i64 {
    i64::from(code.0)
}

/// A pattern that fits nothing.
fn nothing() -> Regex {
    Regex::new("[]").expect("an empty class compiles")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_model::{SamplingAnswer, StdioServer};

    fn script(answers: Value, capabilities: Option<Value>) -> Script {
        let capabilities = capabilities.map(|value| serde_json::from_value(value).unwrap());
        let answers = Some(serde_json::from_value(answers).unwrap());
        Script::of(&ServerConfig::Stdio(StdioServer { answers, capabilities, ..StdioServer::default() }))
    }

    fn message(text: &str) -> Value {
        json!({ "message": text })
    }

    #[tokio::test]
    async fn the_first_elicitation_that_fits_answers_as_often_as_it_fits() {
        let script = script(
            json!({ "elicitation": [
                { "match": "^Which size", "action": "accept", "content": { "size": "large" } },
                { "match": "delete", "action": "decline" },
                { "match": "(", "action": "cancel" },
            ] }),
            None,
        );
        for _ in 0..2 {
            let got = script.reply("elicitation/create", &message("Order 7\nWhich size?")).await;
            assert_eq!(got, Reply::Answer(json!({ "action": "accept", "content": { "size": "large" } })));
        }
        let got = script.reply("elicitation/create", &message("Really delete?")).await;
        assert_eq!(got, Reply::Answer(json!({ "action": "decline" })));
        let got = script.reply("elicitation/create", &message("Anything else?")).await;
        assert_eq!(got, Reply::Declined(json!({ "action": "decline" })));
        let url = json!({ "mode": "url", "message": "Which size of window?", "url": "https://example.invalid" });
        let got = script.reply("elicitation/create", &url).await;
        assert_eq!(got, Reply::Answer(json!({ "action": "accept" })));
        let unknown = json!({ "mode": "voice", "message": "Which size?" });
        let got = script.reply("elicitation/create", &unknown).await;
        assert_eq!(got, Reply::Refused { code: -32602, message: "unknown elicitation mode" });
    }

    #[tokio::test]
    async fn sampling_texts_come_in_order_and_then_the_user_rejects() {
        let script = script(json!({ "sampling": [{ "text": "one" }, { "text": "two" }] }), None);
        for want in ["one", "two"] {
            let Reply::Answer(got) = script.reply("sampling/createMessage", &json!({})).await else { panic!("{want}") };
            assert_eq!((&got["content"]["text"], &got["role"]), (&json!(want), &json!("assistant")));
        }
        let got = script.reply("sampling/createMessage", &json!({})).await;
        assert_eq!(got, Reply::Refused { code: -1, message: "user rejected sampling request" });
        assert_eq!(script.answers.sampling[0], SamplingAnswer { text: "one".to_owned() });
    }

    #[tokio::test]
    async fn what_is_not_declared_is_an_unknown_method() {
        let script = script(json!({ "roots": ["file:///a"] }), None);
        let got = script.reply("roots/list", &Value::Null).await;
        assert_eq!(got, Reply::Answer(json!({ "roots": [{ "uri": "file:///a" }] })));
        for method in ["elicitation/create", "sampling/createMessage", "tasks/list"] {
            let got = script.reply(method, &message("x")).await;
            assert_eq!(got, Reply::Refused { code: -32601, message: "method not found" }, "{method}");
        }
    }

    #[test]
    fn capabilities_say_what_is_answered() {
        let all = json!({ "elicitation": [{ "action": "cancel" }], "sampling": [{ "text": "x" }], "roots": [] });
        let all = script(all, None);
        let modes = json!({ "roots": {}, "sampling": {}, "elicitation": { "form": {}, "url": {} } });
        for (revision, want) in [
            ("2026-07-28", modes.clone()),
            ("2025-11-25", modes),
            ("2025-06-18", json!({ "roots": {}, "sampling": {}, "elicitation": {} })),
            ("2024-11-05", json!({ "roots": {}, "sampling": {} })),
        ] {
            assert_eq!(all.capabilities(revision), want, "{revision}");
        }
        assert_eq!(script(json!({}), None).capabilities("2025-11-25"), json!({}));
        let declared = script(json!({}), Some(json!({ "roots": { "listChanged": true }, "sampling": {} })));
        let want = json!({ "roots": { "listChanged": true }, "sampling": {} });
        assert_eq!(declared.capabilities("2025-11-25"), want);
    }

    #[tokio::test]
    async fn a_pattern_that_never_ends_fits_nothing() {
        let script = script(json!({ "elicitation": [{ "match": "^(a+)+$", "action": "accept" }] }), None);
        let got = script.reply("elicitation/create", &message(&("a".repeat(40) + "!"))).await;
        assert_eq!(got, Reply::Declined(json!({ "action": "decline" })));
    }
}
