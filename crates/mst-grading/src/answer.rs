//! A final answer, and what a message may show of it.

use crate::excerpt::{around, shorten};

/// The longest beginning of an answer that a message quotes, in characters.
const LONGEST_BEGINNING: usize = 200;

/// A final answer as text graders read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    /// The text.
    pub(crate) text: &'a str,
    /// Whether messages may quote it: not in a run that does not store answers, since messages are stored.
    pub(crate) quote: bool,
}

impl Answer<'_> {
    /// Returns a part of the answer (byte offsets) with what stands around it, or where it is.
    pub(crate) fn place(&self, start: usize, end: usize) -> String {
        if self.quote {
            return format!("{:?}", around(self.text, start, end));
        }
        let before = &self.text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}")
    }

    /// Returns how the answer begins, or how long it is.
    pub(crate) fn beginning(&self) -> String {
        if self.text.is_empty() {
            "the answer is empty".to_owned()
        } else if self.quote {
            format!("the answer begins: {:?}", shorten(self.text, LONGEST_BEGINNING))
        } else {
            format!("the answer has {} characters", self.text.chars().count())
        }
    }
}
