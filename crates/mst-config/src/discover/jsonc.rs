//! JSON with comments and trailing commas, made strict without moving anything.

/// Replaces comments and trailing commas by blanks, so that every place in the text stays what it was.
///
/// What is wrong otherwise stays wrong, and is told by the strict reader.
pub(super) fn strict(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    // The last comma outside of a text that nothing but blanks and comments has followed.
    let mut comma = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at = end_of_text(&bytes, at);
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                let end = end_of_comment(&bytes, at);
                for byte in &mut bytes[at..end] {
                    if !matches!(byte, b'\n' | b'\r') {
                        *byte = b' ';
                    }
                }
                at = end;
            }
            b',' => {
                comma = Some(at);
                at += 1;
            }
            b']' | b'}' => {
                if let Some(comma) = comma.take() {
                    bytes[comma] = b' ';
                }
                at += 1;
            }
            byte => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                at += 1;
            }
        }
    }
    bytes
}

fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start + 2..];
    if bytes[start + 1] == b'/' {
        return rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| start + 2 + end);
    }
    rest.windows(2).position(|pair| pair == b"*/").map_or(bytes.len(), |end| start + 4 + end)
}

#[cfg(test)]
mod tests {
    use super::strict;

    #[test]
    fn comments_and_trailing_commas_become_blanks_and_nothing_moves() {
        for (text, want) in [
            ("{\"a\": 1, // no\n}", "{\"a\": 1       \n}"),
            ("[1, /* é */ 2,]", "[1,          2 ]"),
            ("{\"u\": \"http://x/,}\"}", "{\"u\": \"http://x/,}\"}"),
            ("[\"a\\\"//\", ]", "[\"a\\\"//\"  ]"),
            ("[1,,2]", "[1,,2]"),
            ("/* open", "       "),
            ("\"open", "\"open"),
            ("\"\\", "\"\\"),
        ] {
            let strict = String::from_utf8(strict(text.as_bytes().to_vec())).expect("UTF-8");
            assert_eq!(strict, want, "{text}");
            assert_eq!(strict.len(), text.len());
        }
    }
}
