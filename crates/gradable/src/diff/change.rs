//! One change, and how much it matters.

use serde::Serialize;

/// How much a change matters, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A call that was right is refused now, or a result lacks what was promised.
    Breaking,
    /// A model's choices may move.
    Risky,
    /// Neither.
    Neutral,
}

impl Kind {
    /// Returns the kind's name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Risky => "risky",
            Self::Neutral => "neutral",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Change {
    /// How much it matters.
    pub(crate) kind: Kind,
    /// What it is, such as `removed-parameter`.
    pub(crate) what: &'static str,
    /// The tool; absent when it is about the server as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    /// A JSON Pointer into the tool's definition, later form first; empty for all of it.
    pub(crate) pointer: String,
    /// In a sentence.
    pub(crate) message: String,
}

/// Changes of one tool, or of the server as a whole.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) list: Vec<Change>,
    pub(super) tool: Option<String>,
}

impl Changes {
    /// Collects the changes of a tool.
    pub(super) fn of(tool: &str) -> Self {
        Self { list: Vec::new(), tool: Some(tool.to_owned()) }
    }

    pub(super) fn breaking(&mut self, what: &'static str, pointer: &str, message: impl Into<String>) {
        self.add(Kind::Breaking, what, pointer, message);
    }

    pub(super) fn risky(&mut self, what: &'static str, pointer: &str, message: impl Into<String>) {
        self.add(Kind::Risky, what, pointer, message);
    }

    pub(super) fn neutral(&mut self, what: &'static str, pointer: &str, message: impl Into<String>) {
        self.add(Kind::Neutral, what, pointer, message);
    }

    pub(super) fn add(&mut self, kind: Kind, what: &'static str, pointer: &str, message: impl Into<String>) {
        let pointer = pointer.to_owned();
        self.list.push(Change { kind, what, tool: self.tool.clone(), pointer, message: message.into() });
    }

    /// Compares two texts: other words are a risk, another style is not.
    pub(super) fn text(
        &mut self,
        what: &'static str,
        pointer: &str,
        name: &str,
        (old, new): (Option<&str>, Option<&str>),
    ) {
        if old == new {
            return;
        }
        let words = |text: Option<&str>| mst_llm::words(text.unwrap_or_default());
        if words(old) == words(new) {
            self.neutral("restyled-text", pointer, format!("{name} is written otherwise, in the same words"));
        } else {
            let how = match (old, new) {
                (None, _) => "is new",
                (_, None) => "is gone",
                _ => "says something else",
            };
            self.risky(what, pointer, format!("{name} {how}"));
        }
    }
}
