//! Scripts that hold data: a call with one JSON value, which a page opened from disk can load where it may not fetch.

use serde::Serialize;

/// A script of a report, by its name below `report/cases/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The file's name.
    pub name: String,
    /// Its text: one call, with JSON in which nothing can end a script.
    pub text: String,
}

/// Returns a value as JSON that is also JavaScript, whatever its strings hold, and that cannot end a `script` element.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).expect("a view has a JSON form");
    // These stand in strings alone.
    if !text.contains(['<', '\u{2028}', '\u{2029}']) {
        return text;
    }
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::json;

    #[test]
    fn fc33_nothing_in_a_string_ends_a_script() {
        let text = json(&["</script><!--", "\u{2028}\u{2029}", "\u{0}"]);
        assert_eq!(text, r#"["\u003c/script>\u003c!--","\u2028\u2029","\u0000"]"#);
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&text).expect("JSON"),
            ["</script><!--", "\u{2028}\u{2029}", "\u{0}"]
        );
    }
}
