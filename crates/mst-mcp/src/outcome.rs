//! What a call to a tool brought.

use std::borrow::Cow;
use std::time::Duration;

use mst_model::{Ending, ServerLabel};
use serde_json::Value;

use crate::content;
use crate::failure::CallFailure;

/// What a call brought: never an error of ours, for a call that failed is something the server under test did.
#[derive(Clone, Debug, PartialEq)]
pub struct CallOutcome {
    /// The result as sent, with every field; absent when none came.
    pub raw: Option<Value>,
    /// What came back, for a model.
    pub parts: Vec<ResultPart>,
    /// What came back as text, for events and judges: images and other bytes are named, never spelled out.
    pub text: String,
    /// Whether the call failed: the server says so, or no result came.
    pub is_error: bool,
    /// Why no result came.
    pub failure: Option<CallFailure>,
    /// What the failure makes of the trial, where the call was not the server's to run (see the crate's documentation);
    /// a call that failed otherwise is part of its trial.
    pub ending: Option<Ending>,
    /// How long the call took.
    pub duration: Duration,
    /// Faults of the server that did not stop the call.
    pub warnings: Vec<String>,
}

/// One part of what came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// Its media type.
        mime_type: String,
        /// Its bytes in base64.
        data: String,
    },
}

impl ResultPart {
    /// Returns the part as text; an image as a note of its type and size.
    pub fn as_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text { text } => Cow::Borrowed(text),
            Self::Image { mime_type, data } => Cow::Owned(content::note(mime_type, data)),
        }
    }
}

impl CallOutcome {
    /// Reads a result; `promised` tells whether the tool declares an output schema.
    pub(crate) fn from_result(tool: &str, promised: bool, result: Value, duration: Duration) -> Self {
        let content::Read { parts, is_error, warnings } = content::read(tool, promised, &result);
        let text = parts.iter().map(ResultPart::as_text).collect::<Vec<_>>().join("\n");
        Self { raw: Some(result), parts, text, is_error, failure: None, ending: None, duration, warnings }
    }

    /// Tells of a call that brought no result.
    pub(crate) fn from_failure(server: &ServerLabel, failure: CallFailure, duration: Duration) -> Self {
        let ending = failure.ending(server);
        let text = failure.to_string();
        Self {
            raw: None,
            parts: vec![ResultPart::Text { text: text.clone() }],
            text,
            is_error: true,
            failure: Some(failure),
            ending,
            duration,
            warnings: Vec::new(),
        }
    }
}
