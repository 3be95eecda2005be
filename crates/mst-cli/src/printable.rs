//! Text from outside, made safe to print: no control character of a terminal gets through.

use std::fmt::Write as _;

/// Returns a text with control and direction-changing characters made visible, such as `\u{1b}`. Line feeds stay.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char == '\n' || !is_unsafe(char) {
            out.push(char);
        } else {
            out.extend(char.escape_unicode());
        }
    }
    out
}

/// Returns a text as [`printable`] does, on one line.
pub(crate) fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

/// Returns JSON with the same characters as `\u` escapes: the same value, written otherwise.
///
/// JSON holds such characters inside strings alone, but for the line feeds of its layout, which stay.
pub fn printable_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        if char == '\n' || !is_unsafe(char) {
            out.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}").expect("a string takes any text");
        }
    }
    out
}

/// Returns whether a terminal may act on a character or a person be deceived by it: C0, DEL and C1 controls, marks that
/// turn text around, line separators, and characters that are there and cannot be seen.
fn is_unsafe(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fc33_control_characters_become_visible() {
        for (text, want) in [
            ("plain é 検 👩‍🔧", "plain é 検 👩‍🔧"),
            ("two\nlines", "two\nlines"),
            ("\u{1b}]8;;https://example.invalid\u{7}x", "\\u{1b}]8;;https://example.invalid\\u{7}x"),
            ("a\rb\0c\u{9b}d", "a\\u{d}b\\u{0}c\\u{9b}d"),
            ("\u{202e}txt.exe", "\\u{202e}txt.exe"),
            ("a\u{200b}b\u{feff}c\u{e0041}d", "a\\u{200b}b\\u{feff}c\\u{e0041}d"),
        ] {
            assert_eq!(printable(text), want);
            assert_eq!(printable(want), want, "what is safe stays");
        }
        assert_eq!(printable_line("a\nb"), "a\\nb");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({ "a\u{85}": ["\u{202e}x", "\u{7f}", "\u{e0041}", "é\n\"\\"] });
        let text = printable_json(&serde_json::to_string_pretty(&value).expect("JSON"));
        assert!(text.chars().all(|char| char == '\n' || !is_unsafe(char)), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
    }
}
