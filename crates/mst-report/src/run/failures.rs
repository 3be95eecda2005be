//! Why trials failed, by variant, and which tools were mixed up.

use indexmap::{IndexMap, IndexSet};

use super::comparison::Standing;
use super::mixups::{Matrix, Mixups};
use super::reason::Reason;
use super::tally::VariantTally;
use crate::page::Chart;
use crate::text::Shown;
use crate::text::number::percent;

/// How many graders a list shows.
const GRADERS: usize = 12;

/// A reason, with how many trials of each variant have it.
pub(super) struct ReasonRow {
    pub(super) name: &'static str,
    pub(super) means: &'static str,
    /// Its number, for the page's filter.
    pub(super) number: usize,
    pub(super) counts: Vec<ReasonCount>,
}

/// How many trials have a reason.
pub(super) struct ReasonCount {
    pub(super) count: u32,
    pub(super) share: f64,
    pub(super) shown: String,
}

/// Everything about failures.
pub(super) struct Failures {
    pub(super) reasons: Vec<ReasonRow>,
    /// Graders that failed trials, with how many of each variant.
    pub(super) graders: Vec<(Shown, Vec<u32>)>,
    /// What broke, with how many trials of each variant.
    pub(super) broke: Vec<(Shown, Vec<u32>)>,
    pub(super) matrix: Option<Matrix>,
}

impl Failures {
    /// Gathers them.
    pub(super) fn of(standings: &[Standing<'_>]) -> Self {
        let reasons = Reason::ALL.into_iter().enumerate().map(|(number, reason)| ReasonRow {
            name: reason.name(),
            means: reason.means(),
            number,
            counts: standings.iter().map(|standing| count(standing, reason)).collect(),
        });
        let mut mixups = Mixups::default();
        for standing in standings {
            mixups.join(&standing.tally.mixups);
        }
        let mut graders = table(standings, |tally| &tally.failed_graders);
        graders.truncate(GRADERS);
        Self {
            reasons: reasons.filter(|row| row.counts.iter().any(|count| count.count > 0)).collect(),
            graders,
            broke: table(standings, |tally| &tally.broke),
            matrix: mixups.matrix(),
        }
    }
}

fn count(standing: &Standing<'_>, reason: Reason) -> ReasonCount {
    let count = standing.tally.reasons[reason as usize];
    let share = f64::from(count) / f64::from(standing.tally.trials.max(1));
    ReasonCount { count, share, shown: percent(share) }
}

impl ReasonCount {
    /// Draws its share.
    pub(super) fn bar(&self) -> Chart {
        Chart::bar(self.share)
    }
}

/// Joins counts by name, the largest first.
fn table(
    standings: &[Standing<'_>],
    counts: impl Fn(&VariantTally) -> &IndexMap<String, u32>,
) -> Vec<(Shown, Vec<u32>)> {
    let names: IndexSet<&String> = standings.iter().flat_map(|standing| counts(standing.tally).keys()).collect();
    let count = |name: &String, standing: &Standing<'_>| counts(standing.tally).get(name).copied().unwrap_or(0);
    let row = |name: &String| (Shown::line(name), standings.iter().map(|standing| count(name, standing)).collect());
    let mut rows: Vec<(Shown, Vec<u32>)> = names.into_iter().map(row).collect();
    rows.sort_by_key(|(_, each)| std::cmp::Reverse(each.iter().sum::<u32>()));
    rows
}
