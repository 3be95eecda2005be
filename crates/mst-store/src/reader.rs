//! Reads a run's directory, one file at a time: a run of any size needs no more memory than its largest file.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use mst_model::{
    CaseId, GraderName, LatestRecord, PreferenceRecord, Results, RunId, RunRecord, ScoreRecord, Summary, TrialRecord,
    VariantName,
};
use serde_json::Value;

use crate::doc::Doc;
use crate::error::StoreError;
use crate::layout::{EvalLayout, RunLayout, TrialKey};
use crate::view::{Stored, read_view};

/// A run that is read.
#[derive(Clone, Debug)]
pub struct RunReader {
    layout: RunLayout,
    record: Doc<RunRecord>,
    /// The collecting run's id, which a regrade's copied transcripts keep.
    graded_from: Option<String>,
}

/// The graders that have a folder of scores in a run.
#[derive(Clone, Debug)]
pub struct Graders(Vec<PathBuf>);

impl RunReader {
    /// Opens a run and reads its `run.json`.
    ///
    /// # Errors
    /// When the directory is no run, or `run.json` cannot be read by this version.
    pub fn open(layout: RunLayout) -> Result<Self, StoreError> {
        let path = layout.run_record();
        if !path.is_file() {
            return Err(StoreError::NotARun(layout.root().to_owned()));
        }
        let record = Doc::<RunRecord>::read(&path, "run")?;
        if let Some(id) = layout.id()
            && id != record.view().run_id
        {
            return Err(foreign(&path, "runId", record.view().run_id.as_str(), id.as_str()));
        }
        let graded_from = record.raw().get("gradedFrom").and_then(Value::as_str).map(str::to_owned);
        Ok(Self { layout, record, graded_from })
    }

    /// Returns the run's directory.
    pub fn layout(&self) -> &RunLayout {
        &self.layout
    }

    /// Returns the run's id.
    pub fn id(&self) -> &RunId {
        &self.record.view().run_id
    }

    /// Returns `run.json`.
    pub fn record(&self) -> &Doc<RunRecord> {
        &self.record
    }

    /// Returns the run that collected the transcripts, when this one is a regrade.
    pub fn graded_from(&self) -> Option<&str> {
        self.graded_from.as_deref()
    }

