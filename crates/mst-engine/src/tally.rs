//! What the cases of a run came to: what the run's end says of them, and which exit code follows.

use std::collections::BTreeSet;

use mst_measure::lacks_verdict;
use mst_model::{Ending, GraderScore};

use crate::incomplete::{IncompleteCase, IncompleteCases};
use crate::join::JoinedCase;
use crate::outcome::{Failure, Shortfall};
use crate::pairwise::Compared;
use crate::previous::CaseEnds;

/// The most failures that an outcome names.
const NAMED_FAILURES: usize = 50;

/// What the cases of a run came to, gathered while they are joined.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) failed_cases: usize,
    /// The first of them.
    pub(crate) failures: Vec<Failure>,
    pub(crate) incomplete: IncompleteCases,
    pub(crate) shortfalls: BTreeSet<Shortfall>,
    /// Whether a verdict is missing.
    pub(crate) ungraded: bool,
    /// Whether a trial is missing.
    pub(crate) missing: bool,
    /// How each case ended.
    pub(crate) ends: CaseEnds,
}

impl Tally {
    /// Notes what the comparisons lack.
    pub(crate) fn compared(&mut self, compared: &Compared) {
        if compared.lacks_preference() {
            self.ungraded = true;
            self.shortfalls.insert(Shortfall::Judge);
        }
    }

    /// Takes a case in.
    pub(crate) fn add(&mut self, joined: &JoinedCase, graded: bool) {
        let result = &joined.result;
        let incomplete = result.incomplete == Some(true);
        self.ends.add(result, &joined.rows);
        self.missing |= joined.records.len() < joined.wanted as usize;
        self.ungraded |=
            joined.records.iter().zip(&joined.scores).any(|(record, scores)| lacks_verdict(record, scores));
        self.shortfalls.extend(joined.records.iter().filter_map(Shortfall::of));
        let failed = if graded { result.pass == Some(false) && !incomplete } else { incomplete };
        if failed {
            self.failed_cases += 1;
            if self.failures.len() < NAMED_FAILURES {
                self.failures.push(Failure {
                    variant: result.variant.clone(),
                    case_id: result.id.clone(),
                    why: why_failed(joined),
                });
            }
        }
        if incomplete {
            if joined.records.len() < joined.wanted as usize {
                self.shortfalls.insert(Shortfall::Other);
            }
            let case = IncompleteCase { variant: result.variant.clone(), case_id: result.id.clone() };
            let (reason, retryable) = why_incomplete(joined);
            self.incomplete.add(case, reason, retryable);
        }
    }
}

/// Returns what the first trial that did not pass says of itself.
fn why_failed(joined: &JoinedCase) -> String {
    let trials = joined.records.iter().zip(&joined.scores);
    let mut reasons = trials.filter_map(|(record, scores)| {
        if let Some(error) = record.error.as_ref().or(record.transcript.as_ref().and_then(|t| t.error.as_ref())) {
            return Some(error.clone());
        }
        let is_fail = |score: &GraderScore| !score.pass && score.error.is_none() && score.skipped != Some(true);
        let (grader, score) = scores.iter().find(|(_, score)| is_fail(score))?;
        let said: Vec<&str> = score.details.iter().chain(&score.reasoning).map(String::as_str).collect();
        let why = if said.is_empty() { "did not pass".to_owned() } else { said.join(": ") };
        Some(format!("{grader}: {why}"))
    });
    reasons.next().unwrap_or_default()
}

/// Returns what the first trial that does not count says, and whether collecting again can help.
fn why_incomplete(joined: &JoinedCase) -> (String, bool) {
    let broken = joined.records.iter().find_map(|record| match &record.ending {
        Ending::Infrastructure { reason, retryable, .. } => Some((reason.clone(), *retryable)),
        Ending::Trial => record.grading_error.clone().map(|error| (format!("not graded: {error}"), true)),
    });
    broken.unwrap_or_else(|| ("a trial is missing".to_owned(), true))
}
