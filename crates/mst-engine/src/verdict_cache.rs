//! Verdicts that judges gave before, from a folder that the user names: what did not change is not paid again.
//!
//! The cache can only spare a call. An entry that cannot be used, or one that cannot be written, is told once, and the judge
//! is asked.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use mst_model::{GraderScore, Preference, Scrub, Scrubber, redact_score};
use mst_store::{JudgeCache, JudgeCacheKey, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A verdict that can be kept.
pub(crate) trait Verdict: Scrub + Serialize + DeserializeOwned + Clone + Send + 'static {
    /// What the verdict is about, as entries name it.
    const KIND: &'static str;

    /// Returns whether there is a verdict that a judge of this identity gave and was paid for.
    fn is_kept(&self, identity: &str) -> bool;

    /// Leaves out what belongs to the asking: what it used, and in a redacted run what could quote the answer.
    fn strip(&mut self, redact: bool);

    /// Notes that it comes from a cache.
    fn mark(&mut self);
}

impl Verdict for GraderScore {
    const KIND: &'static str = "score";

    fn is_kept(&self, identity: &str) -> bool {
        let is_of = self.judge_identity.as_deref() == Some(identity);
        is_of && self.error.is_none() && self.score.is_none_or(|score| (0.0..=1.0).contains(&score))
    }

    fn strip(&mut self, redact: bool) {
        (self.usage, self.cached) = (None, None);
        if redact {
            redact_score(self);
        }
    }

    fn mark(&mut self) {
        self.cached = Some(true);
    }
}

impl Verdict for Preference {
    const KIND: &'static str = "preference";

    fn is_kept(&self, identity: &str) -> bool {
        let is_of = self.judge_identity.as_deref() == Some(identity);
        is_of && self.error.is_none() && (self.preference.is_some() || self.skipped == Some(true))
    }

    fn strip(&mut self, redact: bool) {
        (self.usage, self.cached) = (None, None);
        if redact {
            self.metadata = None;
        }
    }

    fn mark(&mut self) {
        self.cached = Some(true);
    }
}

/// A run's view of a folder of verdicts.
pub(crate) struct VerdictCache {
    folder: JudgeCache,
    scrubber: Scrubber,
    redact: bool,
    trouble: Mutex<Trouble>,
}

/// What is wrong with the folder; told once, since it may be wrong with every entry.
#[derive(Default)]
struct Trouble {
    is_known: bool,
    untold: Option<String>,
}

impl VerdictCache {
    /// Opens the folder.
    ///
    /// # Errors
    /// When no file could be made in it.
    pub(crate) fn open(folder: &Path, scrubber: Scrubber, redact: bool) -> Result<Self, StoreError> {
        let folder = JudgeCache::open(folder.to_owned())?;
        Ok(Self { folder, scrubber, redact, trouble: Mutex::default() })
    }

    /// Returns the verdict that a judge gave on the same input before, marked as what it is.
    pub(crate) fn recall<V: Verdict>(&self, identity: &str, key: &JudgeCacheKey) -> Option<V> {
        let found: Option<V> = self.folder.get(V::KIND, key).unwrap_or_else(|error| {
            self.note(format!("--judge-cache: {error}; its judge is asked, as for any entry that cannot be used"));
            None
        });
        let mut verdict = found.filter(|verdict| verdict.is_kept(identity))?;
        verdict.strip(self.redact);
        verdict.mark();
        Some(verdict)
    }

    /// Keeps a verdict for the next time. Without one there is nothing to keep.
    pub(crate) fn keep<V: Verdict>(&self, identity: &str, key: &JudgeCacheKey, verdict: &V) {
        if !verdict.is_kept(identity) {
            return;
        }
        let mut kept = verdict.clone();
        kept.strip(self.redact);
        let kept = self.scrubber.scrub(kept).into_inner();
        if let Err(error) = self.folder.put(V::KIND, key, &kept) {
            self.note(format!("--judge-cache: {error}; the verdict is in the run, and not in the cache"));
        }
    }

    /// Returns what the user should know of the folder and was not told.
    pub(crate) fn take_warning(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).untold.take()
    }

    fn note(&self, message: String) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut trouble.is_known, true) {
            trouble.untold = Some(message);
        }
    }
}
