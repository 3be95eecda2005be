//! ECMAScript patterns, as `matchesPattern` and `{ "$pattern": … }` write them.

use regress::{Flags, Regex};

use crate::no_verdict::NoVerdict;

/// The longest text that patterns are run on, in bytes: the engine backtracks, and its time can grow with any power of
/// the length.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    source: String,
    flags: String,
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern. Without flags `m` applies; with them, exactly their letters: i, m, s, u, v. d and g change
    /// nothing here and are left out.
    pub(crate) fn new(source: &str, flags: Option<&str>) -> Result<Self, NoVerdict> {
        let invalid = |reason: String| NoVerdict::InvalidPattern { pattern: source.to_owned(), reason };
        let flags: String = flags.unwrap_or("m").chars().filter(|flag| !matches!(flag, 'd' | 'g')).collect();
        if let Some(flag) = flags.chars().find(|flag| !matches!(flag, 'i' | 'm' | 's' | 'u' | 'v')) {
            return Err(invalid(format!("the flag {flag:?} is not known")));
        }
        let regex = Regex::with_flags(source, Flags::from(flags.as_str())).map_err(|error| invalid(error.text))?;
        Ok(Self { source: source.to_owned(), flags, regex })
    }

    /// Returns whether the pattern matches somewhere in a text. May take for ever: see [`crate::PatternThreads`].
    pub(crate) fn matches(&self, text: &str) -> Result<bool, NoVerdict> {
        if text.len() > LONGEST_TEXT {
            return Err(NoVerdict::TextTooLong { bytes: text.len(), limit: LONGEST_TEXT });
        }
        Ok(self.regex.find(text).is_some())
    }

    /// Returns the pattern as JavaScript writes it: `/source/flags`.
    pub(crate) fn describe(&self) -> String {
        format!("/{}/{}", self.source, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_search_with_the_m_flag_unless_flags_are_given() {
        for (source, flags, text, want) in [
            ("^bin", None, "in\nbin 7", true),
            ("^bin", Some(""), "in\nbin 7", false),
            ("BIN", None, "bin", false),
            ("BIN", Some("i"), "bin", true),
            ("a.b", None, "a\nb", false),
            ("a.b", Some("gs"), "a\nb", true),
            (r"(?<=bin )\d+", None, "bin 7", true),
            (r"\p{Lu}", Some("u"), "É", true),
            ("", None, "", true),
        ] {
            let pattern = Pattern::new(source, flags).unwrap();
            assert_eq!(pattern.matches(text), Ok(want), "{} on {text:?}", pattern.describe());
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert!(matches!(Pattern::new("(", None), Err(NoVerdict::InvalidPattern { .. })));
        assert!(matches!(Pattern::new("a", Some("y")), Err(NoVerdict::InvalidPattern { .. })));
        let text = "x".repeat(LONGEST_TEXT + 1);
        assert!(matches!(Pattern::new("x", None).unwrap().matches(&text), Err(NoVerdict::TextTooLong { .. })));
    }
}
