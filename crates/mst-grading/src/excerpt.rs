//! Short forms of long texts, for messages.

/// The longest JSON text shown in a message, in characters.
const LONGEST_JSON: usize = 300;

/// Returns a text cut to a number of characters, with `…` where something is left out.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Returns a JSON value as short text.
pub(crate) fn json(value: &serde_json::Value) -> String {
    shorten(&value.to_string(), LONGEST_JSON)
}

/// Returns a JSON object as short text.
pub(crate) fn object(map: &serde_json::Map<String, serde_json::Value>) -> String {
    let text = serde_json::to_string(map).expect("a map of JSON values has a JSON form");
    shorten(&text, LONGEST_JSON)
}

/// Returns the part of a text from `start` to `end` (byte offsets on character borders) with some characters around it.
pub(crate) fn around(text: &str, start: usize, end: usize) -> String {
    const MARGIN: usize = 20;
    let from = text[..start].char_indices().rev().nth(MARGIN - 1).map_or(0, |(at, _)| at);
    let to = text[end..].char_indices().nth(MARGIN).map_or(text.len(), |(at, _)| end + at);
    let head = if from > 0 { "…" } else { "" };
    let tail = if to < text.len() { "…" } else { "" };
    format!("{head}{}{tail}", &text[from..to])
}

/// Returns names in order, at most ten, and how many more there are.
pub(crate) fn names(names: &[String]) -> String {
    const MOST: usize = 10;
    let shown = names.iter().take(MOST).map(|name| shorten(name, 100)).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MOST) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_cut_between_characters() {
        assert_eq!(shorten("検索する", 2), "検索…");
        assert_eq!(shorten("検索", 2), "検索");
        assert_eq!(around("検索 abc 検索", 7, 10), "検索 abc 検索");
        let text = format!("{}needle{}", "検".repeat(30), "索".repeat(30));
        assert_eq!(around(&text, 90, 96), format!("…{}needle{}…", "検".repeat(20), "索".repeat(20)));
    }

    #[test]
    fn long_lists_of_names_are_counted() {
        let many: Vec<String> = (0..12).map(|n| format!("t{n}")).collect();
        assert_eq!(names(&many), "t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 2 more");
        assert_eq!(names(&many[..2]), "t0, t1");
    }
}
