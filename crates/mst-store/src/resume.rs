//! What a run that goes on has already: which of the planned trials are saved, and which of them a retry could help.
//!
//! Folders are listed and compared with the plan, so that whatever else lies there is named. With a journal that is whole,
//! a trial that ran is believed when its file begins and ends as this run wrote it: to read a hundred thousand files would
//! take longer than to find what is missing. Without one every file is read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use mst_model::{CaseId, Ending, VariantName};

use crate::atomic::TEMPORARY;
use crate::error::StoreError;
use crate::glance::{Glance, glance};
use crate::journal::Journal;
use crate::layout::TrialKey;
use crate::reader::RunReader;

/// Up to this many saved trials every file is read also with a journal: it takes no time that anyone notices.
const FEW: usize = 2_000;

/// A case of the plan, whose trials may be saved.
#[derive(Clone, Copy, Debug)]
pub struct PlannedTrials<'a> {
    /// The variant.
    pub variant: &'a VariantName,
    /// The case.
    pub case_id: &'a CaseId,
    /// How many trials the plan has of it.
    pub trials: u32,
}

impl PlannedTrials<'_> {
    fn key(&self, trial: u32) -> TrialKey {
        TrialKey { variant: self.variant.clone(), case_id: self.case_id.clone(), trial }
    }
}

/// What is saved of a planned trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// Nothing.
    Missing,
    /// It failed in a way that a retry could help.
    Retryable,
    /// It ran, or failed in a way that a retry could not help.
    Settled,
}

/// The saved trials of a run that is resumed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedTrials {
    /// What is saved of each planned trial: case by case, each case's trials in order.
    pub trials: Vec<Saved>,
    /// Files that a power cut left empty: their trials count as missing and are collected again.
    pub empty: Vec<PathBuf>,
}

