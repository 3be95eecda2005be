//! What a run that goes on has already: which of the planned trials are saved, and which of them a retry could help.
//!
//! Folders are listed and compared with the plan, so that whatever else lies there is named. With a journal that is whole,
//! a trial that it says ran is believed when its file is there: to open a hundred thousand files would take longer than to
//! find what is missing. What was written last is looked at all the same, since only that can be lost with the power.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use mst_model::{CaseId, Ending, VariantName};

use crate::atomic::TEMPORARY;
use crate::error::StoreError;
use crate::head::Head;
use crate::journal::{Journal, JournalLines, line};
use crate::layout::TrialKey;
use crate::noted::{Noted, Slots};
use crate::reader::RunReader;

/// Up to this many trials every saved one is read whole: it takes no time that anyone notices. Of more, as many that were
/// saved last are looked at; a run saves fewer in the second that a power cut can take.
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

/// Finds a run's saved trials, and makes its journal agree with them, when it keeps one.
///
/// # Errors
/// When a file that is looked at is torn, of another run, not readable by this version, or not of the plan.
pub(crate) fn saved_trials(
    reader: &RunReader,
    journal: Option<&mut Journal>,
    planned: &[PlannedTrials<'_>],
) -> Result<SavedTrials, StoreError> {
    refuse_strangers(reader, planned)?;
    let slots = Slots::new(planned);
    let bytes = journal.as_ref().map(|journal| journal.read()).transpose()?.flatten();
    let lines = bytes.as_deref().map_or_else(JournalLines::default, JournalLines::parse);
    let noted = Noted::new(lines, &slots);
    let scan = Scan { reader, noted: &noted, few: slots.len <= FEW };
    let found = scan.all(&slots)?;
    let saved = found.trials.iter().filter(|saved| **saved != Saved::Missing).count();
    if let Some(journal) = journal
        && (!found.differing.is_empty() || !noted.is_one_line_for_each(saved))
    {
        let differs: HashSet<usize> = found.differing.iter().map(|(slot, ..)| *slot).collect();
        let kept = noted.last_lines(|slot| found.trials[slot] != Saved::Missing && !differs.contains(&slot));
        let new: Vec<Vec<u8>> = found.differing.iter().map(|(_, key, ending)| line(key, ending)).collect();
        journal.rebuild(kept.chain(new.iter().map(Vec::as_slice)))?;
    }
    Ok(SavedTrials { trials: found.trials, empty: found.empty })
}

/// How saved trials are looked for.
struct Scan<'a> {
    reader: &'a RunReader,
    noted: &'a Noted<'a>,
    /// Whether there are so few that each is read whole.
    few: bool,
}

/// What some cases have.
#[derive(Default)]
struct Found {
    trials: Vec<Saved>,
    empty: Vec<PathBuf>,
    /// Trials that are saved otherwise than the journal says, or not noted, by their number.
    differing: Vec<(usize, TrialKey, Ending)>,
}

/// A trial whose file is there.
struct Present<'a> {
    case: &'a PlannedTrials<'a>,
    trial: u32,
    slot: usize,
    folder: &'a Path,
}

