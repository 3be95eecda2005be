//! Why a conversation ended before the model had said all, and what that makes of the trial.

use mst_llm::{ChatReply, Finish, LlmError};
use mst_model::{Broke, Ending};

/// An end other than the model's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The trial counts, with this error.
    Trial(String),
    /// The trial counts for nothing.
    Infrastructure {
        /// What broke.
        broke: Broke,
        /// Whether collecting again can help.
        retryable: bool,
        /// What happened.
        reason: String,
        /// What was behind the failure, where an exit status tells it apart: `authentication` or `server`.
        cause: Option<&'static str>,
    },
    /// The caller cancelled.
    Cancelled,
}

impl Stop {
    /// Makes the end of a trial whose setup is wrong, which a retry cannot help.
    pub(super) fn setup(reason: impl Into<String>) -> Self {
        Self::Infrastructure { broke: Broke::Setup, retryable: false, reason: reason.into(), cause: None }
    }

    /// Makes the end of a replayed trial that asked for something the tape lacks: nothing was collected, and collecting
    /// again from the same tape would end the same.
    pub(super) fn off_tape(reason: impl Into<String>) -> Self {
        let (broke, reason) = (Broke::Collection, reason.into());
        Self::Infrastructure { broke, retryable: false, reason, cause: None }
    }

    /// Makes the end that follows from a failed model call.
    ///
    /// `acted` says whether the model had answered before. A provider that took the first request and then refuses one
    /// (400, 413, 422) or calls the context full refuses what the trial itself added: that trial counts, with an error.
    /// Otherwise the kind of failure alone decides, never its words.
    pub(super) fn of_failed_call(error: &LlmError, acted: bool) -> Self {
        let retryable = |broke| Self::Infrastructure { broke, retryable: true, reason: error.to_string(), cause: None };
        match error {
            LlmError::RateLimited { .. } | LlmError::Unavailable { .. } | LlmError::Unreadable { .. } => {
                retryable(Broke::Provider)
            }
            LlmError::Network { .. } => retryable(Broke::Network),
            LlmError::ContextOverflow { .. } | LlmError::BadRequest { status: 400 | 413 | 422, .. } if acted => {
                Self::Trial(error.to_string())
            }
            LlmError::Auth { .. } => Self::Infrastructure {
                broke: Broke::Setup,
                retryable: false,
                reason: error.to_string(),
                cause: Some("authentication"),
            },
            LlmError::ContextOverflow { .. } | LlmError::BadRequest { .. } | LlmError::Unsupported(_) => {
                Self::setup(error.to_string())
            }
            LlmError::OffTape(reason) => Self::off_tape(reason),
            LlmError::Cancelled => Self::Cancelled,
        }
    }

    /// Makes the end that a call makes which its server's host refused: rejected credentials, too many requests.
    pub(super) fn of_refused_call(ending: Ending) -> Self {
        match ending {
            Ending::Trial => Self::Trial("the server refused a call".to_owned()),
            Ending::Infrastructure { broke, retryable, reason } => {
                let cause = Some(if broke == Broke::Setup { "authentication" } else { "server" });
                Self::Infrastructure { broke, retryable, reason, cause }
            }
        }
    }

    /// Returns the end that a reply makes by itself, when its turn did not end as an answer or with calls to run.
    ///
    /// An answer cut at `maxTokens` stays an answer; calls of a cut turn may be cut themselves and end the trial.
    pub(super) fn of_reply(reply: &ChatReply) -> Option<Self> {
        let word = reply.finish_reason.as_deref();
        let named = |what: &str| match word {
            Some(word) => Self::Trial(format!("{what} ({word})")),
            None => Self::Trial(what.to_owned()),
        };
        let calls = reply.tool_calls().count();
        match &reply.finish {
            Finish::Refused { text: Some(text) } if !text.trim().is_empty() => {
                Some(Self::Trial(format!("the model refused: {text}")))
            }
            Finish::Refused { .. } => Some(named("the model refused to answer")),
            Finish::Filtered => Some(named("the provider filtered the answer")),
            Finish::ContextFull => Some(named("the model's context was full before it had finished")),
            Finish::MaxTokens if calls > 0 => {
                Some(named("maxTokens was reached inside a turn that calls tools, so none of its calls was sent"))
            }
            Finish::Other if calls == 0 && word.is_some() && reply.text().trim().is_empty() => {
                Some(named("the model's turn ended without an answer"))
            }
            Finish::Stop | Finish::ToolCalls | Finish::MaxTokens | Finish::Other => None,
        }
    }

