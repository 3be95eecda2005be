//! A folder of judges' verdicts, each under the hash of who gave it and of what it was given: a judge that is asked the very
//! same again need not be paid again.
//!
//! Several processes may share a folder: an entry is put in its place whole, and two that write the same one say the same.
//! An entry that cannot be used is none: the judge is asked.

use std::io::ErrorKind;
use std::path::PathBuf;

use mst_model::content_hash;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::atomic::{check_writable, to_bytes, write_atomic};
use crate::error::StoreError;
use crate::read::read;

/// The format of an entry.
const FORMAT: &str = "mst.judge-cache/v1";

/// A folder of verdicts.
#[derive(Clone, Debug)]
pub struct JudgeCache {
    folder: PathBuf,
}

/// The hash that an entry lies under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeCacheKey(String);

impl JudgeCacheKey {
    /// Returns SHA-256 (64 hex digits) over the canonical JSON of a judge's identity and of what the judge is given. Where in
    /// a run it is asked is no part of it.
    pub fn new<I: Serialize + ?Sized>(identity: &str, input: &I) -> Self {
        Self(content_hash(&json!({ "identity": identity, "input": input })))
    }
}

/// An entry that is there and cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct UnusableEntry {
    /// Its file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: String,
}

#[derive(Serialize, Deserialize)]
struct Entry<V> {
    format: String,
    /// What the verdict is about: `score` or `preference`.
    kind: String,
    key: String,
    verdict: V,
}

impl JudgeCache {
    /// Names the folder; it is made with the first entry.
    ///
    /// # Errors
    /// When no file could be made in it.
    pub fn open(folder: PathBuf) -> Result<Self, StoreError> {
        check_writable(&folder)?;
        Ok(Self { folder })
    }

    /// Returns a verdict; `None` when there is none.
    ///
    /// # Errors
    /// When the entry is damaged, another's, or of a version that this one does not know.
    pub fn get<V: DeserializeOwned>(&self, kind: &str, key: &JudgeCacheKey) -> Result<Option<V>, UnusableEntry> {
        let path = self.path(key);
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(UnusableEntry { path, problem: error.to_string() }),
        };
        verdict(&bytes, kind, key).map(Some).map_err(|problem| UnusableEntry { path, problem })
    }

    /// Keeps a verdict; one that is there is replaced.
    ///
    /// # Errors
    /// When the entry cannot be written.
    pub fn put<V: Serialize>(&self, kind: &str, key: &JudgeCacheKey, verdict: V) -> Result<(), StoreError> {
        let entry = Entry { format: FORMAT.to_owned(), kind: kind.to_owned(), key: key.0.clone(), verdict };
        write_atomic(&self.path(key), &to_bytes(&entry))
    }

    fn path(&self, key: &JudgeCacheKey) -> PathBuf {
        self.folder.join(&key.0[..2]).join(format!("{}.json", key.0))
    }
}

/// Reads an entry's verdict, or says what is wrong with it.
fn verdict<V: DeserializeOwned>(bytes: &[u8], kind: &str, key: &JudgeCacheKey) -> Result<V, String> {
    let entry: Entry<Value> = serde_json::from_slice(bytes).map_err(|error| format!("no whole entry: {error}"))?;
    if entry.format != FORMAT {
        return Err(format!("format {:?}; this mst reads {FORMAT:?}", entry.format));
    }
    if entry.kind != kind || entry.key != key.0 {
        return Err("it is the entry of another verdict".to_owned());
    }
    serde_json::from_value(entry.verdict).map_err(|error| format!("its verdict cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_model::GraderScore;

    #[test]
    fn a_verdict_is_found_under_its_judge_and_input_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let cache = JudgeCache::open(dir.path().join("new/cache")).expect("writable");
        let key = JudgeCacheKey::new("id", &json!({ "b": 1, "a": [2.0] }));
        assert_eq!(key, JudgeCacheKey::new("id", &json!({ "a": [2], "b": 1.0 })), "canonical JSON");
        assert_eq!(cache.get::<GraderScore>("score", &key), Ok(None));
        let score = GraderScore { score: Some(0.5), ..GraderScore::failed("no") };
        cache.put("score", &key, &score).expect("written");
        cache.put("score", &key, &score).expect("written again");
        assert_eq!(cache.get("score", &key), Ok(Some(score)));
        for other in [JudgeCacheKey::new("id2", &json!({ "a": [2], "b": 1 })), JudgeCacheKey::new("id", &json!({}))] {
            assert_eq!(cache.get::<GraderScore>("score", &other), Ok(None));
        }
        let file = dir.path().join("new/cache").join(&key.0[..2]).join(format!("{}.json", key.0));
        assert!(file.is_file(), "{}", file.display());
    }

    #[test]
    fn what_is_damaged_foreign_or_of_the_future_is_no_verdict() {
        let dir = tempfile::tempdir().expect("a folder");
        let cache = JudgeCache::open(dir.path().to_owned()).expect("writable");
        let key = JudgeCacheKey::new("id", "input");
        cache.put("score", &key, GraderScore::passed()).expect("written");
        let text = fs_err::read_to_string(cache.path(&key)).expect("there");
        for (content, says) in [
            (text[..text.len() / 2].to_owned(), "no whole entry"),
            (String::new(), "no whole entry"),
            ("\0".repeat(300), "no whole entry"),
            ("[]".to_owned(), "no whole entry"),
            (text.replace("/v1", "/v2"), "mst.judge-cache/v2"),
            (text.replace(&key.0, &"0".repeat(64)), "another verdict"),
            (text.replace("\"kind\": \"score\"", "\"kind\": \"preference\""), "another verdict"),
            (text.replace("true", "\"yes\""), "cannot be read"),
        ] {
            fs_err::write(cache.path(&key), &content).expect("written");
            let found = cache.get::<GraderScore>("score", &key).expect_err("unusable");
            assert!(found.problem.contains(says), "{says}: {found}");
        }
        fs_err::remove_file(cache.path(&key)).expect("removed");
        fs_err::create_dir(cache.path(&key)).expect("a folder in the way");
        assert!(cache.get::<GraderScore>("score", &key).is_err());
        assert!(cache.put("score", &key, GraderScore::passed()).is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_is_refused_at_once() {
        let dir = tempfile::tempdir().expect("a folder");
        fs_err::write(dir.path().join("file"), "x").expect("written");
        assert!(JudgeCache::open(dir.path().join("file/below")).is_err());
        assert!(JudgeCache::open(dir.path().join("file")).is_err());
    }
}
