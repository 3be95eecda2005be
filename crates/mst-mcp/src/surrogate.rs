//! Repairs lone surrogate escapes, which JSON's grammar allows and its strings cannot hold.

use std::borrow::Cow;

/// Replaces each `\uD800`–`\uDFFF` escape that is not half of a pair by `\uFFFD`, and bytes that are not UTF-8 likewise.
///
/// Returns the text unchanged, borrowed, when there is nothing to repair.
pub(crate) fn repair(json: &[u8]) -> Cow<'_, [u8]> {
    let text = match String::from_utf8_lossy(json) {
        Cow::Borrowed(_) => Cow::Borrowed(json),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    let lone = lone_escapes(&text);
    if lone.is_empty() {
        return text;
    }
    let mut repaired = text.into_owned();
    for at in lone {
        repaired[at + 2..at + 6].copy_from_slice(b"FFFD");
    }
    Cow::Owned(repaired)
}

/// Returns where the lone surrogate escapes begin.
fn lone_escapes(json: &[u8]) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(step) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += step;
        let Some(unit) = escape_at(json, at) else {
            // Another escape, such as `\\` or `\"`: its second byte is no start of one.
            at = (at + 2).min(json.len());
            continue;
        };
        let follows_low = matches!(escape_at(json, at + 6), Some(0xDC00..=0xDFFF));
        match unit {
            0xD800..=0xDBFF if follows_low => at += 12,
            0xD800..=0xDFFF => {
                lone.push(at);
                at += 6;
            }
            _ => at += 6,
        }
    }
    lone
}

/// Returns the code unit of the `\uXXXX` escape that begins at a place.
fn escape_at(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fc33_lone_surrogates_become_replacement_characters() {
        for (json, want) in [
            (r#""a \ud800 b""#, "a \u{FFFD} b"),
            (r#""\udc00""#, "\u{FFFD}"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud800\ud83d\ude00""#, "\u{FFFD}😀"),
            (r#""\\ud800 \u00e9""#, "\\ud800 é"),
            (r#""\ud800\n""#, "\u{FFFD}\n"),
            (r#""\ud8""#, ""),
            (r#""end \"#, ""),
        ] {
            let repaired = repair(json.as_bytes());
            assert_eq!(serde_json::from_slice::<String>(&repaired).unwrap_or_default(), want, "{json}");
        }
        assert!(matches!(repair(br#""\u00e9 plain""#), Cow::Borrowed(_)));
        assert_eq!(serde_json::from_slice::<String>(&repair(b"\"a\xffb\"")).unwrap(), "a\u{FFFD}b");
    }
}
