//! What the fake provider answers: rules, the order in which a rule's replies are used, and what happens without one.

use serde::{Deserialize, Serialize};

use super::faults::Faults;
use super::form::Form;
use super::reply::Reply;
use super::request::RecordedRequest;
use super::view::View;

/// A script: the first rule that matches a request answers it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Rules in order of preference.
    pub rules: Vec<Rule>,
    /// What answers when no rule matches.
    pub fallback: Fallback,
    /// Milliseconds to wait before every answer of a model.
    pub latency_ms: u64,
    /// Faults that strike at random, before any rule.
    pub faults: Option<Faults>,
}

/// What answers a request that no rule matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The automatic model: calls a tool that suits the text, then quotes its result; gives judges a verdict.
    #[default]
    Automatic,
    /// HTTP 400 `no scripted rule matches this request`.
    Refuse,
}

/// Replies for the requests that `when` describes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// Which requests the rule answers.
    pub when: When,
    /// The replies.
    pub replies: Vec<Reply>,
    /// Whether the last reply is used again when all are used up; else the answer is 400 `script exhausted`.
    pub repeat: bool,
    /// How the reply is picked. When absent: by arrival if a reply is a fault or an HTTP error, else by turn.
    pub order: Option<Order>,
}

/// How a rule picks the n-th reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By the assistant turns that the request already holds (neighbouring assistant messages count once), so
    /// that many conversations at once, repeated trials and retries each see the same replies.
    Turn,
    /// By the order in which the rule's requests arrive, whatever conversation they belong to; a retry gets the next.
    Arrival,
}

/// A condition; every part that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct When {
    /// A text that some user message contains.
    pub text: Option<String>,
    /// A text that the system text contains.
    pub system: Option<String>,
    /// A text that the last tool result contains.
    pub result: Option<String>,
    /// The request's model, exactly.
    pub model: Option<String>,
    /// The wire form.
    pub form: Option<Form>,
    /// Whether tools are offered.
    pub tools: Option<bool>,
}

impl Script {
    /// Returns a script without rules: the automatic model.
    pub fn automatic() -> Self {
        Self::default()
    }

    /// Returns a script that answers only what its rules match.
    pub fn strict() -> Self {
        Self { fallback: Fallback::Refuse, ..Self::default() }
    }

    /// Adds replies, in order, for requests in which some user message contains the text.
    pub fn on(self, text: impl Into<String>, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.rule(Rule::new(When::text(text), replies))
    }

    /// Adds one reply for every request in which some user message contains the text.
    pub fn always(self, text: impl Into<String>, reply: Reply) -> Self {
        self.rule(Rule::new(When::text(text), [reply]).repeating())
    }

    /// Adds one reply for every request to this model.
    pub fn model(self, model: impl Into<String>, reply: Reply) -> Self {
        self.rule(Rule::new(When { model: Some(model.into()), ..When::default() }, [reply]).repeating())
    }

    /// Adds a rule.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Waits so many milliseconds before every answer.
    pub fn latency_ms(mut self, milliseconds: u64) -> Self {
        self.latency_ms = milliseconds;
        self
    }
}

impl Rule {
    /// Makes a rule whose replies are used once each.
    pub fn new(when: When, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { when, replies: replies.into_iter().collect(), ..Self::default() }
    }

    /// Uses the last reply again when all are used up.
    pub fn repeating(mut self) -> Self {
        self.repeat = true;
        self
    }

    /// Picks replies by arrival.
    pub fn by_arrival(mut self) -> Self {
        self.order = Some(Order::Arrival);
        self
    }

    /// Picks replies by the assistant turns in the request.
    pub fn by_turn(mut self) -> Self {
        self.order = Some(Order::Turn);
        self
    }

    /// Returns how this rule picks its replies.
    pub fn order(&self) -> Order {
        self.order.unwrap_or_else(
            || {
                if self.replies.iter().any(Reply::is_failure) { Order::Arrival } else { Order::Turn }
            },
        )
    }

    /// Returns the reply for the n-th use, if there is one.
    pub(crate) fn reply(&self, number: usize) -> Option<&Reply> {
        self.replies.get(number).or_else(|| if self.repeat { self.replies.last() } else { None })
    }
}

impl When {
    /// Matches requests in which some user message contains the text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Returns whether a request meets every part of the condition.
    pub(crate) fn is_met(&self, request: &RecordedRequest, view: &View) -> bool {
        let holds =
            |wanted: &Option<String>, found: &str| wanted.as_ref().is_none_or(|text| found.contains(text.as_str()));
        self.text.as_ref().is_none_or(|text| view.user_texts().any(|found| found.contains(text.as_str())))
            && holds(&self.system, &view.system)
            && holds(&self.result, view.tool_results.last().map_or("", |result| result.text.as_str()))
            && self.model.as_ref().is_none_or(|model| request.model.as_ref() == Some(model))
            && self.form.is_none_or(|form| request.form == Some(form))
            && self.tools.is_none_or(|offered| offered != view.tools.is_empty())
    }
}
