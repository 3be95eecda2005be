//! The answer of a comparison.

use super::change::{Assessment, PairedChange};
use super::passes::PairedCase;
use super::power::{Simulation, as_observed, smallest_drop};

/// The drop (as a share) that a comparison may leave open and still say that the candidate is not worse.
pub const MARGIN: f64 = 0.05;

/// Whether a candidate is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The paired test says worse.
    Worse,
    /// It is better, or a drop as large as the margin is outside the change's interval.
    NotWorse,
    /// The evidence allows either.
    CannotTell,
}

impl Answer {
    /// Returns what a change answers; `margin` is a share above 0.
    pub fn of(change: &PairedChange, margin: f64) -> Self {
        match change.assessment {
            Assessment::Worse => Self::Worse,
            Assessment::Better => Self::NotWorse,
            Assessment::Unclear if change.mean.is_some() && change.interval.lower > -margin => Self::NotWorse,
            Assessment::Unclear => Self::CannotTell,
        }
    }
}

/// A candidate against a baseline, with what the evidence could have shown.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The change.
    pub change: PairedChange,
    /// What it answers.
    pub answer: Answer,
    /// The margin that it was answered at.
    pub margin: f64,
    /// The smallest drop that as many cases and trials call worse in 80% of runs, by simulation; `None` when no drop would.
    pub smallest_drop: Option<f64>,
}

impl Comparison {
    /// Compares; `margin` is a share above 0, `simulation` says how the smallest drop is looked for.
    pub fn of(cases: &[PairedCase], margin: f64, simulation: Simulation) -> Self {
        let change = PairedChange::of(cases, 1);
        let answer = Answer::of(&change, margin);
        Self { answer, margin, smallest_drop: smallest_drop(&as_observed(cases), simulation), change }
    }
}
