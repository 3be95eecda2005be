//! A stored run as a comparison reads it: found by its name, checked, and read without its transcripts.

use std::path::Path;

use indexmap::IndexMap;
use mst_cli::{CliError, ExitClass};
use mst_measure::compare::{Side, SideCase};
use mst_measure::stats::Answers;
use mst_model::{GraderName, Phase, RunRecord, VariantName, VariantRecord};
use mst_store::{CaseOutcome, OutcomeScore, RunLayout, RunReader};

use super::super::stored_run::{find_stored, store_error};

/// The numbers that judges' identities have in one comparison.
pub(super) type Identities = IndexMap<String, u32>;

/// A run that was found, with the variant that its name ends in.
pub(super) struct Named {
    pub(super) reader: RunReader,
    pub(super) variant: Option<VariantName>,
}

impl Named {
    /// Finds `RUN` or `RUN:VARIANT`. What is a run as it stands is one, whatever colons it has.
    pub(super) fn find(text: &str, eval_dir: Option<&Path>) -> Result<Self, CliError> {
        let whole = match find_stored(text, eval_dir) {
            Ok(layout) => return Self::open(layout, None),
            Err(error) => error,
        };
        for (at, _) in text.rmatch_indices(':') {
            if let Ok(layout) = find_stored(&text[..at], eval_dir) {
                return Self::open(layout, Some(VariantName::from(&text[at + 1..])));
            }
        }
        Err(whole)
    }

    /// Opens the run in a directory.
    pub(super) fn at(directory: &Path) -> Result<Self, CliError> {
        Self::open(RunLayout::new(directory), None)
    }

    fn open(layout: RunLayout, variant: Option<VariantName>) -> Result<Self, CliError> {
        let reader = RunReader::open(layout).map_err(|error| store_error(&error))?;
        let id = reader.id();
        let refuse = |what: String, hint: String| Err(CliError::new(ExitClass::Usage, what).with_hint(hint));
        if reader.record().view().phases.grade == Phase::Skipped {
            return refuse(
                format!("run {id} was collected and not graded, so it has no rates"),
                format!("grade it first: mst grade {id} --config FILE"),
            );
        }
        if !reader.layout().results().is_file() {
            return refuse(
                format!("run {id} stopped before it had results"),
                format!("collect what it lacks first: mst run --resume {id} --config FILE"),
            );
        }
        Ok(Self { reader, variant })
    }

    /// Reads what the cases came to.
    pub(super) fn read(self, identities: &mut Identities) -> Result<StoredRun, CliError> {
        let mut sides: IndexMap<VariantName, Side> = IndexMap::new();
        let read = self.reader.each_outcome(|case| {
            let side = sides.entry(case.variant.clone()).or_default();
            let (id, case) = (case.id.clone(), side_case(&case, identities));
            side.insert(id, case);
        });
        read.map_err(|error| store_error(&error))?;
        Ok(StoredRun { reader: self.reader, sides, none: Side::new() })
    }
}

/// A run with its cases by variant.
pub(super) struct StoredRun {
    reader: RunReader,
    sides: IndexMap<VariantName, Side>,
    none: Side,
}

impl StoredRun {
    pub(super) fn id(&self) -> &str {
        self.reader.id().as_str()
    }

    pub(super) fn record(&self) -> &RunRecord {
        self.reader.record().view()
    }

    /// Returns a variant's cases; none where the run has no result of it.
    pub(super) fn side(&self, variant: &VariantName) -> &Side {
        self.sides.get(variant).unwrap_or(&self.none)
    }

    pub(super) fn variant(&self, name: &VariantName) -> Option<&VariantRecord> {
        self.record().variants.iter().find(|variant| variant.name == *name)
    }
}

fn side_case(case: &CaseOutcome, identities: &mut Identities) -> SideCase {
    let trials = case.trials();
    let counted = trials.iter().filter_map(|(pass, scores)| Some(((*pass)?, *scores)));
    let mut judges: Vec<u32> = Vec::new();
    for score in trials.iter().flat_map(|(_, scores)| scores.values()) {
        let each = score.judge_results.as_deref().unwrap_or(std::slice::from_ref(score));
        for identity in each.iter().filter_map(|score| score.judge_identity.as_deref()) {
            let next = identities.len() as u32;
            judges.push(*identities.entry(identity.to_owned()).or_insert(next));
        }
    }
    judges.sort_unstable();
    judges.dedup();
    SideCase {
        pass: case.verdict(),
        is_regression: case.tags.as_deref().is_some_and(SideCase::is_guard),
        trials: counted.map(|(pass, scores)| answers(pass, scores)).collect(),
        passes: case.passes(),
        judges,
        question: case.question(),
    }
}

/// Returns what a trial's judge answered each time it was asked, where it alone decided and each answer was yes or no; else
/// the verdict.
fn answers(pass: bool, scores: &IndexMap<GraderName, OutcomeScore>) -> Answers {
    let mut judged = scores.values().filter(|score| score.judge_identity.is_some());
    let (only, more) = (judged.next(), judged.next());
    let others_passed = scores.values().all(|score| score.judge_identity.is_some() || score.pass);
    let reps = only.filter(|only| more.is_none() && only.judge_results.is_none() && others_passed);
    match reps.and_then(|score| score.scores.as_ref()) {
        Some(reps) if reps.iter().all(|score| [0.0, 1.0].contains(score)) => reps.clone(),
        _ => vec![f64::from(u8::from(pass))],
    }
}
