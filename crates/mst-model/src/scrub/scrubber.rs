//! The scrubber, and the type that proves its work.

use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::{Map, Value};

use super::credential_name::is_credential_name;
use super::spelling::spellings;
use super::{REDACTED, SHORTEST_NAMED};

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

/// Something with text from outside in it.
///
/// Only that text is scrubbed. What MST itself writes (field names, kinds, times, ids that name files) stays, so that a
/// short secret can never damage a record.
pub trait Scrub {
    /// Takes secrets out of every text from outside, keys of open objects included.
    fn scrub_with(&mut self, scrubber: &Scrubber);
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

    /// Returns the length of the shortest secret it knows, in bytes.
    pub fn shortest(&self) -> Option<usize> {
        self.secrets.iter().map(String::len).min()
    }

    /// Takes secrets out of a text.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        self.text_in(&mut text);
        text
    }

    /// Takes secrets out of a text, in place.
    pub fn text_in(&self, text: &mut String) {
        let Some(forms) = self.forms.as_ref().filter(|forms| forms.is_match(text.as_str())) else { return };
        let mut out = String::with_capacity(text.len());
        forms.replace_all_with(text, &mut out, |_, _, out| {
            out.push_str(REDACTED);
            true
        });
        *text = out;
    }

    /// Takes secrets out of a JSON value, keys as well as values.
    pub fn value(&self, mut value: Value) -> Value {
        self.value_in(&mut value);
        value
    }

    /// Takes secrets out of a JSON value in place, keys as well as values.
    pub fn value_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text_in(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value_in(item)),
            Value::Object(map) => self.object_in(map),
            _ => {}
        }
    }

    /// Takes secrets out of a JSON object in place, keys as well as values.
    pub fn object_in(&self, map: &mut Map<String, Value>) {
        let Some(forms) = &self.forms else { return };
        if map.keys().any(|key| forms.is_match(key.as_str())) {
            for (key, value) in std::mem::take(map) {
                let mut name = self.text(&key);
                // Two secret keys of one object must not swallow each other.
                while map.contains_key(&name) {
                    name.push('\'');
                }
                map.insert(name, value);
            }
        }
        map.values_mut().for_each(|value| self.value_in(value));
    }

    /// Takes secrets out of every text from outside and marks the value as scrubbed.
    pub fn scrub<T: Scrub>(&self, mut value: T) -> Scrubbed<T> {
        if self.forms.is_some() {
            value.scrub_with(self);
        }
        Scrubbed(value)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;

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
