//! Writes a run's directory. One writer a run, under the run's lock, owned by the task that owns the run's state.

use mst_model::{
    CaseId, GraderName, PreferenceRecord, Results, RunRecord, ScoreRecord, Scrubbed, Summary, Timestamp, TrialRecord,
    VariantName, redact_preference, redact_score, redact_trial,
};

use crate::atomic::{sweep, to_bytes, write_below};
use crate::doc::Doc;
use crate::error::StoreError;
use crate::journal::Journal;
use crate::latest::become_latest;
use crate::layout::{EvalLayout, RunLayout, TrialKey};
use crate::lock::DirectoryLock;
use crate::reader::RunReader;
use crate::results::ResultsFile;
use crate::resume::{PlannedTrials, SavedTrials, saved_trials};
use crate::sync::{SyncBatch, Unsynced, sync_with_folder};

/// The writer of one run.
///
/// Every method writes at once and returns when the file is in place; nothing waits for the disk but
/// [`RunWriter::maybe_sync`] and [`RunWriter::finish`].
#[derive(Debug)]
pub struct RunWriter {
    eval: EvalLayout,
    run: RunLayout,
    record: Doc<RunRecord>,
    journal: Journal,
    unsynced: Unsynced,
    /// Whether an earlier writer may have left something half written anywhere.
    is_resumed: bool,
    _lock: DirectoryLock,
}

/// Whether a run may become `latest.json`: it is full, graded, and nothing is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eligible {
    /// It may.
    Yes,
    /// It may not; `latest.json` stays as it is.
    No,
}

/// What finishing a run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The run's directory.
    pub run: RunLayout,
    /// Whether the run is now the eval's latest.
    pub is_latest: bool,
}

