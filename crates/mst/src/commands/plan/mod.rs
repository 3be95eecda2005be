//! `mst plan`: how many cases and trials it takes to see a drop of some size, and what that costs. Nothing is run.

mod history;
mod screen;

use std::sync::Arc;

use mst_cli::{CliError, ExitClass, SystemClock, Ui, usage};
use mst_config::{LoadRequest, Plan, PlannedVariant, SelectionFlags, load};
use mst_measure::stats::{ChangeVariance, Design, Simulation};
use mst_model::{Clock, VariantName};
use serde_json::json;

use self::history::Evidence;
use crate::args::PlanArgs;
use crate::{builtins, error, failure};

/// Where the random numbers start: the same runs give the same figures.
const SEED: u64 = 1;

/// The most trials of a case that a budget is split into.
const MOST_TRIALS: u32 = 20;

/// The most cases that a budget is split into.
const MOST_CASES: usize = 100_000;

/// Everything that is said.
struct Planned {
    variant: VariantName,
    evidence: Evidence,
    /// The headline cases that the eval has, and how many trials the most of them have.
    now: (usize, u32),
    designs: Vec<Design>,
    cost_per_trial: Option<f64>,
    budget: Option<Budget>,
    simulation: Simulation,
}

/// What a budget buys.
struct Budget {
    usd: f64,
    /// How many trials it pays for; `None` where no cost is known.
    trials: Option<usize>,
    /// With the cases that there are.
    of_these: Option<Design>,
    /// With as many cases as it pays for.
    of_any: Option<Design>,
}

/// Prints what designs would see.
pub(crate) fn run(args: &PlanArgs, ui: &Ui) -> ExitClass {
    match plan(args) {
        Ok(planned) => {
            if args.json {
                ui.data(&planned.to_json());
            } else {
                screen::print(&planned, ui);
            }
            ExitClass::Success
        }
        Err(error) => failure::told(&error, args.json, ui),
    }
}

fn plan(args: &PlanArgs) -> Result<Planned, CliError> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let request = LoadRequest {
        config_path: args.config.clone(),
        root_dir: args.root_dir.clone(),
        output_dir: args.output_dir.clone(),
        selection: SelectionFlags::default(),
        // Nothing is run.
        allow_live_writes: true,
        catalog: builtins::catalog(clock),
    };
    let loaded = load(&request).map_err(error::diagnostics)?;
    let variant = variant(&loaded.plan, args.variant.as_deref())?;
    let found = history::find(&loaded.output_dir, &variant.name, &args.runs)?;
    let spread = args.case_spread;
    let evidence = match (args.rate, found) {
        (Some(rate), _) => Evidence::guess(rate, spread.unwrap_or(0.0)),
        (None, Some(evidence)) => evidence.with_spread(spread)?,
        (None, None) => {
            return Err(usage(format!("there is no whole, graded run of variant {} to plan from", variant.name))
                .with_hint("state a guess, such as --rate 0.85, or run the eval twice first"));
        }
    };
    evidence.refuse_stillness()?;
    let now = now(&loaded.plan, variant);
    let simulation = Simulation::seeded(SEED);
    let cost_per_trial = args.cost_per_trial.or(history::cost_per_trial(&loaded.output_dir, &variant.name)?);
    let variance = &evidence.variance;
    let (cases, trials) = (numbers_of_cases(args, now.0), numbers_of_trials(args, now.1));
    let designs = cases.iter().flat_map(|cases| trials.iter().map(move |trials| (*cases, *trials)));
    let designs = designs.map(|(cases, trials)| Design::of(cases, trials, variance, simulation)).collect();
    let budget = args.budget_usd.map(|usd| {
        let trials = cost_per_trial.map(|cost| (usd / cost * (1.0 + 1e-9)).floor() as usize);
        let best = |most_cases: usize| Design::best(trials?, most_cases, MOST_TRIALS, variance, simulation);
        Budget { usd, trials, of_these: best(now.0), of_any: best(MOST_CASES) }
    });
    let variant = variant.name.clone();
    Ok(Planned { variant, evidence, now, designs, cost_per_trial, budget, simulation })
}

fn variant<'a>(plan: &'a Plan, name: Option<&str>) -> Result<&'a PlannedVariant, CliError> {
    let wanted = name.unwrap_or(plan.baseline.as_str());
    plan.variants.iter().find(|variant| variant.name == wanted).ok_or_else(|| {
        let names = plan.variants.iter().map(|variant| variant.name.as_str());
        let error = usage(format!("the eval has no variant {wanted:?}"));
        match mst_cli::nearest(wanted, names) {
            Some(near) => error.with_hint(format!("did you mean {near:?}?")),
            None => error,
        }
    })
}

/// Returns how many headline cases a variant has and the most trials that one has.
fn now(plan: &Plan, variant: &PlannedVariant) -> (usize, u32) {
    let cases = variant.batches.iter().flat_map(|batch| batch.cases.iter().map(move |case| (batch.dataset, case)));
    let (mut all, mut guards, mut trials) = (0, 0, 1);
    for (dataset, case) in cases {
        all += 1;
        let tags = plan.datasets[dataset].cases.get(case.case).tags;
        guards += usize::from(mst_measure::compare::SideCase::is_guard(&tags));
        trials = trials.max(case.trials);
    }
    (if guards == all { all } else { all - guards }, trials)
}

fn numbers_of_cases(args: &PlanArgs, now: usize) -> Vec<usize> {
    let typed: Vec<usize> = args.cases.iter().map(|cases| *cases as usize).collect();
    sorted(if typed.is_empty() { vec![now, 2 * now, 4 * now] } else { typed })
}

fn numbers_of_trials(args: &PlanArgs, now: u32) -> Vec<u32> {
    sorted(if args.trials.is_empty() { vec![1, 3, 5, 10, now] } else { args.trials.clone() })
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

impl Planned {
    /// Returns what a design costs on one side.
    fn cost(&self, design: &Design) -> Option<f64> {
        Some(self.cost_per_trial? * design.cases as f64 * f64::from(design.trials))
    }

    fn to_json(&self) -> serde_json::Value {
        let design = |design: &Design| {
            json!({ "cases": design.cases, "trials": design.trials, "smallestDrop": design.smallest_drop,
                "costUsd": self.cost(design) })
        };
        let ChangeVariance { case, trial, is_split } = self.evidence.variance;
        let mut shown = json!({
            "variant": self.variant,
            "from": self.evidence.to_json(),
            "variance": { "case": case, "trial": trial, "split": is_split },
            "now": { "cases": self.now.0, "trials": self.now.1 },
            "power": mst_measure::stats::POWER,
            "simulation": { "test": "sign-flip", "draws": self.simulation.draws, "seed": self.simulation.seed },
            "costPerTrialUsd": self.cost_per_trial,
            "designs": self.designs.iter().map(design).collect::<Vec<_>>(),
        });
        if let Some(budget) = &self.budget {
            shown["budget"] = json!({ "usd": budget.usd, "trials": budget.trials,
                "ofTheseCases": budget.of_these.as_ref().map(design), "ofAnyCases": budget.of_any.as_ref().map(design) });
        }
        shown
    }
}