    /// Returns what was behind a setup failure.
    pub(super) fn cause(&self) -> Option<&'static str> {
        match self {
            Self::Infrastructure { cause, .. } => *cause,
            Self::Trial(_) | Self::Cancelled => None,
        }
    }

    /// Returns the trial's error and ending.
    pub(super) fn into_ending(self) -> (Option<String>, Ending) {
        match self {
            Self::Trial(error) => (Some(error), Ending::Trial),
            Self::Infrastructure { broke, retryable, reason, cause: _ } => {
                (Some(reason.clone()), Ending::Infrastructure { broke, retryable, reason })
            }
            Self::Cancelled => {
                let reason = "interrupted";
                (Some(reason.to_owned()), Ending::retryable(Broke::Deadline, reason))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_llm::{AssistantPart, ToolArguments, ToolCall};
    use mst_model::{Provider, Timestamp};
    use serde_json::Map;

    const P: Provider = Provider::Anthropic;

    #[test]
    fn fc09_the_kind_of_a_failed_call_decides_the_ending() {
        let bad = |status| LlmError::BadRequest { provider: P, status, message: "429 quota, connection reset".into() };
        let network = LlmError::Network { provider: P, attempts: 4, detail: "reset".into() };
        let limited = LlmError::RateLimited { provider: P, attempts: 4, retry_after_ms: None };
        let down = LlmError::Unavailable { provider: P, status: 529, attempts: 4 };
        let overflow = LlmError::ContextOverflow { model: "m".into() };
        let auth = LlmError::Auth { provider: P, detail: "401".into() };
        let unreadable = LlmError::Unreadable { provider: P, detail: "not JSON".into() };
        for (error, acted, want) in [
            (&limited, false, "provider true"),
            (&limited, true, "provider true"),
            (&down, true, "provider true"),
            (&unreadable, false, "provider true"),
            (&network, true, "network true"),
            (&auth, true, "setup false"),
            (&overflow, false, "setup false"),
            (&overflow, true, "trial"),
            (&bad(400), false, "setup false"),
            (&bad(400), true, "trial"),
            (&bad(404), true, "setup false"),
            (&LlmError::Cancelled, true, "deadline true"),
        ] {
            let (text, ending) = Stop::of_failed_call(error, acted).into_ending();
            assert!(text.is_some());
            let got = match ending {
                Ending::Trial => "trial".to_owned(),
                Ending::Infrastructure { broke, retryable, .. } => {
                    format!("{} {retryable}", serde_json::to_value(broke).expect("a word").as_str().expect("a word"))
                }
            };
            assert_eq!(got, want, "{error} acted={acted}");
        }
    }

    #[test]
    fn fc20_a_turn_that_did_not_end_as_an_answer_says_so() {
        let text = |text: &str| vec![AssistantPart::Text { text: text.into() }];
        let call = || {
            let arguments = ToolArguments::Object(Map::new());
            vec![AssistantPart::ToolCall(ToolCall { id: "1".into(), name: "t".into(), arguments, signature: None })]
        };
        let refused = |text: Option<&str>| Finish::Refused { text: text.map(str::to_owned) };
        for (finish, word, parts, want) in [
            (refused(None), Some("refusal"), vec![], Some("the model refused to answer (refusal)")),
            (refused(Some("No.")), Some("stop"), vec![], Some("the model refused: No.")),
            (
                Finish::Filtered,
                Some("content_filter"),
                vec![],
                Some("the provider filtered the answer (content_filter)"),
            ),
            (Finish::Other, Some("MALFORMED"), vec![], Some("the model's turn ended without an answer (MALFORMED)")),
            (Finish::Other, Some("odd"), text("hi"), None),
            (Finish::Other, None, vec![], None),
            (Finish::MaxTokens, Some("length"), text("half an ans"), None),
            (
                Finish::MaxTokens,
                Some("length"),
                call(),
                Some("maxTokens was reached inside a turn that calls tools, so none of its calls was sent (length)"),
            ),
            (Finish::Stop, Some("end_turn"), vec![], None),
            (Finish::Stop, Some("STOP"), call(), None),
        ] {
            let now = Timestamp::from_millis(0).expect("in range");
            let reply = ChatReply {
                id: None,
                request_id: None,
                model: "m".into(),
                parts,
                finish: finish.clone(),
                finish_reason: word.map(str::to_owned),
                usage: None,
                started_at: now,
                completed_at: now,
                notes: vec![],
            };
            let got = Stop::of_reply(&reply);
            assert_eq!(got, want.map(|text| Stop::Trial(text.to_owned())), "{finish:?} {word:?}");
        }
    }
}
