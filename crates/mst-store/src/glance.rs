//! A glance at a stored trial: whether it begins and ends as this run wrote it.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use mst_model::{RUN_FORMAT, RunId};
use serde_json::Value;

use crate::error::StoreError;
use crate::layout::TrialKey;

/// How much of a file is looked at: its head holds everything that says whose it is.
const HEAD: usize = 4096;

/// What a glance shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glance {
    /// No content: no bytes, or zeros alone, as some file systems leave after a power cut.
    Empty,
    /// It begins with the run, variant, case and trial that belong there, and it ends.
    AsWritten,
    /// Anything else: it has to be read.
    Otherwise,
}

/// Looks at a trial's file.
pub(crate) fn glance(path: &Path, run_id: &RunId, key: &TrialKey) -> Result<Glance, StoreError> {
    let mut file = fs_err::File::open(path)?;
    let mut head = [0; HEAD];
    let read = file.read(&mut head)?;
    let head = &head[..read];
    if head.first().is_none_or(|first| *first == 0) {
        return Ok(Glance::Empty);
    }
    if !begins(head, run_id, key) {
        return Ok(Glance::Otherwise);
    }
    let whole = if read < HEAD {
        head.ends_with(b"\n}\n")
    } else {
        let mut end = [0; 3];
        file.seek(SeekFrom::End(-3))?;
        file.read_exact(&mut end)?;
        end == *b"\n}\n"
    };
    Ok(if whole { Glance::AsWritten } else { Glance::Otherwise })
}

/// Returns whether a file's head is laid out as a trial of this key is, up to its dataset.
fn begins(head: &[u8], run_id: &RunId, key: &TrialKey) -> bool {
    let text = |text: &str| Value::from(text).to_string();
    let wanted = format!(
        "{{\n  \"format\": {},\n  \"kind\": \"trial\",\n  \"runId\": {},\n  \"variant\": {},\n  \"caseId\": {},\n  \"datasetName\": ",
        text(RUN_FORMAT),
        text(run_id.as_str()),
        text(key.variant.as_str()),
        text(key.case_id.as_str()),
    );
    let Some(rest) = head.strip_prefix(wanted.as_bytes()) else { return false };
    let trial = format!("\n  \"trial\": {},\n", key.trial);
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    rest[end..].starts_with(trial.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glance_tells_what_this_run_wrote_from_anything_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("0.json");
        let run: RunId = "20261007T182504Z-7f3c2a".parse().expect("an id");
        let key = TrialKey::new("v", "a \"b\"\n", 3);
        let text = |run: &str, case: &str, trial: u32, rest: &str| {
            let case = Value::from(case);
            format!(
                "{{\n  \"format\": \"mst.run/v1\",\n  \"kind\": \"trial\",\n  \"runId\": \"{run}\",\n  \"variant\": \"v\",\n  \
                 \"caseId\": {case},\n  \"datasetName\": \"d\",\n  \"trial\": {trial},\n  \"x\": \"{rest}\"\n}}\n"
            )
        };
        let own = |rest: &str| text(run.as_str(), "a \"b\"\n", 3, rest);
        let long = "y".repeat(3 * HEAD);
        for (content, want) in [
            (own(""), Glance::AsWritten),
            (own(&long), Glance::AsWritten),
            (own(&long)[..2 * HEAD].to_owned(), Glance::Otherwise),
            (own("").trim_end().to_owned(), Glance::Otherwise),
            (text(run.as_str(), "a", 3, ""), Glance::Otherwise),
            (text(run.as_str(), "a \"b\"\n", 33, ""), Glance::Otherwise),
            (text("20261007T182504Z-7f3c2b", "a \"b\"\n", 3, ""), Glance::Otherwise),
            (own("").replace('\n', ""), Glance::Otherwise),
            (String::new(), Glance::Empty),
            ("\0".repeat(2 * HEAD), Glance::Empty),
        ] {
            fs_err::write(&path, &content).expect("written");
            assert_eq!(glance(&path, &run, &key).expect("read"), want, "{}", &content[..content.len().min(300)]);
        }
    }
}
