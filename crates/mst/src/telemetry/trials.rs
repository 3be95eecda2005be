//! A stored run's trials with their scores and verdicts, one at a time.

use std::path::PathBuf;

use indexmap::IndexMap;
use mst_measure::trial_verdict;
use mst_model::Phase;
use mst_otlp::GradedTrial;
use mst_store::{Graders, RunReader, StoreError, TrialKey};

/// Reads a run's trials in the order of their paths: by variant, case and trial. Needs memory for one.
pub(crate) struct StoredTrials<'a> {
    reader: &'a RunReader,
    paths: std::vec::IntoIter<PathBuf>,
    graders: Graders,
    graded: bool,
}

impl<'a> StoredTrials<'a> {
    /// Lists the trials; none is read yet.
    pub(crate) fn of(reader: &'a RunReader) -> Result<Self, StoreError> {
        Ok(Self {
            reader,
            paths: reader.trial_paths()?.into_iter(),
            graders: reader.graders()?,
            graded: reader.record().view().phases.grade != Phase::Skipped,
        })
    }

    fn read(&self, path: &std::path::Path) -> Result<GradedTrial, StoreError> {
        let trial = self.reader.trial_view_at(path)?;
        let scores = self.reader.score_views(&TrialKey::of_trial(&trial), &self.graders)?;
        let scores: IndexMap<_, _> = scores.into_iter().map(|(grader, record)| (grader, record.score)).collect();
        let pass = trial_verdict(&trial, &scores, self.graded).pass();
        Ok(GradedTrial { trial, scores, pass })
    }
}

impl Iterator for StoredTrials<'_> {
    type Item = Result<GradedTrial, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let path = self.paths.next()?;
        Some(self.read(&path))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.paths.size_hint()
    }
}

impl ExactSizeIterator for StoredTrials<'_> {}
