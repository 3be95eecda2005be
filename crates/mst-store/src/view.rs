//! Reads a document as its type at once, without its JSON beside it: half the work, for those who read many and rewrite
//! none.

use std::path::Path;

use mst_model::{RUN_FORMAT, ScoreRecord, TrialRecord};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::doc::Doc;
use crate::error::StoreError;
use crate::layout::TrialKey;
use crate::read::read;

/// A kind of document about a trial.
pub(crate) trait Stored: Serialize + DeserializeOwned {
    /// What the document says it is.
    const KIND: &'static str;

    /// Returns whether what was read is all that there is to read: today's format and spelling, and every value of a
    /// closed set was checked by its type.
    fn is_plain(&self) -> bool;

    /// Returns the trial that it is about.
    fn key(&self) -> TrialKey;
}

impl Stored for TrialRecord {
    const KIND: &'static str = "trial";

    fn is_plain(&self) -> bool {
        // An older spelling has its transcript under another name; a write record has no type yet.
        self.format == RUN_FORMAT && self.kind == Self::KIND && self.transcript.is_some() && self.write_record.is_none()
    }

    fn key(&self) -> TrialKey {
        TrialKey::of_trial(self)
    }
}

impl Stored for ScoreRecord {
    const KIND: &'static str = "score";

    fn is_plain(&self) -> bool {
        self.format == RUN_FORMAT && self.kind == Self::KIND
    }

    fn key(&self) -> TrialKey {
        TrialKey::of_score(self)
    }
}

/// Reads a document's view. What is not plain is read as a [`Doc`], which says what is wrong.
///
/// # Errors
/// As [`Doc::read`].
pub(crate) fn read_view<T: Stored>(path: &Path) -> Result<T, StoreError> {
    view(&read(path)?, path)
}

fn view<T: Stored>(bytes: &[u8], path: &Path) -> Result<T, StoreError> {
    match serde_json::from_slice::<T>(bytes) {
        Ok(view) if view.is_plain() => Ok(view),
        _ => Doc::parse(bytes, path, T::KIND).map(Doc::into_view),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_view_is_what_a_document_s_view_is() {
        let whole = json!({
            "format": "mst.run/v1", "kind": "trial", "runId": "20261007T182504Z-7f3c2a", "variant": "v", "caseId": "c",
            "datasetName": "d", "trial": 0, "durationMs": 1.5, "infrastructureError": false, "ending": { "kind": "trial" },
            "transcript": { "events": [{ "kind": "tool_call", "source": "mcp", "name": "echo" }] }, "later": [1],
        });
        let changed = |pointer: &str, value: Value| {
            let mut doc = whole.clone();
            let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
            doc.pointer_mut(parent).expect("there").as_object_mut().expect("an object").insert(key.to_owned(), value);
            doc.to_string()
        };
        let older = whole.to_string().replace("\"transcript\"", "\"trace\"");
        let torn = whole.to_string()[..200].to_owned();
        for text in [
            whole.to_string(),
            older,
            torn,
            changed("/format", json!("mst.run/v2")),
            changed("/kind", json!("score")),
            changed("/ending", Value::Null),
            changed("/ending/kind", json!("paused")),
            changed("/transcript/events/0/kind", json!("dream")),
            changed("/transcript/events/0/source", json!("moon")),
            changed("/transcript/evidence", json!("hearsay")),
            changed("/transcript", Value::Null),
            changed("/writeRecord", json!({ "writes": [{ "mode": "mocked" }] })),
            changed("/writeRecord", json!({ "writes": [{ "mode": "live" }] })),
            whole.to_string().replace("\"trial\":0", "\"trial\":1,\"trial\":0"),
        ] {
            let path = Path::new("f");
            let read = view::<TrialRecord>(text.as_bytes(), path).map_err(|error| error.to_string());
            let doc = Doc::<TrialRecord>::parse(text.as_bytes(), path, "trial");
            assert_eq!(read, doc.map(Doc::into_view).map_err(|error| error.to_string()), "{text}");
        }
    }
}
