//! Secrets out: `[REDACTED]` in place of every known secret, keys as well as values, before grading or storing.
//!
//! [`Scrubbed`] can only be made here, and graders and writers accept nothing else.

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::names::path_segment;

/// What stands in a secret's place.
pub const REDACTED: &str = "[REDACTED]";

/// Words that make a name a credential's.
const CREDENTIAL_WORDS: [&str; 12] = [
    "token",
    "key",
    "apikey",
    "secret",
    "password",
    "passwd",
    "auth",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "pat",
];

/// The shortest value that counts as a secret because of its name, in bytes.
const SHORTEST_NAMED: usize = 8;

/// Returns whether a name says that its value is a credential: one of the contract's words stands in it as a whole word.
///
/// Words end at `_`, `-`, `.`, at camelCase (an acronym too: `APIToken` is `API` and `Token`) and before digits that end
/// the name. So `ACME_API_KEY` and `GITHUB_TOKEN2` are credentials, `GIT_AUTHOR_NAME` and `GITHUBTOKEN` are not.
pub fn is_credential_name(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.split(|c: char| matches!(c, '_' | '-' | '.') || c.is_whitespace())
        .flat_map(camel_words)
        .any(|word| CREDENTIAL_WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Splits a part of a name at camelCase: before an upper-case letter that follows a lower-case letter or a digit, and
/// before the last upper-case letter of an acronym that a lower-case letter follows.
fn camel_words(part: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = part.char_indices().collect();
    let mut words = Vec::new();
    let mut start = 0;
    for at in 1..chars.len() {
        let (byte, here) = chars[at];
        let before = chars[at - 1].1;
        let next = chars.get(at + 1).map(|(_, c)| *c);
        let humps = here.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit());
        let acronym_ends = here.is_uppercase() && before.is_uppercase() && next.is_some_and(char::is_lowercase);
        if humps || acronym_ends {
            words.push(&part[start..byte]);
            start = byte;
        }
    }
    words.push(&part[start..]);
    words
}

/// A value with every known secret taken out.
#[derive(Clone, Debug, PartialEq)]
pub struct Scrubbed<T>(T);

impl<T> Scrubbed<T> {
    /// Returns the value.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// Returns the value, owned.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// Applies a change that brings in nothing from outside.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Scrubbed<U> {
        Scrubbed(change(self.0))
    }
}

/// A function of the known secrets that takes them out of texts and values.
///
/// Each secret is found as it is, JSON-escaped, percent-encoded, in hex, HTML-escaped, and inside base64 whatever stands
/// before it. The longest form wins where several match.
#[derive(Clone, Debug, Default)]
pub struct Scrubber {
    forms: Option<AhoCorasick>,
    secrets: Vec<String>,
}

impl Scrubber {
    /// Makes a scrubber.
    ///
    /// `credentials` are values used as credentials, secret at any length. `named` are (name, value) pairs (environment,
    /// secrets file, headers, server env): a value is a secret when its name says so and it has at least 8 bytes.
    pub fn new<'a>(
        credentials: impl IntoIterator<Item = &'a str>,
        named: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut secrets: Vec<String> =
            credentials.into_iter().filter(|secret| !secret.is_empty()).map(str::to_owned).collect();
        secrets.extend(
            named
                .into_iter()
                .filter(|(name, value)| value.len() >= SHORTEST_NAMED && is_credential_name(name))
                .map(|(_, value)| value.to_owned()),
        );
        secrets.sort();
        secrets.dedup();
        Self::of(secrets)
    }

    /// Returns a scrubber that knows these credentials too.
    pub fn with<'a>(&self, credentials: impl IntoIterator<Item = &'a str>) -> Self {
        let mut secrets = self.secrets.clone();
        secrets.extend(credentials.into_iter().filter(|secret| !secret.is_empty()).map(str::to_owned));
        secrets.sort();
        secrets.dedup();
        Self::of(secrets)
    }

    fn of(secrets: Vec<String>) -> Self {
        let mut forms: Vec<String> = secrets.iter().flat_map(|secret| spellings(secret)).collect();
        forms.sort();
        forms.dedup();
        let forms = (!forms.is_empty()).then(|| {
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(&forms)
                .expect("a list of short texts makes an automaton")
        });
        Self { forms, secrets }
    }

    /// Takes secrets out of a text.
    pub fn text(&self, text: &str) -> String {
        match &self.forms {
            Some(forms) if forms.is_match(text) => {
                let mut out = String::with_capacity(text.len());
                forms.replace_all_with(text, &mut out, |_, _, out| {
                    out.push_str(REDACTED);
                    true
                });
                out
            }
            _ => text.to_owned(),
        }
    }

    /// Takes secrets out of a JSON value, keys as well as values.
    pub fn value(&self, value: Value) -> Value {
        if self.forms.is_none() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.value(item)).collect()),
            Value::Object(map) => Value::Object(self.object(map)),
            other => other,
        }
    }

    fn object(&self, map: Map<String, Value>) -> Map<String, Value> {
        let mut out = Map::new();
        for (key, value) in map {
            let mut name = self.text(&key);
            // Two secret keys of one object must not swallow each other.
            while out.contains_key(&name) {
                name.push('\'');
            }
            out.insert(name, self.value(value));
        }
        out
    }

    /// Takes secrets out of every text of a value and marks it as scrubbed.
    ///
    /// # Panics
    /// When the type does not survive its own JSON form; the stored types all do.
    pub fn scrub<T: Serialize + DeserializeOwned>(&self, value: T) -> Scrubbed<T> {
        if self.forms.is_none() {
            return Scrubbed(value);
        }
        let json = serde_json::to_value(&value).expect("a stored type has a JSON form");
        Scrubbed(serde_json::from_value(self.value(json)).expect("a stored type reads its own JSON form"))
    }
}

