//! A script given to a shell as an argument: the secrets that stand in it.

use super::placeholder::is_variable;
use super::secret::{is_secret_name, is_secret_text, is_secret_word};

/// A script without the values that were assigned in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The script, with a reference in place of each value.
    pub(super) text: String,
    /// The variables that have to hold the values now, each with its value.
    pub(super) values: Vec<(String, String)>,
}

/// A word of a shell's script.
#[derive(Clone, Copy)]
struct Word<'s> {
    start: usize,
    text: &'s str,
}

/// Puts `"$NAME"` in place of each secret that a script assigns to a variable.
///
/// # Errors
/// What else of a secret stands in it, such as `a secret after --token`.
pub(super) fn without_values(script: &str) -> Result<Script, String> {
    let mut out = Script::default();
    let mut copied = 0;
    let mut before: Option<String> = None;
    for word in words(script) {
        let plain = unquoted(word.text);
        if let Some((name, value)) = word.text.split_once('=').filter(|(name, _)| is_variable(name)) {
            let bare = unquoted(value);
            if is_reference(value) || !(is_secret_name(name) || is_secret_text(&bare)) || bare.is_empty() {
                before = Some(plain);
                continue;
            }
            if value.contains(['$', '`']) || out.values.iter().any(|(known, other)| known == name && *other != bare) {
                return Err(format!("a secret assigned to {name}"));
            }
            out.text.push_str(&script[copied..=word.start + name.len()]);
            out.text.extend(["\"$", name, "\""]);
            copied = word.start + word.text.len();
            out.values.push((name.to_owned(), bare));
        } else if plain.contains(char::is_whitespace) && word.text.starts_with(['"', '\'']) {
            // Quoted text is one word here, and may be a script or a header to what gets it.
            let inner = without_values(&plain)?;
            if let Some((name, _)) = inner.values.first() {
                return Err(format!("a secret assigned to {name}"));
            }
            if let Some(name) = is_secret_word(before.as_deref(), &plain) {
                return Err(name);
            }
        } else if !is_reference(word.text)
            && let Some(what) = is_secret_word(before.as_deref(), &plain)
        {
            return Err(what);
        }
        before = Some(plain);
    }
    out.text.push_str(&script[copied..]);
    Ok(out)
}

/// Returns whether a value is taken from elsewhere and so is none itself.
fn is_reference(value: &str) -> bool {
    let value = value.trim_start_matches('"');
    value.starts_with(['$', '`'])
}

/// Splits a script at white space and operators outside of quotes.
fn words(script: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start: Option<usize> = None;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, char) in script.char_indices() {
        let splits = quote.is_none() && !escaped && (char.is_whitespace() || ";&|()<>".contains(char));
        if splits {
            words.extend(start.take().map(|start| Word { start, text: &script[start..at] }));
            continue;
        }
        start.get_or_insert(at);
        match quote {
            _ if escaped => escaped = false,
            Some('\'') if char != '\'' => {}
            _ if char == '\\' => escaped = true,
            Some(open) if open == char => quote = None,
            None if matches!(char, '"' | '\'') => quote = Some(char),
            _ => {}
        }
    }
    words.extend(start.map(|start| Word { start, text: &script[start..] }));
    words
}

/// Returns what a word stands for once its quotes are off.
fn unquoted(word: &str) -> String {
    let mut out = String::new();
    let mut quote: Option<char> = None;
    let mut chars = word.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), char) if open == char => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            (Some('\''), char) => out.push(char),
            (_, '\\') => out.extend(chars.next()),
            (_, char) => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_secrets_become_references_and_others_are_named() {
        for (script, want, values) in [
            ("exec parts --mode x", "exec parts --mode x", vec![]),
            ("MODE=x exec parts", "MODE=x exec parts", vec![]),
            ("API_TOKEN=hidden exec parts", "API_TOKEN=\"$API_TOKEN\" exec parts", vec![("API_TOKEN", "hidden")]),
            ("export A_KEY='hid den';parts", "export A_KEY=\"$A_KEY\";parts", vec![("A_KEY", "hid den")]),
            ("PW=\"hid\"'den' parts", "PW=\"$PW\" parts", vec![("PW", "hidden")]),
            ("X=ghp_0123456789abcdef parts", "X=\"$X\" parts", vec![("X", "ghp_0123456789abcdef")]),
            ("API_TOKEN=$OTHER parts", "API_TOKEN=$OTHER parts", vec![]),
            ("API_TOKEN=\"$(cat file)\" parts", "API_TOKEN=\"$(cat file)\" parts", vec![]),
            ("parts --token $T", "parts --token $T", vec![]),
            ("parts 'a b' \"it's\"", "parts 'a b' \"it's\"", vec![]),
            ("parts \"unclosed", "parts \"unclosed", vec![]),
        ] {
            let made = without_values(script).unwrap_or_else(|what| panic!("{script}: {what}"));
            let made_values: Vec<_> = made.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!((made.text.as_str(), made_values), (want, values), "{script}");
        }
        for (script, want) in [
            ("parts --token hidden", "a secret after --token"),
            ("parts --token=hidden", "a secret in --token"),
            ("parts -k hidden", "a secret after -k"),
            ("curl -H 'Authorization: Bearer hidden'", "a secret in Authorization"),
            ("sh -c 'API_TOKEN=hidden parts'", "a secret assigned to API_TOKEN"),
            ("API_TOKEN=hid$X parts", "a secret assigned to API_TOKEN"),
            ("A_KEY=one p; A_KEY=two p", "a secret assigned to A_KEY"),
            ("parts ghp_0123456789abcdef", "a text that looks like a token"),
            ("parts postgres://u:hidden@h/db", "a URL with a password or a key"),
        ] {
            assert_eq!(without_values(script), Err(want.to_owned()), "{script}");
        }
    }
}
