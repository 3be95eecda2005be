//! A pairwise judge against people's preferences.

use mst_model::Preferred;

use super::judge_counts::{kappa, nearest};

/// People's preferences and a pairwise judge's on the same cases, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreferenceAgreement {
    /// By the person's preference, then by the judge's; each baseline, candidate, tie.
    table: [[u64; 3]; 3],
}

impl PreferenceAgreement {
    /// Takes in a case.
    pub fn add(&mut self, label: Preferred, judged: Preferred) {
        self.add_many(label, judged, 1);
    }

    /// Takes in as many cases that are alike.
    pub fn add_many(&mut self, label: Preferred, judged: Preferred, cases: u64) {
        self.table[place(label)][place(judged)] += cases;
    }

    /// Returns how many cases were taken in.
    pub fn labelled(&self) -> u64 {
        self.table.iter().flatten().sum()
    }

    /// Returns the share of cases with the same preference on both sides, a tie only with a tie; `None` of no case.
    pub fn agreement(&self) -> Option<f64> {
        self.share((0..3).map(|place| self.table[place][place]).sum())
    }

    /// Returns the share of the judge's ties; `None` of no case.
    pub fn judge_ties(&self) -> Option<f64> {
        self.share(self.table.iter().map(|judged| judged[place(Preferred::Tie)]).sum())
    }

    /// Returns Cohen's kappa over the three preferences (J. Cohen, 1960); `None` where chance alone agrees always.
    pub fn kappa(&self) -> Option<f64> {
        nearest(kappa(self.table))
    }

    fn share(&self, cases: u64) -> Option<f64> {
        let all = self.labelled();
        (all > 0).then(|| cases as f64 / all as f64)
    }
}

fn place(preferred: Preferred) -> usize {
    match preferred {
        Preferred::Baseline => 0,
        Preferred::Candidate => 1,
        Preferred::Tie => 2,
    }
}
