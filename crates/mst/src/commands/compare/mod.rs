//! `mst compare`: whether a stored run or variant is worse than another. Nothing is started and nothing is asked.

mod differences;
mod document;
mod gate;
mod headline;
mod pairing;
mod screen;
mod stored;

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use mst_cli::{CliError, ExitClass, SystemClock, Ui};
use mst_measure::compare::{CaseComparison, side_rates};
use mst_measure::stats::{Answer, Simulation};
use mst_model::{Clock, VariantName};

pub(crate) use self::gate::against_baseline;
pub(crate) use self::headline::headline_pairs;
use self::pairing::Pair;
use self::stored::{Named, StoredRun};
use super::target::load_eval;
use crate::args::CompareArgs;
use crate::failure;

/// Where the random numbers of the smallest drop start: the same runs give the same figures.
const SEED: u64 = 1;

/// A candidate variant against a baseline one.
struct Compared {
    baseline: VariantName,
    candidate: VariantName,
    cases: CaseComparison,
    answer: Answer,
    /// Whether judges differ, which leaves no answer.
    is_rejudged: bool,
    /// The candidate's case pass rate, and by how much it is above the baseline's.
    pass_rate: Option<f64>,
    pass_rate_delta: Option<f64>,
    trial_pass_rate_delta: Option<f64>,
    warnings: Vec<String>,
}

/// Everything that is said.
struct Comparisons {
    baseline: StoredRun,
    candidate: StoredRun,
    same_config: bool,
    /// What holds for the runs as a whole.
    warnings: Vec<String>,
    compared: Vec<Compared>,
}

/// Prints what stands against what.
pub(crate) fn run(args: &CompareArgs, ui: &Ui) -> ExitClass {
    let comparisons = match compare(args) {
        Ok(comparisons) => comparisons,
        Err(error) => return failure::told(&error, args.json, ui),
    };
    if args.json {
        ui.data(&document::of(&comparisons, args.margin));
    } else {
        screen::print(&comparisons, args.margin, ui);
    }
    ExitClass::first(comparisons.compared.iter().map(|compared| class(compared.answer)))
}

/// Returns the exit class of an answer.
fn class(answer: Answer) -> ExitClass {
    match answer {
        Answer::Worse => ExitClass::Failed,
        Answer::NotWorse => ExitClass::Success,
        Answer::CannotTell => ExitClass::Incomplete,
    }
}

/// Returns an answer in words.
fn words(answer: Answer) -> &'static str {
    match answer {
        Answer::Worse => "worse",
        Answer::NotWorse => "not worse",
        Answer::CannotTell => "cannot tell",
    }
}

fn compare(args: &CompareArgs) -> Result<Comparisons, CliError> {
    let eval_dir = match (&args.config, &args.output_dir) {
        (Some(config), _) => {
            let clock: Arc<dyn Clock> = Arc::new(SystemClock);
            Some(load_eval(config, Path::new("."), &clock)?.output_dir)
        }
        (None, given) => given.clone(),
    };
    let old = Named::find(&args.baseline, eval_dir.as_deref())?;
    let new = Named::find(&args.candidate, eval_dir.as_deref())?;
    let pairs = pairing::pairs(&old, &new, args.baseline_variant.as_deref(), &args.variant)?;
    let mut identities = IndexMap::new();
    let (old, new) = (old.read(&mut identities)?, new.read(&mut identities)?);
    let compared = pairs.into_iter().map(|pair| one(&old, &new, pair, args.margin)).collect::<Result<Vec<_>, _>>()?;
    let warnings = differences::of_runs(&old, &new);
    let same_config = old.record().content_hash == new.record().content_hash;
    Ok(Comparisons { same_config, warnings, compared, baseline: old, candidate: new })
}

fn one(old: &StoredRun, new: &StoredRun, pair: Pair, margin: f64) -> Result<Compared, CliError> {
    differences::refuse_offline(old, new, &pair)?;
    let (baseline, candidate) = (old.side(&pair.baseline), new.side(&pair.candidate));
    let cases = CaseComparison::of(baseline, candidate, margin, Simulation::seeded(SEED)).ok_or_else(|| {
        let message =
            format!("{} of {} and {} of {} have no case in common", pair.baseline, old.id(), pair.candidate, new.id());
        CliError::new(ExitClass::Usage, message)
            .with_hint("cases are matched by their ids; compare runs of one dataset")
    })?;
    let is_rejudged = !cases.rejudged.is_empty() || differences::has_other_judges(old, new, &pair);
    let less = |new: Option<f64>, old: Option<f64>| Some(new? - old?);
    let ((old_rate, old_trials), (rate, trials)) = (side_rates(baseline), side_rates(candidate));
    Ok(Compared {
        answer: cases.answer(is_rejudged),
        warnings: differences::of_pair(old, new, &pair, &cases, is_rejudged),
        is_rejudged,
        pass_rate: rate,
        pass_rate_delta: less(rate, old_rate),
        trial_pass_rate_delta: less(trials, old_trials),
        baseline: pair.baseline,
        candidate: pair.candidate,
        cases,
    })
}
