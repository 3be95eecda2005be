//! Answers that are kept while a scan runs, so that one that failed goes on where it stopped.
//!
//! Each usable answer is one line of JSON in the scan's folder, found again by its stage, its item, the whole prompt and who
//! was asked. A line that cannot be read, as a killed scan may leave, counts for nothing. The file goes when the report is
//! there: a later scan is a measurement of its own.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fs_err as fs;
use mst_model::ScanStage;
use serde::{Deserialize, Serialize};

use super::{Asker, Question, Reply};

/// The file's name in the folder of a scan.
pub(crate) const ANSWERS_FILE: &str = "answers.jsonl";

/// The answers of a scan that is not done.
#[derive(Debug)]
pub(crate) struct SavedAnswers {
    path: PathBuf,
    known: HashMap<Key, Reply>,
    /// Opened with the first answer.
    file: Mutex<Option<fs::File>>,
}

/// What an answer is found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Key {
    stage: ScanStage,
    item: String,
    cli: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked_model: Option<String>,
    prompt_hash: String,
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: Key,
    reply: Reply,
}

impl SavedAnswers {
    /// Reads what an earlier scan left in a folder, if it left anything.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub(crate) fn open(folder: &Path) -> std::io::Result<Self> {
        let path = folder.join(ANSWERS_FILE);
        if fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
            return Err(std::io::Error::other(format!("{} is no plain file", path.display())));
        }
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let known = lines.map(|line| (line.key, line.reply)).collect();
        Ok(Self { path, known, file: Mutex::default() })
    }

    /// Returns the answer to a question, if an earlier scan had it from the same asker.
    pub(crate) fn find(&self, asker: &dyn Asker, question: &Question) -> Option<Reply> {
        self.known.get(&key(asker, question)).cloned()
    }

    /// Keeps a usable answer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn keep(&self, asker: &dyn Asker, question: &Question, reply: &Reply) -> std::io::Result<()> {
        let line = Line { key: key(asker, question), reply: reply.clone() };
        // A line of its own also after one that was torn.
        let text = format!("\n{}", serde_json::to_string(&line).expect("texts and numbers have a JSON form"));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            *file = Some(fs::OpenOptions::new().create(true).append(true).open(&self.path)?);
        }
        file.as_mut().map_or(Ok(()), |file| file.write_all(text.as_bytes()))
    }

    /// Removes the file.
    ///
    /// # Errors
    /// When it is there and cannot be removed.
    pub(crate) fn forget(&self) -> std::io::Result<()> {
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = None;
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn key(asker: &dyn Asker, question: &Question) -> Key {
    Key {
        stage: question.stage,
        item: question.item.clone(),
        cli: asker.cli(),
        asked_model: asker.asked_model().map(str::to_owned),
        prompt_hash: question.hash(),
    }
}
