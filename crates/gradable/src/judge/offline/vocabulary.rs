//! Words that carry meaning, and their stems.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use mst_llm::words;

/// Words that say nothing about what is wanted.
static EMPTY: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a about after all also am an and any are as at back be because been before being both but by can \
    could did do does doing done each either etc every few first for from had has have having he hence her here him his how i \
    if in into is it its just least let like many may me might mine more most much must my need needs neither no nor not \
    now of off on once one only onto or other our out over own per please rather same shall she should since so some \
    something such than that the their them then there these they thing things this those through thus to too under until up \
    upon us use used user user's uses using very via was we were what when where whether which while who whom whose why will \
    with within without would yes yet you your"
        .split_ascii_whitespace()
        .collect()
});

/// Words that every description has.
static GENERIC: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "allow allows call calls command data default e eg enable enables example function functionality g \
    given item items mcp method operation optional optionally parameter parameters perform performs provide provided \
    provides request required response result results return returned returning returns server specific specified \
    specify support supports tool tools utility value values yield yields"
        .split_ascii_whitespace()
        .collect()
});

/// Tells whether a word says nothing about what is wanted.
pub(super) fn is_empty_word(word: &str) -> bool {
    EMPTY.contains(word)
}

/// Tells whether a word says something about a tool.
pub(super) fn says_something(word: &str) -> bool {
    word.chars().count() > 1 && word.chars().any(char::is_alphabetic) && !is_empty_word(word) && !GENERIC.contains(word)
}

/// Returns the stems of the words of a text that say something.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    words(text).iter().filter(|word| says_something(word)).map(|word| stem(word)).collect()
}

/// Returns a word without the endings of plurals and of verbs. Two forms of one word mostly have one stem; it need not be a
/// word itself.
pub(super) fn stem(word: &str) -> String {
    let cut = |ending: &str, least: usize| word.strip_suffix(ending).filter(|rest| rest.chars().count() >= least);
    if let Some(rest) = cut("ies", 3) {
        return format!("{rest}y");
    }
    if let Some(rest) = ["sses", "shes", "ches", "xes", "zes"]
        .iter()
        .find_map(|ending| cut(ending, 1).map(|rest| format!("{rest}{}", &ending[..ending.len() - 2])))
    {
        return rest;
    }
    if !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && let Some(rest) = cut("s", 3)
    {
        return without_e(rest);
    }
    let rest = cut("ing", 4).or_else(|| cut("ed", 4)).map_or(word, undoubled);
    without_e(rest)
}

fn without_e(word: &str) -> String {
    word.strip_suffix('e').filter(|rest| rest.chars().count() >= 3).unwrap_or(word).to_owned()
}

/// Returns a stem without the letter that its ending had doubled: `run` of `runn`.
fn undoubled(stem: &str) -> &str {
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && !matches!(a, 'l' | 's' | 'z') && a.is_ascii() => &stem[..stem.len() - 1],
        _ => stem,
    }
}

/// Returns the first sentence of a text, without markup that begins it.
pub(super) fn first_sentence(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | '-' | '>' | '`' | '_'));
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        let ends = match c {
            '.' | '!' | '?' => after.is_none_or(char::is_whitespace),
            '\n' | '。' | '！' | '？' => true,
            _ => false,
        };
        if ends {
            end = at;
            break;
        }
    }
    text[..end].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (one, other) in [
            ("issue", "issues"),
            ("entries", "entry"),
            ("searches", "search"),
            ("running", "runs"),
            ("created", "creates"),
            ("create", "creating"),
            ("boxes", "box"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        for word in ["status", "access", "analysis", "bus", "ß", "检索"] {
            assert_eq!(stem(word), word);
        }
    }

    #[test]
    fn a_sentence_ends_at_its_mark() {
        assert_eq!(first_sentence("Reads v1.2 files. More."), "Reads v1.2 files");
        assert_eq!(first_sentence("\n## Title\nBody"), "Title");
        assert_eq!(first_sentence("検索します。次"), "検索します");
        assert_eq!(first_sentence(" "), "");
    }

    #[test]
    fn words_that_say_nothing_are_left_out() {
        let found: Vec<String> =
            stems("This tool returns the open issues of a repository, using 2 x").into_iter().collect();
        assert_eq!(found, ["issu", "open", "repository"]);
    }
}
