//! Whether a trial passed: the one place that says so.

use indexmap::IndexMap;
use mst_model::{GraderName, GraderScore, TrialRecord};

/// What a trial counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrialVerdict {
    /// An infrastructure failure: it counts for nothing.
    Infrastructure,
    /// Neither passed nor failed: a grader gave no verdict, or the run was not graded.
    Ungraded,
    /// The client ran without an error, and every grader passed.
    Passed,
    /// The client had an error, or a grader failed.
    Failed,
}

impl TrialVerdict {
    /// Returns whether the trial counts in pass rates.
    pub fn is_counted(self) -> bool {
        matches!(self, Self::Passed | Self::Failed)
    }

    /// Returns whether the trial passed; `None` when it is neither passed nor failed.
    pub fn pass(self) -> Option<bool> {
        self.is_counted().then_some(self == Self::Passed)
    }
}

/// Returns what a trial counts as. `graded` is false for a run that was collected and not graded.
///
/// One failed grader is enough for a fail, also when another gave no verdict. A judge that could not tell does not pass;
/// a skipped one counts for nothing. A trial without graders passes when its client had no error.
pub fn trial_verdict(trial: &TrialRecord, scores: &IndexMap<GraderName, GraderScore>, graded: bool) -> TrialVerdict {
    if trial.ending.is_infrastructure() {
        return TrialVerdict::Infrastructure;
    }
    if !graded {
        return TrialVerdict::Ungraded;
    }
    let states: Vec<ScoreState> = scores.values().map(ScoreState::of).collect();
    if client_errored(trial) || states.contains(&ScoreState::NotPassed) {
        TrialVerdict::Failed
    } else if trial.grading_error.is_some() || states.contains(&ScoreState::NoVerdict) {
        TrialVerdict::Ungraded
    } else {
        TrialVerdict::Passed
    }
}

/// Returns whether the client reported an error, which alone fails a trial.
///
/// A trial's own `error` is the client's too, unless it only repeats the grading error.
pub fn client_errored(trial: &TrialRecord) -> bool {
    let own = trial.error.is_some() && (trial.grading_error.is_none() || trial.transcript.is_none());
    trial.client_error().is_some() || own
}

/// Returns whether a grader gave no verdict on a trial that could be graded: then the run's grading is partial.
pub fn lacks_verdict(trial: &TrialRecord, scores: &IndexMap<GraderName, GraderScore>) -> bool {
    let open = || scores.values().any(|score| ScoreState::of(score) == ScoreState::NoVerdict);
    !trial.ending.is_infrastructure() && !client_errored(trial) && (trial.grading_error.is_some() || open())
}

/// What one score says of its trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScoreState {
    Skipped,
    NoVerdict,
    Passed,
    NotPassed,
}

impl ScoreState {
    fn of(score: &GraderScore) -> Self {
        if score.skipped == Some(true) {
            Self::Skipped
        } else if score.error.is_some() {
            Self::NoVerdict
        } else if score.pass && score.unknown != Some(true) {
            Self::Passed
        } else {
            Self::NotPassed
        }
    }
}

#[cfg(test)]
mod tests {
    use mst_model::{Broke, Ending, Transcript};

    use super::*;
    use crate::row::tests::trial;

    #[test]
    fn one_fail_is_enough_and_a_missing_verdict_is_not() {
        use TrialVerdict::{Failed, Infrastructure, Passed, Ungraded};
        let passed = GraderScore::passed;
        let failed = || GraderScore::failed("no");
        let none = || GraderScore::no_verdict("timed out");
        let skipped = || GraderScore { skipped: Some(true), ..failed() };
        let unknown = || GraderScore { unknown: Some(true), ..failed() };
        let infra = Ending::retryable(Broke::Network, "gone");
        // (ending, client error, grading error, scores, verdict, whether a verdict is lacking)
        for (number, (ending, error, grading, scores, want, lacks)) in [
            (Ending::Trial, false, false, vec![], Passed, false),
            (Ending::Trial, false, false, vec![passed()], Passed, false),
            (Ending::Trial, false, false, vec![passed(), failed()], Failed, false),
            (Ending::Trial, true, false, vec![passed()], Failed, false),
            (Ending::Trial, true, true, vec![], Failed, false),
            (Ending::Trial, false, true, vec![passed()], Ungraded, true),
            (Ending::Trial, false, true, vec![failed()], Failed, true),
            (Ending::Trial, false, false, vec![passed(), none()], Ungraded, true),
            (Ending::Trial, false, false, vec![failed(), none()], Failed, true),
            (Ending::Trial, false, false, vec![skipped()], Passed, false),
            (Ending::Trial, false, false, vec![unknown()], Failed, false),
            (infra, false, false, vec![failed()], Infrastructure, false),
        ]
        .into_iter()
        .enumerate()
        {
            let mut trial = trial();
            trial.ending = ending;
            trial.transcript = Some(Transcript { error: error.then(|| "broken".to_owned()), ..Transcript::default() });
            if grading {
                trial.grading_error = Some("regex: timed out".to_owned());
                trial.error = Some("Not graded: regex: timed out".to_owned());
            }
            let scores: IndexMap<GraderName, GraderScore> = scores
                .into_iter()
                .enumerate()
                .map(|(n, score)| (GraderName::new(format!("judge.{n}")), score))
                .collect();
            assert_eq!(trial_verdict(&trial, &scores, true), want, "row {number}");
            assert_eq!(lacks_verdict(&trial, &scores), lacks, "row {number}");
        }
    }

    #[test]
    fn an_ungraded_run_has_no_verdicts() {
        assert_eq!(trial_verdict(&trial(), &IndexMap::new(), false), TrialVerdict::Ungraded);
        let mut broken = trial();
        broken.error = Some("the client stopped".to_owned());
        broken.transcript = None;
        assert_eq!(trial_verdict(&broken, &IndexMap::new(), true), TrialVerdict::Failed);
    }
}