    /// Returns the paths of all stored trials, in the order of their names. Nothing is read but folders.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn trial_paths(&self) -> Result<Vec<PathBuf>, StoreError> {
        // `traces` is the older name of the folder.
        let older = self.layout.root().join("traces");
        let folder = self.layout.transcripts();
        let folder = if !folder.is_dir() && older.is_dir() { older } else { folder };
        let mut paths = Vec::new();
        for variant in folders(&folder)? {
            for case in folders(&variant)? {
                paths.extend(trial_files(&case)?);
            }
        }
        Ok(paths)
    }

    /// Reads a trial by its key.
    ///
    /// # Errors
    /// When the file is absent, is of another run or place, or cannot be read by this version.
    pub fn trial(&self, key: &TrialKey) -> Result<Doc<TrialRecord>, StoreError> {
        self.trial_at(&self.layout.trial(key))
    }

    /// Reads a trial from a path that [`RunReader::trial_paths`] returned.
    ///
    /// # Errors
    /// As [`RunReader::trial`].
    pub fn trial_at(&self, path: &Path) -> Result<Doc<TrialRecord>, StoreError> {
        let doc = Doc::<TrialRecord>::read(path, "trial")?;
        let trial = doc.view();
        self.check_run(path, &trial.run_id)?;
        check_place(path, &TrialKey::of_trial(trial))?;
        Ok(doc)
    }

    /// Reads a trial without its JSON, for those who rewrite nothing.
    ///
    /// # Errors
    /// As [`RunReader::trial`].
    pub fn trial_view(&self, key: &TrialKey) -> Result<TrialRecord, StoreError> {
        let path = self.layout.trial(key);
        let trial: TrialRecord = read_view(&path)?;
        self.check_run(&path, &trial.run_id)?;
        check_key(&path, &trial, key)?;
        Ok(trial)
    }

    /// Reads a trial from a path that [`RunReader::trial_paths`] returned, without its JSON.
    ///
    /// # Errors
    /// As [`RunReader::trial`].
    pub fn trial_view_at(&self, path: &Path) -> Result<TrialRecord, StoreError> {
        let trial: TrialRecord = read_view(path)?;
        self.check_run(path, &trial.run_id)?;
        check_place(path, &TrialKey::of_trial(&trial))?;
        Ok(trial)
    }

    /// Reads a trial as [`RunReader::trial_view`] does; `None` when it is not there.
    ///
    /// # Errors
    /// As [`RunReader::trial`], but for a file that is absent.
    pub fn find_trial(&self, key: &TrialKey) -> Result<Option<TrialRecord>, StoreError> {
        unless_absent(self.trial_view(key))
    }

    /// Reads a trial's scores, by grader in the order of their names.
    ///
    /// # Errors
    /// When a score file is of another run or place, or cannot be read by this version.
    pub fn scores(&self, key: &TrialKey) -> Result<IndexMap<GraderName, Doc<ScoreRecord>>, StoreError> {
        let mut scores = IndexMap::new();
        for path in score_paths(&self.graders()?, key) {
            if let Some(doc) = unless_absent(Doc::<ScoreRecord>::read(&path, "score"))? {
                self.check_run(&path, &doc.view().run_id)?;
                check_place(&path, &TrialKey::of_score(doc.view()))?;
                scores.insert(doc.view().grader.clone(), doc);
            }
        }
        Ok(scores)
    }

    /// Lists who graded any trial so far, for [`RunReader::score_views`].
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn graders(&self) -> Result<Graders, StoreError> {
        folders(&self.layout.scores()).map(Graders)
    }

    /// Returns the names of those who graded a trial, in the order of their folders. Pairwise judges, who compare trials, are
    /// not among them.
    ///
    /// # Errors
    /// When a folder cannot be listed, or a grader's first score cannot be read by this version.
    pub fn grader_names(&self) -> Result<Vec<GraderName>, StoreError> {
        let mut names = Vec::new();
        for grader in self.graders()?.0 {
            // A folder's name may be cut; a score tells the whole name.
            'scores: for variant in folders(&grader)? {
                for case in folders(&variant)? {
                    if let Some(path) = trial_files(&case)?.first() {
                        names.push(read_view::<ScoreRecord>(path)?.grader);
                        break 'scores;
                    }
                }
            }
        }
        Ok(names)
    }

    /// Reads a trial's scores by these graders without their JSON: [`RunReader::scores`] for many trials, with one listing.
    ///
    /// # Errors
    /// As [`RunReader::scores`].
    pub fn score_views(
        &self,
        key: &TrialKey,
        graders: &Graders,
    ) -> Result<IndexMap<GraderName, ScoreRecord>, StoreError> {
        let mut scores = IndexMap::new();
        for path in score_paths(graders, key) {
            if let Some(score) = unless_absent(read_view::<ScoreRecord>(&path))? {
                self.check_run(&path, &score.run_id)?;
                check_key(&path, &score, key)?;
                scores.insert(score.grader.clone(), score);
            }
        }
        Ok(scores)
    }

    /// Reads a pairwise judge's preference in a case of a variant; `None` when it is not there.
    ///
    /// # Errors
    /// When the file is of another run or place, or cannot be read by this version.
    pub fn find_preference(
        &self,
        judge: &GraderName,
        variant: &VariantName,
        case_id: &CaseId,
    ) -> Result<Option<PreferenceRecord>, StoreError> {
        let path = self.layout.preference(judge, variant, case_id);
        let Some(doc) = unless_absent(Doc::<PreferenceRecord>::read(&path, "preference"))? else { return Ok(None) };
        let record = doc.into_view();
        self.check_run(&path, &record.run_id)?;
        for (what, found, expected) in [
            ("judge", record.judge.as_str(), judge.as_str()),
            ("variant", record.variant.as_str(), variant.as_str()),
            ("caseId", record.case_id.as_str(), case_id.as_str()),
        ] {
            if found != expected {
                return Err(foreign(&path, what, found, expected));
            }
        }
        Ok(Some(record))
    }

    /// Reads `results.json`.
    ///
    /// # Errors
    /// When it is absent or cannot be read by this version.
    pub fn results(&self) -> Result<Doc<Results>, StoreError> {
        Doc::read(&self.layout.results(), "results")
    }

    /// Returns whether `results.json` is there and ends as it was written, without reading it: it holds every transcript.
    pub fn has_whole_results(&self) -> bool {
        use std::io::{Read as _, Seek as _, SeekFrom};
        let mut end = [0; 4];
        let ended = fs_err::File::open(self.layout.results()).and_then(|mut file| {
            file.seek(SeekFrom::End(-4))?;
            file.read_exact(&mut end)
        });
        ended.is_ok() && end == *b"]\n}\n"
    }

    /// Reads `summary.json`.
    ///
    /// # Errors
    /// When it is absent or cannot be read by this version.
    pub fn summary(&self) -> Result<Doc<Summary>, StoreError> {
        Doc::read(&self.layout.summary(), "summary")
    }

    fn check_run(&self, path: &Path, found: &RunId) -> Result<(), StoreError> {
        if found == self.id() || self.graded_from.as_deref() == Some(found.as_str()) {
            Ok(())
        } else {
            Err(foreign(path, "runId", found.as_str(), self.id().as_str()))
        }
    }
}

