//! Where the noise of a result comes from.

use super::mean::mean;
use super::student::sample_variance;

/// A trial's judged values: one for each time that its judge was asked (1 pass, 0 fail), or its only value.
pub type Answers = Vec<f64>;

/// The trials of a case: of one side for a rate, of both for a change (first the baseline's).
pub type CaseTrials = Vec<Vec<Answers>>;

/// How much of a result's variance each source explains, and what would help.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseShares {
    /// Cases differ: in difficulty for a rate, in their true change for a comparison.
    pub case: f64,
    /// Trials of one case differ.
    pub trial: f64,
    /// A judge answers differently about the same trial; `None` when no trial was judged twice, and then a part of `trial`.
    pub judge: Option<f64>,
    /// What lowers the largest of them.
    pub remedy: Remedy,
}

/// What lowers the noise the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// More cases.
    MoreCases,
    /// More trials of each case.
    MoreTrials,
    /// More judge reps, or a judge that is surer.
    SteadierJudge,
}

/// Returns the shares (they add up to 1) of the variance of a case's value: its mean over trials, or the candidate's less the
/// baseline's. `None` of fewer than two cases, of no case with two trials on a side, or when nothing varies.
///
/// Nested analysis of variance with components by moments (S. R. Searle and others, *Variance Components*, 1992): the pooled
/// variance of answers within trials, of trials' means within a case and side less what answers explain of it, and of cases'
/// values less what trials explain of it; each at least 0.
pub fn noise_shares(cases: &[CaseTrials]) -> Option<NoiseShares> {
    let is_whole = |case: &&CaseTrials| {
        let judged = |side: &Vec<Answers>| side.iter().any(|answers| !answers.is_empty());
        !case.is_empty() && case.iter().all(judged)
    };
    let cases: Vec<Vec<Side>> =
        cases.iter().filter(is_whole).map(|case| case.iter().map(|side| Side::of(side)).collect()).collect();
    let values: Vec<f64> = cases.iter().map(|sides| value(sides)).collect();
    let total = sample_variance(&values)?;
    let sides = || cases.iter().flatten();
    let within_trials = pooled(sides().flat_map(|side| &side.trials).map(|trial| trial.answers));
    let within_cases = pooled(sides().map(|side| side.spread))?;

    // What one case's value carries of each, on average over cases.
    let carried = |of: &dyn Fn(&Side) -> f64| mean(cases.iter().map(|sides| sides.iter().map(of).sum())).unwrap_or(0.0);
    let by_answers = within_trials.map(|variance| variance * carried(&Side::answer_weight));
    let answers = by_answers.unwrap_or(0.0);
    let by_trials = (within_cases * carried(&|side| 1.0 / side.trials.len() as f64) - answers).max(0.0);
    let by_cases = (total - by_trials - answers).max(0.0);
    let all = by_cases + by_trials + answers;
    if all <= 0.0 {
        return None;
    }
    let (case, trial, judge) = (by_cases / all, by_trials / all, by_answers.map(|variance| variance / all));
    let remedy = if judge.is_some_and(|judge| judge >= case.max(trial)) {
        Remedy::SteadierJudge
    } else if trial >= case {
        Remedy::MoreTrials
    } else {
        Remedy::MoreCases
    };
    Some(NoiseShares { case, trial, judge, remedy })
}

/// A sum of squares and its degrees of freedom.
type Spread = (f64, f64);

/// A trial's answers.
struct Trial {
    mean: f64,
    asked: f64,
    answers: Spread,
}

/// The trials of a case on one side.
struct Side {
    mean: f64,
    trials: Vec<Trial>,
    spread: Spread,
}

impl Side {
    fn of(trials: &[Answers]) -> Self {
        let trials: Vec<Trial> = trials
            .iter()
            .filter_map(|answers| {
                let centre = mean(answers.iter().copied())?;
                Some(Trial { mean: centre, asked: answers.len() as f64, answers: spread(answers, centre) })
            })
            .collect();
        let means: Vec<f64> = trials.iter().map(|trial| trial.mean).collect();
        let centre = mean(means.iter().copied()).unwrap_or_default();
        Self { mean: centre, spread: spread(&means, centre), trials }
    }

    /// Returns the share of one answer's variance in this side's mean.
    fn answer_weight(&self) -> f64 {
        self.trials.iter().map(|trial| 1.0 / trial.asked).sum::<f64>() / (self.trials.len() as f64).powi(2)
    }
}

fn value(sides: &[Side]) -> f64 {
    match sides {
        [baseline, candidate, ..] => candidate.mean - baseline.mean,
        _ => sides.first().map_or(0.0, |side| side.mean),
    }
}

fn spread(values: &[f64], centre: f64) -> Spread {
    (values.iter().map(|value| (value - centre).powi(2)).sum(), values.len() as f64 - 1.0)
}

/// Returns the pooled variance; `None` where there is no degree of freedom.
fn pooled(spreads: impl Iterator<Item = Spread>) -> Option<f64> {
    let (squares, degrees) = spreads.fold((0.0, 0.0), |(s, d), (squares, degrees)| (s + squares, d + degrees));
    (degrees > 0.0).then(|| squares / degrees)
}