/// Returns a secret in every spelling that gives it away.
fn spellings(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    let escaped = serde_json::to_string(secret).expect("a text has a JSON form");
    let escaped = escaped[1..escaped.len() - 1].to_owned();
    forms.push(escaped.replace('/', "\\/"));
    let twice = serde_json::to_string(&escaped).expect("a text has a JSON form");
    forms.push(twice[1..twice.len() - 1].to_owned());
    forms.push(escaped);
    if secret.len() < SHORTEST_NAMED {
        return forms;
    }
    let ascii: String = secret
        .encode_utf16()
        .map(|unit| {
            char::from_u32(u32::from(unit))
                .filter(char::is_ascii)
                .map_or_else(|| format!("\\u{unit:04x}"), String::from)
        })
        .collect();
    forms.push(ascii);
    forms.push(
        secret
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#x27;"),
    );
    for percent in [
        percent_encoded(secret, ""),
        percent_encoded(secret, "/"),
        path_segment(secret),
        percent_encoded(secret, "-").replace("%20", "+"),
    ] {
        forms.push(percent.to_lowercase_escapes());
        forms.push(percent_encoded(&percent, ""));
        forms.push(percent);
    }
    let every = percent_escapes(secret);
    forms.push(every.to_ascii_lowercase());
    forms.push(every);
    let hex = crate::identity::hex(secret.as_bytes());
    forms.push(hex.to_ascii_uppercase());
    forms.push(hex);
    forms.extend(base64_cores(secret));
    forms
}

/// Returns the base64 digits that a secret decides by itself, for each of the three ways it can fall into groups of
/// three bytes: what stands before and after it does not change them.
fn base64_cores(secret: &str) -> Vec<String> {
    let mut cores = Vec::new();
    for shift in 0..3_usize {
        let mut bytes = vec![0; shift];
        bytes.extend_from_slice(secret.as_bytes());
        let digits = STANDARD.encode(&bytes);
        let core = &digits[(shift * 8).div_ceil(6)..bytes.len() * 8 / 6];
        if core.len() >= 6 {
            cores.push(core.to_owned());
            cores.push(core.replace('+', "-").replace('/', "_"));
            cores.push(core.replace('/', "\\/"));
        }
    }
    cores
}

/// Returns every byte of a text as a percent escape.
fn percent_escapes(text: &str) -> String {
    text.bytes().flat_map(|byte| ['%', hex_digit(byte >> 4), hex_digit(byte & 15)]).collect()
}

/// Returns a number below 16 as an upper-case hex digit.
fn hex_digit(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).expect("below 16").to_ascii_uppercase()
}

fn percent_encoded(text: &str, safe: &str) -> String {
    text.bytes()
        .map(|byte| {
            let char = char::from(byte);
            if char.is_ascii_alphanumeric() || "-_.~".contains(char) || safe.contains(char) {
                char.to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// Lower-cases percent escapes and nothing else.
trait LowercaseEscapes {
    fn to_lowercase_escapes(&self) -> String;
}

impl LowercaseEscapes for String {
    fn to_lowercase_escapes(&self) -> String {
        let mut out = Self::with_capacity(self.len());
        let mut left = 0;
        for char in self.chars() {
            if char == '%' {
                left = 2;
                out.push(char);
            } else if left > 0 {
                left -= 1;
                out.push(char.to_ascii_lowercase());
            } else {
                out.push(char);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn whole_words_make_a_credential_name() {
        for (name, want) in [
            ("ACME_API_KEY", true),
            ("accessToken", true),
            ("APIToken", true),
            ("GITHUB_TOKEN2", true),
            ("X-Api-Key", true),
            ("GIT_AUTHOR_NAME", false),
            ("MCP_OAUTH_SERVER_URL", false),
            ("AUTH0_DOMAIN", false),
            ("GITHUBTOKEN", false),
            ("OPENAI_BASE_URL", false),
            ("PATH", false),
            ("GH_PAT", true),
        ] {
            assert_eq!(is_credential_name(name), want, "{name}");
        }
    }

    #[test]
    fn every_spelling_of_a_secret_is_taken_out() {
        let secret = "tk/9+Xc=31aa";
        let scrubber =
            Scrubber::new([], [("DOCS_API_TOKEN", secret), ("AUTH0_DOMAIN", "acme.example"), ("PIN_TOKEN", "1234")]);
        let basic = STANDARD.encode(format!("bot:{secret}"));
        for text in [secret, r"tk\/9+Xc=31aa", "tk%2F9%2BXc%3D31aa", "tk%2f9%2bXc%3d31aa", &basic] {
            let clean = scrubber.text(&format!("a {text} b"));
            assert!(clean.contains(REDACTED) && !clean.contains(text), "{text} became {clean}");
        }
        assert_eq!(scrubber.text("acme.example 1234"), "acme.example 1234");
        assert_eq!(
            scrubber.value(json!({ secret: "as a key", "list": [secret] })),
            json!({ REDACTED: "as a key", "list": [REDACTED] })
        );
    }

    #[test]
    fn a_used_credential_is_secret_at_any_length() {
        let scrubber = Scrubber::new(["pw"], []);
        assert_eq!(scrubber.text("x pw y"), format!("x {REDACTED} y"));
    }

    #[test]
    fn the_longest_secret_wins() {
        let scrubber = Scrubber::new(["secret", "secret-and-more"], []);
        assert_eq!(scrubber.text("secret-and-more secret"), format!("{REDACTED} {REDACTED}"));
    }
}
