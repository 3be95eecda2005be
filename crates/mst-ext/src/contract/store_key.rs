//! The name of bytes in a result store.

use std::fmt;

/// The longest key, in bytes. Some services allow no longer one.
const LONGEST: usize = 1024;

/// The longest part, in bytes: that of a file's name.
const LONGEST_PART: usize = 255;

/// The name of bytes in a result store: parts with `/` between them.
///
/// A key can lead nowhere but below the store, on any system: no part is empty, `.` or `..`, none holds a backslash, a colon
/// or a control character.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreKey(String);

/// A text that is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} {problem}")]
pub struct KeyError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl StoreKey {
    /// Reads a key.
    ///
    /// # Errors
    /// When the text could lead elsewhere, or is longer than stores take.
    pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
        let text = text.into();
        match problem(&text) {
            None => Ok(Self(text)),
            Some(problem) => Err(KeyError { text, problem }),
        }
    }

    /// Returns the key of something below this one.
    ///
    /// # Errors
    /// As [`StoreKey::new`].
    pub fn join(&self, below: &str) -> Result<Self, KeyError> {
        Self::new(format!("{}/{below}", self.0))
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the key's parts, the first one first.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

impl fmt::Display for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn problem(text: &str) -> Option<&'static str> {
    if text.len() > LONGEST {
        return Some("is longer than 1024 bytes");
    }
    text.split('/').find_map(|part| match part {
        "" => Some("has an empty part"),
        "." | ".." => Some("leads elsewhere"),
        part if part.len() > LONGEST_PART => Some("has a part longer than 255 bytes"),
        part if part.contains(['\\', ':']) => {
            Some("holds a backslash or a colon, which leads elsewhere on some systems")
        }
        part if part.chars().any(char::is_control) => Some("holds a control character"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_leads_out_of_its_store() {
        for text in ["a", "parts eval/runs/x/run.json", "a%2Fb/..c/.hidden", "検/é", "a/b~0123"] {
            assert_eq!(StoreKey::new(text).map(|key| key.to_string()).as_deref(), Ok(text));
        }
        let long_part = "x".repeat(256);
        let long = ["x".repeat(200).as_str(); 6].join("/");
        for text in [
            "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "a\\b", "..\\a", "C:a", "C:/a", "a\0b",
            "a\nb", &long_part, &long,
        ] {
            assert!(StoreKey::new(text).is_err(), "{text:?}");
        }
        let key = StoreKey::new("a").expect("a key");
        assert!(key.join("../b").is_err());
        assert_eq!(key.join("b/c").expect("a key").parts().collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
