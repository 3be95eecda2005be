//! Short forms of things for messages: cut texts, sizes, durations.

use std::time::Duration;

/// Cuts a text to so many characters, with an ellipsis where something was left out.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Joins a text's lines and runs of white space, then cuts it.
pub(crate) fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * characters {
            break;
        }
    }
    cut(&line, characters)
}

/// Returns a size in bytes as people write it, in powers of 1000.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Returns a duration as people write it: `30 s`, `2.5 s`, `250 ms`.
pub(crate) fn duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    if millis < 1_000 {
        format!("{millis} ms")
    } else if millis.is_multiple_of(1_000) {
        format!("{} s", millis / 1_000)
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("検索結果", 2), "検索…");
        assert_eq!(cut("ab", 2), "ab");
        assert_eq!(one_line(" a\n\n b\tc ", 10), "a b c");
        assert_eq!(one_line(&"word ".repeat(1000), 9), "word word…");
    }

    #[test]
    fn sizes_and_durations_read_well() {
        assert_eq!([size(80), size(12_345), size(1_530_004)], ["80 bytes", "12.3 KB", "1.5 MB"]);
        let millis = |millis| duration(Duration::from_millis(millis));
        assert_eq!([millis(250), millis(30_000), millis(2_500)], ["250 ms", "30 s", "2.5 s"]);
    }
}
