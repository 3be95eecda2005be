//! Text from outside, made safe to print: no control character of a terminal gets through.

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

/// Returns whether a terminal may act on a character: C0, DEL and C1 controls, and marks that turn text around.
fn is_unsafe(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fc33_control_characters_become_visible() {
        for (text, want) in [
            ("plain é 検", "plain é 検"),
            ("two\nlines", "two\nlines"),
            ("\u{1b}]8;;https://example.invalid\u{7}x", "\\u{1b}]8;;https://example.invalid\\u{7}x"),
            ("a\rb\0c\u{9b}d", "a\\u{d}b\\u{0}c\\u{9b}d"),
            ("\u{202e}txt.exe", "\\u{202e}txt.exe"),
        ] {
            assert_eq!(printable(text), want);
        }
    }
}
