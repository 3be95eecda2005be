//! What differs from run to run, and what stands for it in a snapshot.

use regex::Regex;

/// Patterns and replacements for run ids, times, durations and ports, in the order in which they apply; for insta's
/// `with_settings!({ filters => filters() }, …)`.
pub fn filters() -> Vec<(&'static str, &'static str)> {
    vec![
        (r"\b\d{8}T\d{6}Z-[0-9a-f]{6}(?:\.g\d+)?\b", "[RUN]"),
        (r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?:\[[A-Za-z/_+-]+\])?", "[TIME]"),
        (r"\b(127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b", "$1:[PORT]"),
        (r#"("[A-Za-z]*(?:Ms|_ms|DurationMs|durationMs)":\s*)\d+(?:\.\d+)?"#, "${1}[MS]"),
        (r"\b\d+(?:\.\d+)?\s?(?:ms|µs|us|ns)\b", "[DURATION]"),
        (r"\b(?:\d+m ?)?\d+(?:\.\d+)?s\b", "[DURATION]"),
    ]
}

/// Applies filters to a text.
///
/// # Panics
/// When a pattern is no regular expression.
pub fn normalise<P: AsRef<str>, R: AsRef<str>>(text: &str, filters: impl IntoIterator<Item = (P, R)>) -> String {
    filters.into_iter().fold(text.to_owned(), |text, (pattern, replacement)| {
        let pattern =
            Regex::new(pattern.as_ref()).unwrap_or_else(|error| panic!("a snapshot filter is no pattern: {error}"));
        pattern.replace_all(&text, replacement.as_ref()).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_what_differs_from_run_to_run() {
        let cases = [
            ("run 20261007T182504Z-7f3c2a.g2 ended", "run [RUN] ended"),
            ("at 2026-10-07T18:25:04.123Z.", "at [TIME]."),
            ("http://127.0.0.1:45123/mcp", "http://127.0.0.1:[PORT]/mcp"),
            ("\"durationMs\": 12.5,", "\"durationMs\": [MS],"),
            ("took 1.2s, then 35 ms", "took [DURATION], then [DURATION]"),
            ("3 cases, s1", "3 cases, s1"),
        ];
        for (text, expected) in cases {
            assert_eq!(normalise(text, filters()), expected);
        }
    }
}
