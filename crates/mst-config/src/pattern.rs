//! ECMAScript patterns of assertions, compiled at load so that an invalid one never reaches a grader.

use regress::{Flags, Regex};

/// Returns why a pattern with its flags is refused; `None` when it compiles.
///
/// Without flags `m` applies. With them exactly their letters do: i, m, s, u, v; d and g change nothing here.
pub(crate) fn refusal(pattern: &str, flags: Option<&str>) -> Option<String> {
    let flags = flags.unwrap_or("m");
    if let Some(letter) = flags.chars().find(|letter| !"imsuvdg".contains(*letter)) {
        return Some(format!("the flag {:?} is not one of i, m, s, u, v, d, g", letter.to_string()));
    }
    if let Some((_, letter)) = flags.char_indices().find(|(at, letter)| flags[..*at].contains(*letter)) {
        return Some(format!("the flag {:?} stands twice", letter.to_string()));
    }
    if flags.contains('u') && flags.contains('v') {
        return Some("the flags \"u\" and \"v\" exclude each other".to_owned());
    }
    Regex::with_flags(pattern, Flags::from(flags)).err().map(|error| format!("the pattern is invalid: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_flags_are_checked() {
        for (pattern, flags, want) in [
            (r"^bin \d+$", None, None),
            (r"(?<=a)b", Some("gd"), None),
            (r"\p{Lu}", Some("u"), None),
            ("(", None, Some("the pattern is invalid")),
            ("a", Some("y"), Some("the flag \"y\"")),
            ("a", Some("ii"), Some("stands twice")),
            ("a", Some("uv"), Some("exclude each other")),
        ] {
            let got = refusal(pattern, flags);
            assert_eq!(got.is_some(), want.is_some(), "{pattern} {flags:?}: {got:?}");
            if let (Some(got), Some(want)) = (got, want) {
                assert!(got.contains(want), "{got}");
            }
        }
    }
}
