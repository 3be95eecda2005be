//! A list of cases that are known to fail, each with a reason: a JSON file that people edit and a command rewrites.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use mst_cli::{CliError, plural, usage};
use mst_config::{Code, Document, read_document};
use mst_model::{CaseId, VariantName};
use mst_report::{CaseEnd, CasePlace, CaseVerdict};
use serde_json::{Map, Value, json};

use super::{files, shown};
use crate::error;

const FLAG: &str = "--known-failures";

/// The most characters of a reason that `--update-known-failures` takes from a grader.
const LONGEST: usize = 200;

/// The list as it stands in its file.
#[derive(Debug)]
pub(super) struct KnownFailures {
    path: PathBuf,
    entries: Vec<Entry>,
}

/// A case that is known to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    case: CaseId,
    /// The one variant that it is known of; every variant when there is none.
    variant: Option<VariantName>,
    reason: String,
}

/// What an eval has, which entries must name.
pub(super) struct Eval<'a> {
    pub(super) cases: &'a IndexMap<CaseId, CasePlace>,
    pub(super) variants: Vec<VariantName>,
}

impl KnownFailures {
    /// Reads the list. With `updates` it may be absent, and an entry that names nothing any more is dropped at the update.
    ///
    /// # Errors
    /// The file is absent or wrong, each mistake with its line.
    pub(super) fn read(path: &Path, updates: bool, eval: &Eval<'_>) -> Result<Self, CliError> {
        if updates {
            files::check_one(FLAG, path)?;
            if !path.exists() {
                return Ok(Self { path: path.to_owned(), entries: Vec::new() });
            }
        } else if !path.exists() {
            return Err(usage(format!("{FLAG} {}: there is no such file", shown(path)))
                .with_hint("--update-known-failures writes it: every case that fails now, with what its grader says"));
        }
        let document = read_document(path).map_err(error::diagnostics)?;
        let listed = document.root().as_array().ok_or_else(|| {
            mistake(&document, "", Code::WrongType, "a list of known failures is a JSON list".to_owned(), None)
        })?;
        let mut entries: Vec<Entry> = Vec::new();
        for (at, value) in listed.iter().enumerate() {
            let entry = Entry::read(&document, at, value)?;
            let pointer = format!("/{at}");
            let overlaps = |other: &Entry| {
                other.case == entry.case
                    && (other.variant.is_none() || entry.variant.is_none() || other.variant == entry.variant)
            };
            if entries.iter().any(overlaps) {
                let message = format!("{:?} is listed twice", entry.case.as_str());
                return Err(mistake(&document, &format!("{pointer}/case"), Code::DuplicateName, message, None));
            }
            if !updates {
                entry.check(&document, &pointer, eval)?;
            }
            entries.push(entry);
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    /// Returns why a case is known to fail; `None` when it is not listed.
    pub(super) fn reason(&self, variant: &VariantName, case: &CaseId) -> Option<&str> {
        self.entries.iter().find(|entry| entry.is_of(variant, case)).map(|entry| entry.reason.as_str())
    }

    /// Rewrites the list so that it holds what fails now, and returns it. Reasons stay; a new entry's is what its grader
    /// says. An entry whose cases this run says nothing of stays, unless the eval has no such case any more.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn update(
        &self,
        cases: &[CaseEnd],
        known: &IndexMap<CaseId, CasePlace>,
        several: bool,
    ) -> Result<Self, CliError> {
        let mut entries = self.updated(cases, several);
        entries.retain(|entry| known.contains_key(&entry.case));
        let list: Value = entries.iter().map(Entry::to_json).collect();
        files::write(&self.path, &format!("{list:#}\n"))?;
        Ok(Self { path: self.path.clone(), entries })
    }

    /// Says what the list holds.
    pub(super) fn words(&self) -> String {
        format!("{} in {}", plural(self.entries.len(), "known failure"), shown(&self.path))
    }

    fn updated(&self, cases: &[CaseEnd], several: bool) -> Vec<Entry> {
        // An entry stays as it is while none of its cases passed: then each failed, or the run says nothing of it.
        let passed = |entry: &Entry| {
            let of_entry = |case: &&CaseEnd| entry.is_of(&case.variant, &case.id);
            cases.iter().filter(of_entry).any(|case| case.verdict == CaseVerdict::Passed)
        };
        let mut entries: Vec<Entry> = self.entries.iter().filter(|entry| !passed(entry)).cloned().collect();
        for case in cases {
            let CaseVerdict::Failed { by, why } = &case.verdict else { continue };
            if entries.iter().any(|entry| entry.is_of(&case.variant, &case.id)) {
                continue;
            }
            let first: String = why.lines().next().unwrap_or_default().chars().take(LONGEST).collect();
            let reason = self.reason(&case.variant, &case.id).map_or_else(|| format!("{by}: {first}"), str::to_owned);
            let variant = several.then(|| case.variant.clone());
            entries.push(Entry { case: case.id.clone(), variant, reason });
        }
        entries
    }
}

impl Entry {
    fn read(document: &Document, at: usize, value: &Value) -> Result<Self, CliError> {
        const KEYS: [&str; 3] = ["case", "variant", "reason"];
        let pointer = format!("/{at}");
        let wrong = |key: &str, code: Code, message: String, help: Option<String>| {
            mistake(document, &format!("{pointer}{key}"), code, message, help)
        };
        let Some(keys) = value.as_object() else {
            let help = Some("{ \"case\": \"its id\", \"reason\": \"why it fails\" }".to_owned());
            return Err(wrong("", Code::WrongType, "an entry is an object".to_owned(), help));
        };
        if let Some(key) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let help = mst_cli::nearest(key, KEYS).map(|near| format!("did you mean {near:?}?"));
            return Err(wrong(&format!("/{key}"), Code::UnknownKey, format!("an entry has no key {key:?}"), help));
        }
        let text = |key: &str| match keys.get(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
            Some(_) => {
                let message = format!("{key:?} is a text that is not empty");
                Err(wrong(&format!("/{key}"), Code::WrongType, message, None))
            }
        };
        let variant = text("variant")?.map(VariantName::from);
        match (text("case")?, text("reason")?) {
            (Some(case), Some(reason)) => Ok(Self { case: CaseId::from(case), variant, reason }),
            (None, _) => Err(wrong("", Code::MissingKey, "an entry names its \"case\"".to_owned(), None)),
            (_, None) => Err(wrong("", Code::MissingKey, "an entry has a \"reason\"".to_owned(), None)),
        }
    }

