//! Characters that a person does not see and a model reads.

use std::collections::BTreeMap;

/// Returns what is hidden in a text, as escapes with how often each stands there; `None` when nothing is.
pub(super) fn hidden(text: &str) -> Option<String> {
    if text.is_ascii() && !text.bytes().any(is_control_byte) {
        return None;
    }
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    let mut spelled = String::new();
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if is_hidden(char, before, chars.peek().copied()) {
            *counts.entry(char).or_default() += 1;
            spelled.extend(tag_letter(char));
        }
        before = Some(char);
    }
    if counts.is_empty() {
        return None;
    }
    let total = counts.len();
    let mut shown: Vec<String> = counts
        .into_iter()
        .take(5)
        .map(|(char, count)| {
            if count == 1 {
                char.escape_unicode().to_string()
            } else {
                format!("{} ({count} times)", char.escape_unicode())
            }
        })
        .collect();
    if total > shown.len() {
        shown.push(format!("{} more", total - shown.len()));
    }
    let mut said = shown.join(", ");
    if !spelled.is_empty() {
        let spelled: String = spelled.chars().take(80).collect();
        said = format!("{said}; they spell {spelled:?}");
    }
    Some(said)
}

fn is_control_byte(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t')
}

/// Tells whether a character is there and cannot be seen, or turns others around. A joiner between letters of a script
/// or between pictures that use it is no secret.
fn is_hidden(char: char, before: Option<char>, after: Option<char>) -> bool {
    match char {
        '\n' | '\r' | '\t' => false,
        '\u{200c}' | '\u{200d}' => {
            let is_used = |side: Option<char>| side.is_some_and(|side| !side.is_ascii());
            !(is_used(before) && is_used(after))
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
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}'
        | '\u{e0100}'..='\u{e01ef}' => true,
        _ => char.is_control(),
    }
}

/// Returns the letter that a tag character stands for: a whole text can be written in them.
fn tag_letter(char: char) -> Option<char> {
    let code = u32::from(char);
    (0xe0020..=0xe007e).contains(&code).then(|| char::from_u32(code - 0xe0000)).flatten()
}

#[cfg(test)]
mod tests {
    use super::hidden;

    #[test]
    fn what_cannot_be_seen_is_found_and_what_scripts_need_is_not() {
        let tags: String = "obey".chars().filter_map(|char| char::from_u32(u32::from(char) + 0xe0000)).collect();
        for (text, right) in [
            ("plain, é 検 ü\n\ttext", None),
            ("👩\u{200d}🔧 and می\u{200c}خواهم", None),
            ("a heart \u{2764}\u{fe0f}", None),
            ("a\u{200b}b\u{200b}", Some("\\u{200b} (2 times)")),
            ("x\u{200d}y", Some("\\u{200d}")),
            ("\u{202e}txt.exe", Some("\\u{202e}")),
            ("bell\u{7}", Some("\\u{7}")),
            ("soft\u{ad}hyphen", Some("\\u{ad}")),
        ] {
            assert_eq!(hidden(text).as_deref(), right, "{text:?}");
        }
        let found = hidden(&format!("Reads.{tags}")).expect("tags are found");
        assert!(found.ends_with("they spell \"obey\""), "{found}");
    }
}
