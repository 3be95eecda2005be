//! What a variant's cases came to so far: a few numbers a case and a time a trial, whatever the transcripts weigh.

use indexmap::{IndexMap, IndexSet};
use mst_measure::{JudgeTable, judge_scores};
use mst_model::{Ending, Event, GraderName, VariantName};

use super::mixups::Mixups;
use super::outcome::Outcome;
use super::reason::Reason;
use super::trial::{State, Trial};

/// A variant, counted.
#[derive(Clone, Debug)]
pub(super) struct VariantTally {
    pub(super) name: VariantName,
    /// By the case's number, the outcome's number; `None` where the variant has no result of it.
    pub(super) cells: Vec<Option<u32>>,
    /// By the case's number, the script that holds it.
    pub(super) scripts: Vec<u32>,
    /// How long each trial took, in milliseconds, those that count for nothing left out.
    pub(super) times: Vec<f64>,
    /// Tool calls by server (`None`: the client's own) and tool.
    pub(super) calls: IndexMap<(Option<String>, String), u64>,
    pub(super) judges: JudgeTable,
    /// Trials by why they did not pass.
    pub(super) reasons: [u32; Reason::ALL.len()],
    /// Trials that failed a grader, by grader.
    pub(super) failed_graders: IndexMap<String, u32>,
    /// Infrastructure failures by what broke.
    pub(super) broke: IndexMap<String, u32>,
    pub(super) mixups: Mixups,
    /// Every attempt.
    pub(super) trials: u32,
}

impl VariantTally {
    /// Starts without a case.
    pub(super) fn new(name: VariantName) -> Self {
        Self {
            name,
            cells: Vec::new(),
            scripts: Vec::new(),
            times: Vec::new(),
            calls: IndexMap::new(),
            judges: JudgeTable::default(),
            reasons: [0; Reason::ALL.len()],
            failed_graders: IndexMap::new(),
            broke: IndexMap::new(),
            mixups: Mixups::default(),
            trials: 0,
        }
    }

    /// Takes in a case by its number, its outcome's number and the number of its script.
    pub(super) fn place(&mut self, case: usize, outcome: u32, script: u32) {
        if self.cells.len() <= case {
            self.cells.resize(case + 1, None);
            self.scripts.resize(case + 1, 0);
        }
        self.cells[case] = Some(outcome);
        self.scripts[case] = script;
    }

    /// Takes in a trial.
    pub(super) fn add(&mut self, trial: &Trial<'_>, reason: Option<Reason>) {
        self.trials += 1;
        if let Some(reason) = reason {
            self.reasons[reason as usize] += 1;
        }
        if let Some(Ending::Infrastructure { broke, .. }) = trial.ending {
            let what = serde_json::to_value(broke).ok().and_then(|what| what.as_str().map(str::to_owned));
            *self.broke.entry(what.unwrap_or_default()).or_default() += 1;
            return;
        }
        self.times.push(trial.duration_ms);
        self.judges.add(trial.scores);
        for call in trial.events().iter().filter(|event| event.is_tool_call()) {
            self.count_call(call);
        }
        if trial.state() == State::Failed {
            self.mixups.add(trial);
            let checks = trial
                .scores
                .iter()
                .filter(|(grader, _)| !is_judge(grader))
                .map(|(grader, score)| (grader.as_str(), score));
            for (name, score) in checks.chain(judge_scores(trial.scores)) {
                if !score.pass && score.skipped != Some(true) && score.error.is_none() {
                    *self.failed_graders.entry(name.to_owned()).or_default() += 1;
                }
            }
        }
    }

    fn count_call(&mut self, call: &Event) {
        let key = (call.server.as_ref().map(ToString::to_string), call.name.clone());
        *self.calls.entry(key).or_default() += 1;
    }

    /// Returns a case's outcome.
    pub(super) fn outcome(&self, case: usize, outcomes: &IndexSet<Outcome>) -> Option<Outcome> {
        let number = self.cells.get(case).copied().flatten()?;
        outcomes.get_index(number as usize).copied()
    }

    /// Returns each share of tool calls by server where there are several, else by tool, the largest first.
    pub(super) fn tools_used(&self) -> Vec<(String, f64)> {
        let servers: IndexSet<&Option<String>> = self.calls.keys().map(|(server, _)| server).collect();
        let mut sums: IndexMap<String, u64> = IndexMap::new();
        for ((server, tool), count) in &self.calls {
            let by_server = server.clone().unwrap_or_else(|| "the client's own".to_owned());
            *sums.entry(if servers.len() > 1 { by_server } else { tool.clone() }).or_default() += count;
        }
        let all: u64 = sums.values().sum();
        let mut shares: Vec<(String, f64)> =
            sums.into_iter().map(|(name, count)| (name, count as f64 / all as f64)).collect();
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        shares
    }
}

/// Whether a score is a judge's, or those of several joined.
fn is_judge(grader: &GraderName) -> bool {
    grader == "judge" || grader.as_str().starts_with("judge.")
}
