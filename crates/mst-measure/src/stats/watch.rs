//! A comparison that is watched while its cases finish, and the looks that were taken at it.

use super::change::{Assessment, PairedChange};
use super::passes::PairedCase;
use super::sequential::{Look, looks};

/// What part of the planned cases has to be finished for each look.
const LOOKS_AT: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// The chance of a false decision, of both sides together, over all looks.
pub const LEVEL: f64 = 0.05;

/// A look that was taken.
#[derive(Clone, Debug)]
pub struct LookTaken {
    /// The boundary.
    pub look: Look,
    /// The paired change of the cases that were finished.
    pub change: PairedChange,
    /// What it decided; `None` when it went on.
    pub decided: Option<Assessment>,
}

/// Watches a candidate beside a baseline, in an order of cases that was fixed before and does not depend on results.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    planned: usize,
    /// How many of [`LOOKS_AT`] are over.
    over: usize,
    taken: Vec<LookTaken>,
}

impl Watch {
    /// Begins with as many cases as are planned.
    pub fn new(planned: usize) -> Self {
        Self { planned, ..Self::default() }
    }

    /// Returns how many cases have to be finished for the next look; `None` when there is no further one.
    pub fn next_look(&self) -> Option<usize> {
        let fraction = LOOKS_AT.get(self.over)?;
        Some(((self.planned as f64 * fraction).ceil() as usize).max(1))
    }

    /// Takes a look at the first cases of the order, when they are enough for one. `None` in the list is a case that has no
    /// verdict on a side: it tells nothing, so that the information is what the others are of the planned cases.
    ///
    /// Returns what was decided; nothing is looked at after a decision.
    pub fn look(&mut self, finished: &[Option<PairedCase>]) -> Option<Assessment> {
        if self.decided().is_some() || self.next_look().is_none_or(|cases| finished.len() < cases) {
            return self.decided();
        }
        while self.next_look().is_some_and(|cases| finished.len() >= cases) {
            self.over += 1;
        }
        let told: Vec<PairedCase> = finished.iter().flatten().copied().collect();
        let mut fractions: Vec<f64> = self.taken.iter().map(|taken| taken.look.fraction).collect();
        fractions.push(told.len() as f64 / self.planned as f64);
        // Without more information than at the last look there is nothing to look at.
        let look = looks(&fractions, LEVEL).ok().and_then(|mut looks| looks.pop())?;
        let change = PairedChange::of(&told, 1);
        let decided = look.decides(&change);
        self.taken.push(LookTaken { look, change, decided });
        decided
    }

    /// Returns what was decided, if anything was.
    pub fn decided(&self) -> Option<Assessment> {
        self.taken.last()?.decided
    }

    /// Returns the looks that were taken, in order.
    pub fn taken(&self) -> &[LookTaken] {
        &self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Passes;

    fn case(old: u64, new: u64) -> PairedCase {
        let passes = |passed| Passes { passed, counted: 1 };
        PairedCase { baseline: passes(old), candidate: passes(new) }
    }

    #[test]
    fn looks_are_taken_at_each_quarter_until_one_decides() {
        let mut watch = Watch::new(40);
        let cases = vec![Some(case(1, 0)); 40];
        let mut seen = Vec::new();
        for finished in 1..=40 {
            if let Some(assessment) = watch.look(&cases[..finished]) {
                seen.push((finished, assessment));
            }
        }
        // 10 of 10 that broke have a p of 2^-10, and the first look asks for less.
        assert_eq!(watch.taken().iter().map(|taken| taken.change.cases).collect::<Vec<_>>(), [10, 20]);
        assert_eq!((seen[0], seen.len()), ((20, Assessment::Worse), 21), "what was decided stays so");
        let bounds: Vec<f64> = watch.taken().iter().map(|taken| taken.look.p).collect();
        assert!((bounds[0] - 0.000_007_4).abs() < 1e-7 && (bounds[1] - 0.001_525).abs() < 1e-5, "{bounds:?}");
    }

    #[test]
    fn a_case_without_a_verdict_is_no_information() {
        let mut watch = Watch::new(8);
        let cases = [None, None, Some(case(1, 0)), Some(case(1, 0)), None, None, Some(case(1, 0)), Some(case(1, 0))];
        assert_eq!((watch.look(&cases[..2]), watch.taken().len()), (None, 0));
        assert_eq!(watch.look(&cases[..4]), None);
        assert_eq!(watch.look(&cases), None);
        let fractions: Vec<f64> = watch.taken().iter().map(|taken| taken.look.fraction).collect();
        assert_eq!(fractions, [0.25, 0.5]);
        assert_eq!(watch.next_look(), None);
    }
}
