//! XML 1.0 in which any text from outside is text: well-formed whatever it holds.

use std::fmt::Write as _;

use crate::text::Shown;

/// Returns a text as an attribute's value, on one line.
pub(crate) fn attribute(text: &str) -> String {
    escaped(Shown::line(text).as_str())
}

/// Returns a text as an element's content. Line feeds and tabs stay.
pub(crate) fn content(text: &str) -> String {
    escaped(Shown::block(text).as_str())
}

/// Escapes markup, and what no XML document may hold even as a character reference.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            // Also ends the sequence `]]>`, which content may not hold.
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(char),
            char if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => {
                let _written = write!(out, "{}", char.escape_unicode());
            }
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_text() {
        for (text, want) in [
            ("a<b> & \"c\" 'd'", "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"),
            ("]]>", "]]&gt;"),
            ("\0\u{1b}[31m\u{fffe}\u{ffff}", "\\u{0}\\u{1b}[31m\\u{fffe}\\u{ffff}"),
            ("\u{fffd}é検", "\u{fffd}é検"),
        ] {
            assert_eq!(content(text), want);
            assert_eq!(attribute(text), want);
        }
        assert_eq!(content("a\r\n\tb\u{2028}"), "a\n\tb\\u{2028}");
        assert_eq!(attribute("a\n\tb"), "a\\n\\tb");
    }
}