/// Finds a run's saved trials, and makes its journal agree with them.
///
/// # Errors
/// When a file is torn, of another run, not readable by this version, or not of the plan.
pub(crate) fn saved_trials(
    reader: &RunReader,
    journal: &mut Journal,
    planned: &[PlannedTrials<'_>],
) -> Result<SavedTrials, StoreError> {
    refuse_strangers(reader, planned)?;
    let (noted, whole) = journal.read()?;
    let trust = whole && noted.len() > FEW;
    let scan = Scan { reader, noted: &noted, trust };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = planned.len().div_ceil(threads).max(1);
    let parts: Vec<Result<Part, StoreError>> = std::thread::scope(|scope| {
        let scan = &scan;
        let running: Vec<_> = planned.chunks(share).map(|cases| scope.spawn(move || scan.part(cases))).collect();
        running.into_iter().map(|thread| thread.join().expect("reading files does not panic")).collect()
    });
    let mut saved = SavedTrials::default();
    let mut found = Vec::new();
    let mut agreeing = 0;
    for part in parts {
        let part = part?;
        saved.trials.extend(part.trials);
        saved.empty.extend(part.empty);
        found.push(part.differing);
        agreeing += part.agreeing;
    }
    if !whole || agreeing != noted.len() || found.iter().any(|differing| !differing.is_empty()) {
        let mut endings: BTreeMap<TrialKey, Ending> = BTreeMap::new();
        let present: HashSet<TrialKey> = saved_keys(planned, &saved.trials);
        endings.extend(noted.into_iter().filter(|(key, _)| present.contains(key)));
        endings.extend(found.into_iter().flatten());
        journal.rebuild(&endings)?;
    }
    Ok(saved)
}

fn saved_keys(planned: &[PlannedTrials<'_>], trials: &[Saved]) -> HashSet<TrialKey> {
    let keys = planned.iter().flat_map(|case| (0..case.trials).map(|trial| case.key(trial)));
    keys.zip(trials).filter(|(_, saved)| **saved != Saved::Missing).map(|(key, _)| key).collect()
}

/// How saved trials are looked for.
struct Scan<'a> {
    reader: &'a RunReader,
    noted: &'a HashMap<TrialKey, Ending>,
    /// Whether a glance at a file is enough where the journal says that its trial ran.
    trust: bool,
}

/// What some cases have.
#[derive(Default)]
struct Part {
    trials: Vec<Saved>,
    empty: Vec<PathBuf>,
    /// How many trials are saved as the journal says.
    agreeing: usize,
    /// Trials that are saved otherwise than the journal says, or not noted.
    differing: Vec<(TrialKey, Ending)>,
}

impl Scan<'_> {
    fn part(&self, cases: &[PlannedTrials<'_>]) -> Result<Part, StoreError> {
        let mut part = Part::default();
        for case in cases {
            let present = self.present(case)?;
            for (trial, present) in (0..case.trials).zip(present) {
                let saved = if present { self.trial(case.key(trial), &mut part)? } else { Saved::Missing };
                part.trials.push(saved);
            }
        }
        Ok(part)
    }

    /// Lists which of a case's trials have a file, and refuses whatever else its folder holds.
    fn present(&self, case: &PlannedTrials<'_>) -> Result<Vec<bool>, StoreError> {
        let mut present = vec![false; case.trials as usize];
        let any = self.reader.layout().trial(&case.key(0));
        let folder = any.parent().expect("a trial's file lies in a folder");
        for entry in list(folder)? {
            let (path, kind) = entry?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let trial = name.strip_suffix(".json").and_then(|number| number.parse::<u32>().ok());
            let is_own = trial.is_some_and(|trial| format!("{trial}.json") == name);
            match trial.filter(|_| is_own).and_then(|trial| present.get_mut(trial as usize)) {
                Some(slot) if kind.is_file() => *slot = true,
                Some(_) => return Err(StoreError::Misplaced { path, problem: not_a_file(kind) }),
                None if name.starts_with(TEMPORARY) && kind.is_file() => fs_err::remove_file(&path)?,
                None if name.starts_with('.') => {}
                None => return Err(StoreError::Misplaced { path, problem: "is no trial of the plan" }),
            }
        }
        Ok(present)
    }

    fn trial(&self, key: TrialKey, part: &mut Part) -> Result<Saved, StoreError> {
        let path = self.reader.layout().trial(&key);
        let noted = self.noted.get(&key);
        let ran = noted == Some(&Ending::Trial);
        match glance(&path, self.reader.id(), &key)? {
            Glance::Empty => {
                part.empty.push(path);
                return Ok(Saved::Missing);
            }
            Glance::AsWritten if ran && self.trust => {
                part.agreeing += 1;
                return Ok(Saved::Settled);
            }
            Glance::AsWritten | Glance::Otherwise => {}
        }
        let ending = self.reader.trial_at(&path)?.into_view().ending;
        let saved = if ending.is_retryable() { Saved::Retryable } else { Saved::Settled };
        if noted == Some(&ending) {
            part.agreeing += 1;
        } else {
            part.differing.push((key, ending));
        }
        Ok(saved)
    }
}

/// Refuses folders of variants and cases that the plan does not have.
fn refuse_strangers(reader: &RunReader, planned: &[PlannedTrials<'_>]) -> Result<(), StoreError> {
    let transcripts = reader.layout().transcripts();
    let mut cases: HashMap<String, HashSet<String>> = HashMap::new();
    let mut last: Option<(&VariantName, String)> = None;
    for case in planned {
        let segment = match &last {
            Some((variant, segment)) if *variant == case.variant => segment.clone(),
            _ => case.variant.segment(),
        };
        last = Some((case.variant, segment.clone()));
        cases.entry(segment).or_default().insert(case.case_id.segment());
    }
    let known_variants: HashSet<String> = cases.keys().cloned().collect();
    refuse_unknown(&transcripts, &known_variants, "is no variant of the plan")?;
    for (variant, cases) in &cases {
        refuse_unknown(&transcripts.join(variant), cases, "is no case of the plan")?;
    }
    Ok(())
}

fn refuse_unknown(folder: &Path, known: &HashSet<String>, problem: &'static str) -> Result<(), StoreError> {
    for entry in list(folder)? {
        let (path, kind) = entry?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if known.contains(name.as_ref()) {
            if !kind.is_dir() {
                return Err(StoreError::Misplaced { path, problem: "is no folder, where one belongs" });
            }
        } else if !name.starts_with('.') {
            return Err(StoreError::Misplaced { path, problem });
        }
    }
    Ok(())
}

/// Lists a folder; nothing when it is absent.
fn list(folder: &Path) -> Result<impl Iterator<Item = Result<(PathBuf, std::fs::FileType), StoreError>>, StoreError> {
    let listing = match fs_err::read_dir(folder) {
        Ok(listing) => Some(listing),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    Ok(listing.into_iter().flatten().map(|entry| {
        let entry = entry?;
        Ok((entry.path(), entry.file_type()?))
    }))
}

fn not_a_file(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() {
        "is a folder, where a trial's file belongs"
    } else if kind.is_symlink() {
        "is a symbolic link, where a trial's file belongs"
    } else {
        "is no file, where a trial's file belongs"
    }
}