impl RunWriter {
    /// Makes a run's directory with its `run.json`.
    ///
    /// # Errors
    /// When a run of this id is there already, or a folder or file cannot be made.
    pub fn create(eval: &EvalLayout, record: RunRecord) -> Result<Self, StoreError> {
        let run = eval.run(&record.run_id);
        fs_err::create_dir_all(eval.runs())?;
        match fs_err::create_dir(run.root()) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(StoreError::Exists(run.root().to_owned()));
            }
            made => made?,
        }
        let lock = DirectoryLock::run(run.root(), &record.run_id)?;
        let mut writer = Self {
            eval: eval.clone(),
            journal: Journal::new(run.journal()),
            run,
            record: Doc::new(record),
            unsynced: Unsynced::default(),
            is_resumed: false,
            _lock: lock,
        };
        writer.write_record()?;
        sync_with_folder(writer.run.root())?;
        sync_with_folder(&writer.eval.runs())?;
        Ok(writer)
    }

    /// Opens a run to collect what it lacks, and says what it has of the plan's trials.
    ///
    /// The journal is made to agree with the files. What a killed writer left half written is removed: here where it is
    /// seen, the rest at the end.
    ///
    /// # Errors
    /// When the run is a regrade, was stored redacted, is being written by another process, or holds a file that is torn, of
    /// another run, not of the plan or not readable by this version. The run is then as it was.
    pub fn open_for_resume(run: RunLayout, planned: &[PlannedTrials<'_>]) -> Result<(Self, SavedTrials), StoreError> {
        let reader = RunReader::open(run.clone())?;
        let record = reader.record().view();
        if record.run_id.is_regrade() || reader.graded_from().is_some() {
            let id = record.run_id.as_str();
            let original = reader.graded_from().unwrap_or(id.split_once('.').map_or(id, |(base, _)| base)).to_owned();
            return Err(StoreError::Regrade { regrade: record.run_id.clone(), original });
        }
        Self::open_for_grading(run, planned)
    }

    /// Opens a run, which may be a regrade, to grade what has no verdict, and says what it has of the plan's trials.
    ///
    /// # Errors
    /// As [`RunWriter::open_for_resume`].
    pub fn open_for_grading(run: RunLayout, planned: &[PlannedTrials<'_>]) -> Result<(Self, SavedTrials), StoreError> {
        let mut writer = Self::open(run)?;
        let reader = writer.reader()?;
        // A regrade collects nothing, and has no journal.
        let journal = reader.graded_from().is_none().then_some(&mut writer.journal);
        let saved = saved_trials(&reader, journal, planned)?;
        if reader.graded_from().is_none() {
            writer.unsynced.add(writer.run.journal(), writer.run.root());
        }
        Ok((writer, saved))
    }

    /// Opens a run that can go on, under its lock.
    fn open(run: RunLayout) -> Result<Self, StoreError> {
        let reader = RunReader::open(run.clone())?;
        let record = reader.record().view();
        if record.redact_stored_responses {
            return Err(StoreError::Redacted(record.run_id.clone()));
        }
        let lock = DirectoryLock::run(run.root(), &record.run_id)?;
        let eval = run.eval().unwrap_or_else(|| EvalLayout::new(run.root()));
        // Read again under the lock: the run may have gone on since.
        let record = RunReader::open(run.clone())?.record().clone();
        let journal = Journal::new(run.journal());
        Ok(Self { eval, run, record, journal, unsynced: Unsynced::default(), is_resumed: true, _lock: lock })
    }

    /// Returns the run's directory.
    pub fn layout(&self) -> &RunLayout {
        &self.run
    }

    /// Returns the eval's directory.
    pub fn eval(&self) -> &EvalLayout {
        &self.eval
    }

    /// Returns `run.json` as last saved.
    pub fn record(&self) -> &RunRecord {
        self.record.view()
    }

    /// Returns whether answers and tool outputs are dropped from what is stored.
    pub fn is_redacted(&self) -> bool {
        self.record().redact_stored_responses
    }

    /// Saves a trial and notes it in the journal. In a redacted run its answers and tool outputs are left out.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save_trial(&mut self, trial: &Scrubbed<TrialRecord>) -> Result<(), StoreError> {
        self.replace_trial(trial)?;
        let trial = trial.get();
        self.journal.append(&TrialKey::of_trial(trial), &trial.ending)?;
        self.unsynced.add(self.run.journal(), self.run.root());
        Ok(())
    }

    /// Saves a trial again whose ending stays: grading it added something.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn replace_trial(&mut self, trial: &Scrubbed<TrialRecord>) -> Result<(), StoreError> {
        let path = self.run.trial(&TrialKey::of_trial(trial.get()));
        let bytes = if self.is_redacted() {
            let mut trial = trial.get().clone();
            redact_trial(&mut trial);
            to_bytes(&trial)
        } else {
            to_bytes(trial.get())
        };
        self.write(path, &bytes)
    }

    /// Saves a score. In a redacted run a judge's other output is left out.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_score(&mut self, score: &ScoreRecord) -> Result<(), StoreError> {
        let path = self.run.score(&score.grader, &TrialKey::of_score(score));
        let bytes = if self.is_redacted() {
            let mut score = score.clone();
            redact_score(&mut score.score);
            to_bytes(&score)
        } else {
            to_bytes(score)
        };
        self.write(path, &bytes)
    }

    /// Removes a score of a grader that a trial no longer has.
    ///
    /// # Errors
    /// When the file is there and cannot be removed.
    pub fn remove_score(&mut self, grader: &GraderName, trial: &TrialKey) -> Result<(), StoreError> {
        remove(&self.run.score(grader, trial))
    }

    /// Removes a preference that an earlier part of the run left and that holds no more, so that it is not taken for one.
    ///
    /// # Errors
    /// When the file is there and cannot be removed.
    pub fn remove_preference(
        &mut self,
        judge: &GraderName,
        variant: &VariantName,
        case_id: &CaseId,
    ) -> Result<(), StoreError> {
        remove(&self.run.preference(judge, variant, case_id))
    }

    /// Saves a preference. In a redacted run a judge's other output is left out.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_preference(&mut self, record: &PreferenceRecord) -> Result<(), StoreError> {
        let path = self.run.preference(&record.judge.as_str().into(), &record.variant, &record.case_id);
        let bytes = if self.is_redacted() {
            let mut record = record.clone();
            redact_preference(&mut record.preference);
            to_bytes(&record)
        } else {
            to_bytes(record)
        };
        self.write(path, &bytes)
    }

    /// Saves `run.json`. Fields of a newer version that a resumed run holds stay.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_run_record(&mut self, record: RunRecord) -> Result<(), StoreError> {
        self.record.set(record);
        self.write_record()
    }

    /// Saves `results.json`.
    ///
    /// # Errors
    /// When the file cannot be written; the file that was there then stays.
    pub fn save_results(&mut self, results: &Results) -> Result<(), StoreError> {
        let mut file = self.begin_results()?;
        results.cases.iter().try_for_each(|case| file.add(case.clone()))?;
        self.finish_results(file)
    }

    /// Begins a `results.json` whose cases come one by one. In a redacted run their answers and tool outputs are left out.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn begin_results(&self) -> Result<ResultsFile, StoreError> {
        ResultsFile::begin(self.run.results(), &self.record().run_id, self.is_redacted())
    }

    /// Ends a `results.json` that [`RunWriter::begin_results`] began.
    ///
    /// # Errors
    /// When the file cannot be written; the file that was there then stays.
    pub fn finish_results(&mut self, file: ResultsFile) -> Result<(), StoreError> {
        let path = file.save()?;
        self.unsynced.add(path, self.run.root());
        Ok(())
    }

    /// Saves a `results.json` with the cases that were added so far.
    ///
    /// # Errors
    /// When the file cannot be written; the file that was there then stays.
    pub fn save_results_so_far(&mut self, file: &mut ResultsFile) -> Result<(), StoreError> {
        let path = file.save_so_far()?;
        self.unsynced.add(path, self.run.root());
        Ok(())
    }

    /// Saves `summary.json`. In a redacted run the other output of pairwise judges is left out.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_summary(&mut self, summary: &Summary) -> Result<(), StoreError> {
        let is_compared = summary.variants.iter().any(|variant| variant.pairwise.is_some());
        let bytes = if self.is_redacted() && is_compared {
            let mut summary = summary.clone();
            let compared = summary.variants.iter_mut().filter_map(|variant| variant.pairwise.as_mut());
            let cases = compared.flat_map(|pairwise| &mut pairwise.cases);
            cases.flat_map(|case| &mut case.preferences).for_each(redact_preference);
            to_bytes(&summary)
        } else {
            to_bytes(summary)
        };
        self.write(self.run.summary(), &bytes)
    }

    /// Returns a reader of the run, for joining what was saved.
    ///
    /// # Errors
    /// When `run.json` cannot be read.
    pub fn reader(&self) -> Result<RunReader, StoreError> {
        RunReader::open(self.run.clone())
    }

    /// Returns what has waited a second to be synced, to be synced on another thread.
    pub fn due_sync(&mut self, now: Timestamp) -> Option<SyncBatch> {
        self.unsynced.due(now)
    }

    /// Syncs what was written, when a second has passed since the last time. Waits for the disk.
    ///
    /// # Errors
    /// When the disk reports an error.
    pub fn maybe_sync(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.unsynced.due(now).map_or(Ok(()), SyncBatch::sync)
    }

    /// Ends the writing: everything is synced, and then, last and once, an eligible run becomes `latest.json`.
    ///
    /// # Errors
    /// When the disk reports an error or `latest.json` cannot be written.
    pub fn finish(mut self, eligible: Eligible) -> Result<Finished, StoreError> {
        if self.is_resumed && self.run.journal().is_file() {
            self.journal.compact()?;
            self.unsynced.add(self.run.journal(), self.run.root());
        }
        self.unsynced.take().sync()?;
        sweep(self.run.root(), self.is_resumed)?;
        let is_latest = eligible == Eligible::Yes && become_latest(&self.eval, self.record())?;
        Ok(Finished { run: self.run, is_latest })
    }

    fn write_record(&mut self) -> Result<(), StoreError> {
        let bytes = self.record.to_bytes();
        self.write(self.run.run_record(), &bytes)
    }

    fn write(&mut self, path: std::path::PathBuf, bytes: &[u8]) -> Result<(), StoreError> {
        write_below(self.run.root(), &path, bytes)?;
        self.unsynced.add(path, self.run.root());
        Ok(())
    }
}

/// Removes a file, if it is there.
fn remove(path: &std::path::Path) -> Result<(), StoreError> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
