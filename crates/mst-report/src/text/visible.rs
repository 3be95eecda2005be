//! Text from outside, made visible: nothing in it is hidden, turned around or able to steer what shows it.

use std::fmt;

/// A text from a server, a model or a file, in which every character can be seen.
///
/// Control characters, marks that turn text around and characters without a width stand as escapes such as `\u{202e}`.
/// It is still no markup: each form escapes it by its own rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Shown(String);

impl Shown {
    /// Makes a text visible on one line: line breaks are escapes too.
    pub(crate) fn line(text: &str) -> Self {
        Self(escaped(text, false))
    }

    /// Makes a text visible and keeps its line feeds and tabs. A carriage return before a line feed is left out.
    pub(crate) fn block(text: &str) -> Self {
        Self(escaped(&text.replace("\r\n", "\n"), true))
    }

    /// Returns the text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn escaped(text: &str, keeps_lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' | '\t' if keeps_lines => out.push(char),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if is_hidden(char, before, chars.peek().copied()) => out.extend(char.escape_unicode()),
            _ => out.push(char),
        }
        before = Some(char);
    }
    out
}

/// Returns whether a character cannot be seen where it stands, or acts on the text around it.
fn is_hidden(char: char, before: Option<char>, after: Option<char>) -> bool {
    let beyond_ascii = |side: Option<char>| side.is_some_and(|side| !side.is_ascii());
    match char {
        // Joiners shape Persian, Indic scripts and emoji; between ASCII letters they only hide.
        '\u{200c}' | '\u{200d}' => !(beyond_ascii(before) && beyond_ascii(after)),
        // They choose between the text and the picture form of the symbol before them.
        '\u{fe0e}' | '\u{fe0f}' => {
            !(beyond_ascii(before) || before.is_some_and(|before| before.is_ascii_digit() || "#*".contains(before)))
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => char.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_becomes_an_escape() {
        for (text, want) in [
            ("plain é 検 👩‍🔧 ⚠️ 1️⃣", "plain é 検 👩‍🔧 ⚠️ 1️⃣"),
            ("می‌خواهم", "می‌خواهم"),
            ("ad\u{200d}min", "ad\\u{200d}min"),
            ("a\u{fe0f}", "a\\u{fe0f}"),
            ("\u{202e}txt.exe", "\\u{202e}txt.exe"),
            ("a\u{200b}b\u{feff}c\u{e0041}\u{e0100}", "a\\u{200b}b\\u{feff}c\\u{e0041}\\u{e0100}"),
            ("a\u{1b}[31m\0\u{9b}", "a\\u{1b}[31m\\u{0}\\u{9b}"),
            ("two\nlines\tand\r", "two\\nlines\\tand\\u{d}"),
        ] {
            assert_eq!(Shown::line(text).as_str(), want);
            assert_eq!(Shown::line(want).as_str(), want, "what can be seen stays");
        }
        assert_eq!(Shown::block("a\r\nb\rc\td").as_str(), "a\nb\\u{d}c\td");
    }
}
