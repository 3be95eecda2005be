//! A report that is being made: cases come one at a time, and what is shown of their trials leaves at once.

use std::collections::HashMap;

use indexmap::IndexSet;
use mst_model::{CaseId, CaseResult, Preference, RunRecord, Summary, VariantName};

use super::case::CaseView;
use super::index::{CaseList, Index};
use super::outcome::Outcome;
use super::page::page;
use super::reason::Reason;
use super::scores::Words;
use super::script::{Script, json};
use super::tally::VariantTally;
use super::trial::Trial;

/// How many trials a script holds; one with more has a single case.
const TRIALS: usize = 200;

/// The version of the builder: one more whenever what a report shows, or how its files are read, changes.
pub const REPORT_BUILDER: u32 = 1;

/// What a page was made by and of: a report with another is made again.
#[derive(Clone, Debug)]
pub struct ReportKey {
    /// Says which contents the report shows, and which builder made it.
    pub stamp: String,
    /// What scripts must have to run: another in each report, and known to nobody before it is made.
    pub nonce: String,
}

/// A report that takes in a run's cases.
#[derive(Debug)]
pub struct RunReport<'a> {
    pub(super) record: &'a RunRecord,
    pub(super) summary: Option<&'a Summary>,
    pub(super) key: ReportKey,
    pub(super) cases: CaseList,
    pub(super) outcomes: IndexSet<Outcome>,
    pub(super) variants: Vec<VariantTally>,
    preferences: HashMap<(&'a VariantName, &'a CaseId), &'a [Preference]>,
    words: Words,
    /// The cases of the next script.
    open: Vec<String>,
    open_trials: usize,
    scripts: u32,
}

/// The files of a report that are made at its end.
#[derive(Debug)]
pub struct Finished {
    /// `index.html`.
    pub page: String,
    /// The last scripts, of cases and of the index.
    pub scripts: Vec<Script>,
    /// How many scripts of cases there are in all.
    pub case_scripts: u32,
}

impl<'a> RunReport<'a> {
    /// Begins the report of a run. A run that stopped before its first variant ended has no summary and no cases.
    pub fn new(record: &'a RunRecord, summary: Option<&'a Summary>, key: ReportKey) -> Self {
        let pairwise = summary.into_iter().flat_map(|summary| &summary.variants);
        let preferences = pairwise.filter_map(|variant| Some((&variant.name, variant.pairwise.as_ref()?))).flat_map(
            |(name, pairwise)| pairwise.cases.iter().map(move |case| ((name, &case.id), case.preferences.as_slice())),
        );
        Self {
            record,
            summary,
            key,
            cases: CaseList::default(),
            outcomes: IndexSet::new(),
            variants: record.variants.iter().map(|variant| VariantTally::new(variant.name.clone())).collect(),
            preferences: preferences.collect(),
            words: Words { hidden: record.redact_stored_responses },
            open: Vec::new(),
            open_trials: 0,
            scripts: 0,
        }
    }

    /// Takes in a case, and returns a script when one is full.
    pub fn add(&mut self, result: &CaseResult) -> Option<Script> {
        let trials: Vec<_> = Trial::all(result).into_iter().map(|trial| (trial, Reason::of(&trial))).collect();
        let full = self.open_trials > 0 && self.open_trials + trials.len() > TRIALS;
        let script = full.then(|| self.script());
        let tags = result.tags.as_deref().unwrap_or_default();
        let prompt = result.request.input.as_deref().unwrap_or_default();
        let case = self.cases.number(&result.id, &result.dataset_name, tags, prompt);
        let outcome = self.outcomes.insert_full(Outcome::of(result, &trials)).0 as u32;
        let variant = self.variant(&result.variant);
        let preferences = self.preferences.get(&(&result.variant, &result.id)).copied().unwrap_or_default();
        let view = CaseView::of([case as u32, variant as u32], result, &trials, preferences, self.words);
        self.open.push(json(&view));
        self.open_trials += trials.len();
        let tally = &mut self.variants[variant];
        tally.place(case, outcome, self.scripts);
        for (trial, reason) in &trials {
            tally.add(trial, *reason);
        }
        script
    }

    /// Returns a variant's number, which is the record's unless the record does not know it.
    fn variant(&mut self, name: &VariantName) -> usize {
        if let Some(number) = self.variants.iter().position(|variant| variant.name == *name) {
            return number;
        }
        self.variants.push(VariantTally::new(name.clone()));
        self.variants.len() - 1
    }

    fn script(&mut self) -> Script {
        let number = self.scripts;
        self.scripts += 1;
        self.open_trials = 0;
        let cases = std::mem::take(&mut self.open).join(",\n");
        Script {
            name: format!("{number}.js"),
            text: format!("mstCases({},{number},[{cases}]);\n", json(&self.key.stamp)),
        }
    }

    /// Ends the report.
    pub fn finish(mut self) -> Finished {
        let mut scripts = Vec::new();
        if !self.open.is_empty() {
            scripts.push(self.script());
        }
        let index = Index::of(&self.key.stamp, self.baseline(), &self.cases, &self.outcomes, &self.variants);
        scripts.push(Script { name: "index.js".to_owned(), text: format!("mstIndex({});\n", json(&index)) });
        Finished { page: page(&self), case_scripts: self.scripts, scripts }
    }

    /// Returns the number of the variant that the others are measured against.
    pub(super) fn baseline(&self) -> usize {
        let named = self.record.baseline.as_ref();
        named.and_then(|name| self.variants.iter().position(|variant| variant.name == *name)).unwrap_or(0)
    }
}