    /// Refuses an entry that names nothing of the eval.
    fn check(&self, document: &Document, pointer: &str, eval: &Eval<'_>) -> Result<(), CliError> {
        let unknown = |key: &str, name: &str, names: Vec<&str>| {
            let help = mst_cli::nearest(name, names).map(|near| format!("did you mean {near:?}?"));
            let message = format!("the eval has no {key} {name:?}: remove the entry");
            Err(mistake(document, &format!("{pointer}/{key}"), Code::UnknownName, message, help))
        };
        if !eval.cases.contains_key(&self.case) {
            return unknown("case", self.case.as_str(), eval.cases.keys().map(CaseId::as_str).collect());
        }
        match &self.variant {
            Some(variant) if !eval.variants.contains(variant) => {
                unknown("variant", variant.as_str(), eval.variants.iter().map(VariantName::as_str).collect())
            }
            _ => Ok(()),
        }
    }

    fn is_of(&self, variant: &VariantName, case: &CaseId) -> bool {
        self.case == *case && self.variant.as_ref().is_none_or(|own| own == variant)
    }

    fn to_json(&self) -> Value {
        let mut entry = Map::new();
        entry.insert("case".to_owned(), json!(self.case));
        if let Some(variant) = &self.variant {
            entry.insert("variant".to_owned(), json!(variant));
        }
        entry.insert("reason".to_owned(), json!(self.reason));
        Value::Object(entry)
    }
}

fn mistake(document: &Document, pointer: &str, code: Code, message: String, help: Option<String>) -> CliError {
    error::diagnostics(document.diagnose(pointer, code, message, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(case: &str, variant: Option<&str>, reason: &str) -> Entry {
        Entry { case: case.into(), variant: variant.map(VariantName::from), reason: reason.to_owned() }
    }

    fn end(variant: &str, id: &str, verdict: CaseVerdict) -> CaseEnd {
        CaseEnd {
            id: id.into(),
            variant: variant.into(),
            dataset: "parts".to_owned(),
            verdict,
            seconds: 1.0,
            passed: 0,
            counted: 1,
            known: None,
            place: None,
        }
    }

    fn failed() -> CaseVerdict {
        CaseVerdict::Failed { by: "regex".to_owned(), why: "no match\nin 5 lines".to_owned() }
    }

    #[test]
    fn an_update_keeps_reasons_and_what_the_run_says_nothing_of() {
        let list = KnownFailures {
            path: PathBuf::from("known.json"),
            entries: vec![
                entry("both", None, "a ticket"),
                entry("passes", None, "was slow"),
                entry("half", None, "half"),
                entry("not-run", Some("a"), "later"),
            ],
        };
        let cases = [
            end("a", "both", failed()),
            end("b", "both", failed()),
            end("a", "passes", CaseVerdict::Passed),
            end("a", "half", CaseVerdict::Passed),
            end("b", "half", failed()),
            end("b", "new", failed()),
            end("b", "gone", CaseVerdict::None { lack: mst_report::Lack::Trial, why: String::new() }),
        ];
        assert_eq!(
            list.updated(&cases, true),
            [
                entry("both", None, "a ticket"),
                entry("not-run", Some("a"), "later"),
                entry("half", Some("b"), "half"),
                entry("new", Some("b"), "regex: no match"),
            ]
        );
        assert_eq!(list.updated(&cases[5..6], false).last(), Some(&entry("new", None, "regex: no match")));
    }
}
