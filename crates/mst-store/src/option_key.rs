//! The eval's option key: what client options that look like credentials are hashed with, so that a changed value shows
//! and the value does not.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use mst_model::{canonical_json, is_credential_name, sha256_hex};
use serde_json::{Map, Value};
use sha2::Sha256;

use crate::atomic::create_private;
use crate::error::StoreError;
use crate::layout::EvalLayout;
use crate::lock::DirectoryLock;
use crate::recorded::holds_url_secret;

/// The environment variable whose key wins over the file.
const VARIABLE: &str = "MST_OPTION_KEY";

/// How many hex digits of a hash are recorded.
const SHOWN: usize = 16;

/// A key of 64 hex digits. Its digits are never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct OptionKey(String);

impl OptionKey {
    /// Returns the eval's key: the value of `MST_OPTION_KEY` when given, else `option-key` in the eval's directory, which
    /// is made when missing, for its owner alone.
    ///
    /// Only for a run that is about to write something: a refused run makes no key.
    ///
    /// # Errors
    /// When the key is not 64 hex digits, or the file cannot be read or made.
    pub fn open(eval: &EvalLayout, variable: Option<&str>) -> Result<Self, StoreError> {
        if let Some(text) = variable.filter(|text| !text.is_empty()) {
            return Self::parse(text, VARIABLE);
        }
        let path = eval.option_key();
        let read = || -> Result<Self, StoreError> {
            Self::parse(&fs_err::read_to_string(&path)?, &path.display().to_string())
        };
        if path.exists() {
            return read();
        }
        fs_err::create_dir_all(eval.root())?;
        let _lock = DirectoryLock::eval(eval.root())?;
        let fresh = Self::random()?;
        if create_private(&path, format!("{}\n", fresh.0).as_bytes())? { Ok(fresh) } else { read() }
    }

    fn parse(text: &str, source: &str) -> Result<Self, StoreError> {
        let text = text.trim();
        if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(StoreError::OptionKey { source_name: source.to_owned() })
        }
    }

    fn random() -> Result<Self, StoreError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(StoreError::Random)?;
        Ok(Self(hex(&bytes)))
    }

    /// Returns the key's fingerprint: the first 16 hex digits of the SHA-256 of its 64 lower-case digits as text.
    pub fn fingerprint(&self) -> String {
        sha256_hex(self.0.as_bytes())[..SHOWN].to_owned()
    }

    /// Returns `hmac:` and the first 16 hex digits of HMAC-SHA256 of a value's canonical JSON, under the key's 64
    /// lower-case digits as text.
    pub fn hash(&self, value: &Value) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).expect("a key of any length fits");
        mac.update(canonical_json(value).as_bytes());
        format!("hmac:{}", &hex(&mac.finalize().into_bytes())[..SHOWN])
    }

    /// Returns client options as recorded, at every depth: a value whose name suggests a credential is hashed, and so is a
    /// URL that holds a user or a query. `null` stays.
    pub fn record_options(&self, options: &Map<String, Value>) -> Map<String, Value> {
        options.iter().map(|(name, value)| (name.clone(), self.record(name, value))).collect()
    }

    fn record(&self, name: &str, value: &Value) -> Value {
        match value {
            Value::Null => Value::Null,
            value if is_credential_name(name) => Value::String(self.hash(value)),
            Value::Object(fields) => Value::Object(self.record_options(fields)),
            // An item has the name of its list, which was no credential's.
            Value::Array(items) => Value::Array(items.iter().map(|item| self.record("", item)).collect()),
            Value::String(text) if holds_url_secret(text) => Value::String(self.hash(value)),
            other => other.clone(),
        }
    }
}

impl fmt::Debug for OptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OptionKey({})", self.fingerprint())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

    #[test]
    fn the_first_run_makes_a_key_that_later_runs_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let eval = EvalLayout::new(dir.path().join("eval"));
        let first = OptionKey::open(&eval, None).expect("made");
        assert_eq!(OptionKey::open(&eval, Some("")).expect("read"), first);
        let given = OptionKey::open(&eval, Some(ZEROS)).expect("given");
        assert_ne!(given, first);
        assert!(!format!("{first:?}").contains(&first.0));
    }

    #[test]
    fn a_given_key_makes_no_file_and_a_bad_one_is_not_shown() {
        let dir = tempfile::tempdir().expect("a folder");
        let eval = EvalLayout::new(dir.path().join("eval"));
        OptionKey::open(&eval, Some(ZEROS)).expect("given");
        assert!(!eval.root().exists());
        let error = OptionKey::open(&eval, Some("hunter2")).expect_err("not hex").to_string();
        assert_eq!(error, "MST_OPTION_KEY is not 64 hex digits");
    }

    #[test]
    fn hashes_are_the_published_construction() {
        // Checked with Python: hmac.new(b"0" * 64, b'"sk-1"', "sha256").hexdigest()[:16] and sha256(b"0" * 64).
        let key = OptionKey::parse(ZEROS, "test").expect("a key");
        assert_eq!(key.hash(&json!("sk-1")), "hmac:df685475a040bfb8");
        assert_eq!(key.fingerprint(), "60e05bd1b195af2f");
        assert_eq!(key.hash(&json!({ "a": 1.0, "b": 2 })), key.hash(&json!({ "b": 2, "a": 1 })));
    }

    #[test]
    fn options_that_suggest_a_credential_are_hashed_at_every_depth() {
        let key = OptionKey::parse(ZEROS, "test").expect("a key");
        let options = json!({
            "apiKey": "sk-1", "maxTokens": 5, "effort": "low", "accessToken": null,
            "extra": { "authorization": { "user": "u" }, "list": [{ "password": "p", "n": 1 }] },
            "baseUrl": "https://u:p@host.example/v1", "plainUrl": "https://host.example/v1",
            "queryUrl": "https://host.example/v1?api_key=sk-2",
        });
        let recorded = Value::Object(key.record_options(options.as_object().expect("an object")));
        let text = recorded.to_string();
        for secret in ["sk-1", "sk-2", "u:p@", "\"p\""] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
        for (pointer, want) in [
            ("/maxTokens", json!(5)),
            ("/effort", json!("low")),
            ("/accessToken", json!(null)),
            ("/extra/list/0/n", json!(1)),
        ] {
            assert_eq!(recorded.pointer(pointer), Some(&want), "{pointer}");
        }
        assert_eq!(recorded["plainUrl"], "https://host.example/v1");
        assert_eq!(recorded["apiKey"], key.hash(&json!("sk-1")));
    }
}
