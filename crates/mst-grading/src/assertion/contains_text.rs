//! `containsText`: the final answer has every listed text.

use mst_model::{GraderScore, OneOrMany};

use crate::answer::Answer;
use crate::excerpt::shorten;

/// The fewest characters of a text's beginning that count as a place close to it.
const SHORTEST_HINT: usize = 3;

/// Grades an answer, letter case and all. A failure lists every missing text with the closest place in the answer.
pub(crate) fn grade(expected: &OneOrMany, answer: &Answer<'_>) -> GraderScore {
    let missing: Vec<String> = expected
        .as_slice()
        .iter()
        .filter(|text| !answer.text.contains(text.as_str()))
        .map(|text| format!("missing: {:?}; {}", shorten(text, 300), closest(text, answer)))
        .collect();
    if missing.is_empty() { GraderScore::passed() } else { GraderScore::failed(missing.join("\n")) }
}

/// Returns where the answer comes closest to a text that it does not have.
fn closest(text: &str, answer: &Answer<'_>) -> String {
    if let Some((start, end)) = find_any_case(text, answer.text) {
        return format!("closest, in another letter case: {}", answer.place(start, end));
    }
    match longest_beginning(text, answer.text) {
        Some((start, end)) => format!("closest: {}", answer.place(start, end)),
        None => answer.beginning(),
    }
}

/// Returns the byte range of an answer that equals a text but for letter case.
fn find_any_case(text: &str, answer: &str) -> Option<(usize, usize)> {
    let mut lower = String::with_capacity(answer.len());
    // Where each byte of the lower-case form comes from: lower-casing can change a character's length.
    let mut origin = Vec::with_capacity(answer.len() + 1);
    for (at, character) in answer.char_indices() {
        for folded in character.to_lowercase() {
            lower.push(folded);
            origin.resize(lower.len(), at);
        }
    }
    let needle = text.to_lowercase();
    let start = lower.find(&needle)?;
    let last = origin[(start + needle.len()).checked_sub(1)?];
    let end = last + answer[last..].chars().next().map_or(0, char::len_utf8);
    Some((origin[start], end))
}

/// Returns the byte range of the longest beginning of a text that the answer has.
fn longest_beginning(text: &str, answer: &str) -> Option<(usize, usize)> {
    let borders: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).collect();
    // A beginning that occurs makes every shorter one occur, so the longest is found by halving.
    let count = borders.partition_point(|&end| answer.contains(&text[..end]));
    if count < SHORTEST_HINT {
        return None;
    }
    let length = borders[count - 1];
    let start = answer.find(&text[..length])?;
    Some((start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(texts: &[&str], answer: &str) -> Option<String> {
        let expected = OneOrMany::Many(texts.iter().map(|text| (*text).to_owned()).collect());
        let score = grade(&expected, &Answer { text: answer, quote: true });
        assert_eq!(score.pass, score.details.is_none());
        score.details
    }

    #[test]
    fn every_text_must_be_there_as_written() {
        for (texts, answer, want) in [
            (&["bin 7"][..], "Part p-1 is in bin 7.", true),
            (&["bin 7", "p-1"], "Part p-1 is in bin 7.", true),
            (&["Bin 7"], "Part p-1 is in bin 7.", false),
            (&["bin 7", "p-2"], "Part p-1 is in bin 7.", false),
            (&["é"], "e\u{301}", false),
            (&["a"], "", false),
            (&[""], "", true),
        ] {
            assert_eq!(details(texts, answer).is_none(), want, "{texts:?} in {answer:?}");
        }
    }

    #[test]
    fn a_failure_shows_the_closest_place() {
        let answer = "Part p-1 lies on shelf 3 in bin 8.";
        insta::assert_snapshot!(details(&["Bin 8", "bin 7", "zebra"], answer).unwrap(), @r#"
        missing: "Bin 8"; closest, in another letter case: "… lies on shelf 3 in bin 8."
        missing: "bin 7"; closest: "… lies on shelf 3 in bin 8."
        missing: "zebra"; the answer begins: "Part p-1 lies on shelf 3 in bin 8."
        "#);
        assert_eq!(details(&["x"], "").unwrap(), r#"missing: "x"; the answer is empty"#);
    }

    #[test]
    fn a_failure_in_a_redacted_run_quotes_nothing() {
        let answer = Answer { text: "Part p-1 lies\non shelf 3 in bin 8.", quote: false };
        let expected = OneOrMany::Many(["Bin 8", "bin 7", "zebra"].map(str::to_owned).to_vec());
        insta::assert_snapshot!(grade(&expected, &answer).details.unwrap(), @r#"
        missing: "Bin 8"; closest, in another letter case: line 2, column 15
        missing: "bin 7"; closest: line 2, column 15
        missing: "zebra"; the answer has 34 characters
        "#);
    }

    #[test]
    fn letter_case_that_changes_length_is_found() {
        assert_eq!(find_any_case("ISTANBUL", "in İstanbul"), None);
        assert_eq!(find_any_case("i\u{307}STANBUL", "in İstanbul"), Some((3, 12)));
    }
}