/// Reads an eval's `latest.json`; `None` when there is none.
///
/// # Errors
/// When it is there and cannot be read by this version.
pub fn read_latest(eval: &EvalLayout) -> Result<Option<LatestRecord>, StoreError> {
    let path = eval.latest();
    if path.is_file() { Ok(Some(Doc::read(&path, "latest")?.into_view())) } else { Ok(None) }
}

fn foreign(path: &Path, what: &'static str, found: &str, expected: &str) -> StoreError {
    StoreError::Foreign { path: path.to_owned(), what, found: found.to_owned(), expected: expected.to_owned() }
}

/// Returns where each grader's score of a trial lies.
fn score_paths(graders: &Graders, key: &TrialKey) -> impl Iterator<Item = PathBuf> {
    let place: PathBuf = [key.variant.segment(), key.case_id.segment(), format!("{}.json", key.trial)].iter().collect();
    graders.0.iter().map(move |grader| grader.join(&place))
}

/// Takes a file that is not there for nothing.
fn unless_absent<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Ok(found) => Ok(Some(found)),
        // A preference's file may have the name of another case's folder.
        Err(StoreError::Io(error))
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Checks that a file that was read for a trial is about it.
fn check_key(path: &Path, found: &impl Stored, wanted: &TrialKey) -> Result<(), StoreError> {
    let found = found.key();
    if found == *wanted { Ok(()) } else { check_place(path, &found) }
}

/// Checks that a file lies where its variant, case and trial say.
fn check_place(path: &Path, key: &TrialKey) -> Result<(), StoreError> {
    let place = |depth: usize| path.ancestors().nth(depth).and_then(Path::file_name).unwrap_or_default();
    for (what, depth, found) in [
        ("trial", 0, format!("{}.json", key.trial)),
        ("caseId", 1, key.case_id.segment()),
        ("variant", 2, key.variant.segment()),
    ] {
        let expected = place(depth).to_string_lossy();
        if expected != found {
            return Err(foreign(path, what, &found, &expected));
        }
    }
    Ok(())
}

/// Returns a folder's folders, sorted; none when it is absent.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    entries(folder, |kind, _| kind.is_dir())
}

/// Returns a case folder's `<trial>.json` files, by trial.
fn trial_files(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut files = entries(folder, |kind, path| kind.is_file() && trial_number(path).is_some())?;
    files.sort_by_key(|path| trial_number(path));
    Ok(files)
}

/// Returns the trial that a path's last part names; `None` when it is not `<trial>.json`.
pub fn trial_number(path: &Path) -> Option<u32> {
    let stem = path.file_stem().filter(|_| path.extension().is_some_and(|extension| extension == "json"))?;
    stem.to_str()?.parse().ok()
}

fn entries(folder: &Path, keep: impl Fn(std::fs::FileType, &Path) -> bool) -> Result<Vec<PathBuf>, StoreError> {
    let listing = match fs_err::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut paths = Vec::new();
    for entry in listing {
        let entry = entry?;
        let path = entry.path();
        if keep(entry.file_type()?, &path) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
