//! JSON as providers send it: a lone surrogate or a broken byte becomes U+FFFD instead of losing the whole reply.

use std::borrow::Cow;

use serde_json::Value;

/// A parsed value, and how many characters could not be kept.
#[derive(Debug, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) value: Value,
    pub(crate) replaced: usize,
}

/// Parses a text that may hold lone surrogate escapes or bytes that are not UTF-8.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, serde_json::Error> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok(Parsed { value, replaced: 0 }),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let lossy = if matches!(text, Cow::Owned(_)) { text.matches('\u{FFFD}').count() } else { 0 };
            let (repaired, surrogates) = replace_lone_surrogates(&text);
            if lossy + surrogates == 0 {
                return Err(error);
            }
            let value = serde_json::from_str(&repaired)?;
            Ok(Parsed { value, replaced: lossy + surrogates })
        }
    }
}

/// Writes `\uFFFD` over every surrogate escape that has no partner, and counts them.
fn replace_lone_surrogates(text: &str) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut kept, mut count) = (0, 0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match (unit(bytes, at), unit(bytes, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push_str(&text[kept..at]);
                out.push_str("\\uFFFD");
                count += 1;
                at += 6;
                kept = at;
            }
            // Any other escape is two bytes at least; skipping both keeps `\\ud800` (an escaped backslash) as text.
            _ => at += 2,
        }
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    (out, count)
}

/// Reads the UTF-16 unit of a `\uXXXX` escape at a place.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_and_broken_bytes_become_replacement_characters() {
        for (text, want, replaced) in [
            (&br#""a\ud83d""#[..], "a\u{FFFD}", 1),
            (br#""\ude00\ud83d\ude00x""#, "\u{FFFD}\u{1F600}x", 1),
            (br#""\ud800\ud83d\ude00""#, "\u{FFFD}\u{1F600}", 1),
            (br#""\\ud800 \ud800""#, "\\ud800 \u{FFFD}", 1),
            (b"\"a\xFFb\"", "a\u{FFFD}b", 1),
            (br#""fine \ud83d\ude00""#, "fine \u{1F600}", 0),
        ] {
            let parsed = parse(text).expect("it parses");
            assert_eq!((parsed.value.as_str(), parsed.replaced), (Some(want), replaced));
        }
        for text in [&b"{"[..], b"<html>", b"", b"\"\\", b"\"\\u", b"\xFF"] {
            assert!(parse(text).is_err());
        }
    }
}
