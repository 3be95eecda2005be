//! A plan on the screen.

use mst_cli::{Ui, grouped, plural, printable, table};
use mst_measure::stats::{Design, POWER};

use super::{Budget, Planned};

/// Prints the whole.
pub(super) fn print(planned: &Planned, ui: &Ui) {
    let variance = &planned.evidence.variance;
    ui.text(&format!(
        "The smallest drop of {}'s pass rate that is called worse in {} of runs:",
        printable(planned.variant.as_str()),
        mst_cli::percent(POWER)
    ));
    let rows: Vec<Vec<String>> = planned.designs.iter().map(|design| row(planned, design)).collect();
    ui.text(&table(&["", "Cases", "Trials", "In all", "Smallest drop", "Cost"], &rows, ui.width()));
    ui.text("* what the eval has now");
    for line in planned.budget.iter().flat_map(|budget| lines(planned, budget)) {
        ui.text(&line);
    }
    ui.status(&printable(&format!("From {}.", planned.evidence.words())));
    let unsplit = if variance.is_split {
        ""
    } else {
        "; with one trial a case the two are told apart by the most that trials can vary"
    };
    ui.status(&format!(
        "Variance of a case's change: {:.4} of cases, {:.4} of each trial{unsplit}.",
        variance.case, variance.trial
    ));
    ui.status(&format!(
        "Simulated by the sign-flip test itself: {} runs of each number of cases, seed {}.",
        grouped(u64::from(planned.simulation.draws)),
        planned.simulation.seed
    ));
    ui.status(match planned.cost_per_trial {
        Some(_) => "The cost is of one side: a run that compares two variants costs twice as much.",
        None => "What a trial costs is not known: no stored run has it, or the model has no price (--cost-per-trial states it).",
    });
}

fn row(planned: &Planned, design: &Design) -> Vec<String> {
    let is_now = (design.cases, design.trials) == planned.now;
    vec![
        if is_now { "*" } else { "" }.to_owned(),
        grouped(design.cases as u64),
        design.trials.to_string(),
        grouped(design.cases as u64 * u64::from(design.trials)),
        drop(design),
        planned.cost(design).map_or_else(|| "-".to_owned(), mst_cli::money),
    ]
}

/// Returns the smallest drop in words. A design that sees none is not one that sees a drop of 0.
fn drop(design: &Design) -> String {
    design.smallest_drop.map_or_else(|| "none is seen".to_owned(), |drop| format!("{:.1} points", drop * 100.0))
}

fn lines(planned: &Planned, budget: &Budget) -> Vec<String> {
    let usd = mst_cli::money(budget.usd);
    let Some(trials) = budget.trials else {
        return vec![format!("What {usd} buys cannot be told without the cost of a trial.")];
    };
    let best = |what: &str, design: &Option<Design>| match design {
        Some(design) => {
            let (cases, each) = (plural(design.cases, "case"), plural(design.trials as usize, "trial"));
            format!("  {what}: {cases} of {each}, {}", drop(design))
        }
        None => format!("  {what}: no drop is seen"),
    };
    vec![
        format!("{usd} pays for {}. Best of them:", plural(trials, "trial")),
        best(&format!("with the {} there are", plural(planned.now.0, "case")), &budget.of_these),
        best("with as many cases as one likes", &budget.of_any),
    ]
}
