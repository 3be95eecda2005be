//! Texts of a run as its report shows them: every character visible, and cut where they are long.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::text::Shown;

/// How many characters of a text a report has.
const LONGEST: usize = 4000;

/// A text from a run. As JSON it is a string, or of one that was cut `[text, characters of the whole]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clip {
    text: Shown,
    whole: Option<usize>,
}

impl Clip {
    /// Cuts a text.
    pub(super) fn of(text: &str) -> Self {
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => Self { text: Shown::block(&text[..end]), whole: Some(text.chars().count()) },
            None => Self { text: Shown::block(text), whole: None },
        }
    }

    /// Cuts a value as JSON with line breaks.
    pub(super) fn of_json(value: &impl Serialize) -> Self {
        Self::of(&serde_json::to_string_pretty(value).unwrap_or_default())
    }
}

/// With how much was cut.
impl fmt::Display for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole {
            Some(whole) => write!(f, "{}… ({} more characters)", self.text, whole - LONGEST),
            None => self.text.fmt(f),
        }
    }
}

impl Serialize for Clip {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.whole {
            Some(whole) => (self.text.as_str(), whole).serialize(to),
            None => self.text.as_str().serialize(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_how_long_it_was() {
        let json = |text: &str| serde_json::to_value(Clip::of(text)).expect("JSON");
        assert_eq!(json("検\u{202e}"), "検\\u{202e}");
        let long = "検".repeat(LONGEST + 5);
        let cut = json(&long);
        assert_eq!((cut[0].as_str().map(|text| text.chars().count()), cut[1].as_u64()), (Some(4000), Some(4005)));
        assert!(json(&"x".repeat(LONGEST)).is_string());
    }
}
