//! What a stored trial says of itself: whose it is and how it ended. The rest is passed over, so that a hundred thousand
//! files are looked through in a few seconds.

use std::borrow::Cow;
use std::path::Path;

use mst_model::{Ending, RUN_FORMAT, RunId};
use serde::Deserialize;

use crate::error::StoreError;
use crate::layout::TrialKey;
use crate::read::read_into;

/// What a look at a file shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// No content: no bytes, or zeros alone, as some file systems leave after a power cut.
    Empty,
    /// It is whole JSON and says that it is the trial that belongs there; it ended so.
    Own(Ending),
    /// Anything else: it has to be read as what it is.
    Otherwise,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TrialHead<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    run_id: Cow<'a, str>,
    #[serde(borrow)]
    variant: Cow<'a, str>,
    #[serde(borrow)]
    case_id: Cow<'a, str>,
    trial: u32,
    ending: Ending,
}

impl Head {
    /// Looks at a trial's file; the buffer is for its content.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn of(path: &Path, run_id: &RunId, key: &TrialKey, buffer: &mut Vec<u8>) -> Result<Self, StoreError> {
        read_into(path, buffer)?;
        Ok(Self::parse(buffer, run_id, key))
    }

    fn parse(bytes: &[u8], run_id: &RunId, key: &TrialKey) -> Self {
        // No JSON begins with a zero byte.
        if bytes.first().is_none_or(|first| *first == 0) {
            return Self::Empty;
        }
        match serde_json::from_slice::<TrialHead<'_>>(bytes) {
            Ok(head) if head.is_of(run_id, key) => Self::Own(head.ending),
            _ => Self::Otherwise,
        }
    }
}

impl TrialHead<'_> {
    fn is_of(&self, run_id: &RunId, key: &TrialKey) -> bool {
        self.format == RUN_FORMAT
            && self.kind == "trial"
            && self.run_id == run_id.as_str()
            && self.variant == key.variant.as_str()
            && self.case_id == key.case_id.as_str()
            && self.trial == key.trial
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_model::Broke;
    use serde_json::json;

    #[test]
    fn a_look_tells_what_this_run_wrote_from_anything_else() {
        let run: RunId = "20261007T182504Z-7f3c2a".parse().expect("an id");
        let key = TrialKey::new("v", "a \"b\"\n", 3);
        let text = |run: &str, case: &str, trial: u32, ending: &Ending| {
            let text = json!({
                "format": "mst.run/v1", "kind": "trial", "runId": run, "variant": "v", "caseId": case, "datasetName": "d",
                "trial": trial, "ending": ending, "transcript": { "finalText": "é \u{1} [", "events": [1.5, null] },
            });
            text.to_string()
        };
        let busy = Ending::retryable(Broke::Provider, "busy \"now\"");
        let own = text(run.as_str(), "a \"b\"\n", 3, &Ending::Trial);
        for (content, want) in [
            (own.clone(), Head::Own(Ending::Trial)),
            (text(run.as_str(), "a \"b\"\n", 3, &busy), Head::Own(busy.clone())),
            (own[..own.len() - 1].to_owned(), Head::Otherwise),
            (format!("{own}{own}"), Head::Otherwise),
            (own.replace("\"kind\":\"trial\",\"runId\"", "\"kind\":\"score\",\"runId\""), Head::Otherwise),
            (own.replace("mst.run/v1", "mst.run/v2"), Head::Otherwise),
            (own.replace("\"ending\":{\"kind\":\"trial\"}", "\"ending\":{\"kind\":\"paused\"}"), Head::Otherwise),
            (own.replace("\"ending\"", "\"end\""), Head::Otherwise),
            (text(run.as_str(), "a", 3, &Ending::Trial), Head::Otherwise),
            (text(run.as_str(), "a \"b\"\n", 33, &Ending::Trial), Head::Otherwise),
            (text("20261007T182504Z-7f3c2b", "a \"b\"\n", 3, &Ending::Trial), Head::Otherwise),
            (String::new(), Head::Empty),
            ("\0".repeat(9000), Head::Empty),
        ] {
            assert_eq!(Head::parse(content.as_bytes(), &run, &key), want, "{}", &content[..content.len().min(300)]);
        }
    }
}