impl Scan<'_> {
    /// Looks for all cases, on all processors.
    fn all(&self, slots: &Slots<'_>) -> Result<Found, StoreError> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let share = slots.planned.len().div_ceil(threads).max(1);
        let parts: Vec<Result<Found, StoreError>> = std::thread::scope(|scope| {
            let shares = slots.planned.chunks(share).zip(slots.starts.chunks(share));
            let running: Vec<_> = shares.map(|(cases, starts)| scope.spawn(move || self.part(cases, starts))).collect();
            running.into_iter().map(|thread| thread.join().expect("reading files does not panic")).collect()
        });
        let mut all = Found::default();
        for part in parts {
            let part = part?;
            all.trials.extend(part.trials);
            all.empty.extend(part.empty);
            all.differing.extend(part.differing);
        }
        Ok(all)
    }

    fn part(&self, cases: &[PlannedTrials<'_>], starts: &[usize]) -> Result<Found, StoreError> {
        let mut found = Found::default();
        let mut buffer = Vec::new();
        for (case, start) in cases.iter().zip(starts) {
            let folder = self.reader.layout().trial(&case.key(0));
            let folder = folder.parent().expect("a trial's file lies in a folder");
            for (trial, is_present) in (0..case.trials).zip(present(folder, case.trials)?) {
                let saved = if is_present {
                    let present = Present { case, trial, slot: start + trial as usize, folder };
                    self.trial(&present, &mut found, &mut buffer)?
                } else {
                    Saved::Missing
                };
                found.trials.push(saved);
            }
        }
        Ok(found)
    }

    /// Returns whether the journal is believed that a trial ran, without a look at its file.
    fn believes(&self, slot: usize) -> bool {
        !self.few
            && self.noted.is_whole()
            && self.noted.ending(slot) == Some(&Ending::Trial)
            && !self.noted.is_among_last(slot, FEW)
    }

    fn trial(&self, present: &Present<'_>, found: &mut Found, buffer: &mut Vec<u8>) -> Result<Saved, StoreError> {
        let Present { case, trial, slot, folder } = *present;
        if self.believes(slot) {
            return Ok(Saved::Settled);
        }
        let key = case.key(trial);
        let path = folder.join(format!("{trial}.json"));
        let ending = match Head::of(&path, self.reader.id(), &key, buffer)? {
            Head::Empty => {
                found.empty.push(path);
                return Ok(Saved::Missing);
            }
            Head::Own(ending) if !self.few => ending,
            // Whatever is wrong with it is named.
            Head::Own(_) | Head::Otherwise => self.reader.trial_at(&path)?.into_view().ending,
        };
        let saved = if ending.is_retryable() { Saved::Retryable } else { Saved::Settled };
        if self.noted.ending(slot) != Some(&ending) {
            found.differing.push((slot, key, ending));
        }
        Ok(saved)
    }
}

/// Lists which of a case's trials have a file, and refuses whatever else its folder holds.
fn present(folder: &Path, trials: u32) -> Result<Vec<bool>, StoreError> {
    let mut present = vec![false; trials as usize];
    for entry in list(folder)? {
        let (name, kind) = entry?;
        let path = || folder.join(&name);
        let text = name.to_string_lossy();
        match trial_of(&text).and_then(|trial| present.get_mut(trial as usize)) {
            Some(slot) if kind.is_file() => *slot = true,
            Some(_) => return Err(StoreError::Misplaced { path: path(), problem: not_a_file(kind) }),
            None if text.starts_with(TEMPORARY) && kind.is_file() => fs_err::remove_file(path())?,
            None if text.starts_with('.') => {}
            None => return Err(StoreError::Misplaced { path: path(), problem: "is no trial of the plan" }),
        }
    }
    Ok(present)
}

/// Returns the trial that a file's name stands for: its number as it is written, and nothing else.
fn trial_of(name: &str) -> Option<u32> {
    let number = name.strip_suffix(".json")?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit()) && (number.len() == 1 || !number.starts_with('0'));
    number.parse().ok().filter(|_| is_plain)
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
        let (name, kind) = entry?;
        let text = name.to_string_lossy();
        if known.contains(text.as_ref()) {
            if !kind.is_dir() {
                let problem = "is no folder, where one belongs";
                return Err(StoreError::Misplaced { path: folder.join(&name), problem });
            }
        } else if !text.starts_with('.') {
            return Err(StoreError::Misplaced { path: folder.join(&name), problem });
        }
    }
    Ok(())
}

/// Lists a folder's names; nothing when it is absent.
fn list(folder: &Path) -> Result<impl Iterator<Item = Result<(OsString, std::fs::FileType), StoreError>>, StoreError> {
    let listing = match fs_err::read_dir(folder) {
        Ok(listing) => Some(listing),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    Ok(listing.into_iter().flatten().map(|entry| {
        let entry = entry?;
        Ok((entry.file_name(), entry.file_type()?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_s_file_is_named_after_its_number_and_nothing_else() {
        for (name, want) in [
            ("0.json", Some(0)),
            ("7.json", Some(7)),
            ("4294967295.json", Some(u32::MAX)),
            ("4294967296.json", None),
            ("07.json", None),
            ("00.json", None),
            ("+7.json", None),
            ("-7.json", None),
            (".json", None),
            ("7", None),
            ("7.json.bak", None),
            ("७.json", None),
        ] {
            assert_eq!(trial_of(name), want, "{name}");
        }
    }
}
