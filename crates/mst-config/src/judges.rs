//! The `judges` lists of a config, its variants and its cases: every entry names a judge, has a name of its own in its list,
//! and gives the judge options that it takes.
//!
//! Options are checked as a case runs them. A case's entry may set the rest of what the config's entry of the same name
//! leaves out, so that an option is missing only where no entry gives it.

use std::collections::HashSet;

use indexmap::IndexMap;
use mst_model::{Catalog, CatalogEntry, ExtensionKind, JUDGE_ENTRY_KEYS, JudgeEntry};
use serde_json::{Map, Value};

use crate::dataset::LoadedDataset;
use crate::diagnostic::Code;
use crate::issue::{Issue, Place, join};
use crate::judge_options::{Complete, OptionCheck, PlacedOptions};
use crate::reference;
use crate::variant::ResolvedVariant;

/// An entry of a list, with the places of its parts.
#[derive(Clone, Debug)]
pub(crate) struct PlacedEntry {
    pub(crate) entry: JudgeEntry,
    /// The judge as written.
    reference: String,
    place: Place,
    /// Where the judge is named.
    named_at: Place,
    options: PlacedOptions,
    /// Where each member of its jury stands.
    members: Vec<Place>,
}

/// Reads a list whose shape has been checked.
pub(crate) fn read_list(values: &[Value], document: usize, pointer: &str) -> Vec<PlacedEntry> {
    let placed = values.iter().enumerate().filter_map(|(at, value)| {
        let pointer = format!("{pointer}/{at}");
        let place = |path: &str| Place::value(document, path);
        let entry = JudgeEntry::read(value)?;
        let (reference, named_at) = match value {
            Value::String(reference) => (reference.clone(), place(&pointer)),
            value => (value.get("type")?.as_str()?.to_owned(), place(&join(&pointer, "type"))),
        };
        let options = PlacedOptions::read(value, &JUDGE_ENTRY_KEYS, document, &pointer);
        let members = (0..entry.jury.len()).map(|member| place(&format!("{pointer}/jury/{member}"))).collect();
        Some(PlacedEntry { place: place(&pointer), entry, reference, named_at, options, members })
    });
    placed.collect()
}

impl PlacedEntry {
    /// Returns the entry with what a case's own entry of the same name sets in its place.
    fn overridden_by(&self, own: &Self) -> Self {
        let mut merged = own.clone();
        merged.entry.options.clone_from(&self.entry.options);
        merged.entry.options.extend(own.entry.options.clone());
        merged.options.origins.clone_from(&self.options.origins);
        merged.options.origins.extend(own.options.origins.clone());
        if own.entry.jury.is_empty() {
            merged.entry.jury.clone_from(&self.entry.jury);
            merged.members.clone_from(&self.members);
        }
        merged
    }
}

/// Checks every list of an eval: the config's own, the variants', and those of the cases that run.
pub(crate) fn check(
    config: &[PlacedEntry],
    variants: &[ResolvedVariant],
    datasets: &[LoadedDataset],
    catalog: &Catalog,
) -> Vec<Issue> {
    let mut checker = Checker::new(catalog);
    checker.names(config);
    let own = variants.iter().filter(|variant| variant.own_judges).map(|variant| variant.judges.as_slice());
    let inherited = variants.iter().any(|variant| !variant.own_judges).then_some(config);
    let own: Vec<&[PlacedEntry]> = own.collect();
    for list in &own {
        checker.names(list);
    }
    let lists: Vec<&[PlacedEntry]> = inherited.into_iter().chain(own).collect();
    if inherited.is_none() {
        // No case has these; what they say must be right all the same.
        for entry in config {
            checker.options(entry, Complete::No);
        }
    }
    let mut alone: Vec<Vec<bool>> = lists.iter().map(|list| vec![false; list.len()]).collect();
    for dataset in datasets {
        for loaded in &dataset.cases {
            if !loaded.head.has_judges {
                for list in &mut alone {
                    list.fill(true);
                }
                continue;
            }
            let case = dataset.case(loaded);
            let judges = read_list(&case.judges, loaded.document, &format!("{}/judges", loaded.pointer()));
            checker.case = Some(case.id.to_string());
            checker.names(&judges);
            for (list, alone) in lists.iter().zip(&mut alone) {
                checker.case_over(&judges, list, alone);
            }
            checker.case = None;
        }
    }
    for (list, alone) in lists.iter().zip(alone) {
        for (entry, is_alone) in list.iter().zip(alone) {
            checker.options(entry, if is_alone { Complete::Yes } else { Complete::No });
        }
    }
    checker.issues
}

struct Checker<'a> {
    catalog: &'a Catalog,
    options: OptionCheck,
    reported: HashSet<(Place, String)>,
    /// The case that is looked at.
    case: Option<String>,
    issues: Vec<Issue>,
}

impl<'a> Checker<'a> {
    fn new(catalog: &'a Catalog) -> Self {
        Self { catalog, options: OptionCheck::default(), reported: HashSet::new(), case: None, issues: Vec::new() }
    }

    fn report(&mut self, mut issue: Issue) {
        if let Some(id) = &self.case {
            issue.message = format!("case {id:?}: {}", issue.message);
        }
        if self.reported.insert((issue.place.clone(), issue.message.clone())) {
            self.issues.push(issue);
        }
    }

    /// Checks that each entry names a judge and is alone with its name in its list.
    fn names(&mut self, list: &[PlacedEntry]) {
        for (at, placed) in list.iter().enumerate() {
            if let Err(refusal) = reference::lookup(self.catalog, ExtensionKind::Judge, &placed.reference) {
                let mut issue = Issue::error(placed.named_at.clone(), refusal.code, refusal.message);
                issue.help = refusal.help;
                if self.catalog.get(ExtensionKind::PairwiseJudge, &placed.reference).is_some() {
                    issue.help = Some("it is a pairwise judge, which compares two variants".to_owned());
                }
                self.report(issue);
            }
            let name = &placed.entry.name;
            if name.contains('#') {
                let message = format!("the judge's name {name:?} holds a \"#\", which parts a judge from its criteria");
                self.report(Issue::error(placed.place.clone(), Code::InvalidValue, message));
            }
            if list[..at].iter().any(|earlier| earlier.entry.name == *name) {
                let message = format!("two judges of the list are named {name:?}");
                let issue = Issue::error(placed.place.clone(), Code::DuplicateName, message);
                self.report(issue.with_help("give one of them a \"name\""));
            }
            for issue in placed.options.twice(&placed.place) {
                self.report(issue);
            }
        }
    }

    /// Checks a case's own entries as they run over a list, and notes which of the list's run as they are.
    fn case_over(&mut self, own: &[PlacedEntry], list: &[PlacedEntry], alone: &mut [bool]) {
        for entry in own {
            let Some(base) = list.iter().find(|base| base.entry.name == entry.entry.name) else {
                self.options(entry, Complete::Yes);
                continue;
            };
            if base.entry.judge == entry.entry.judge {
                self.options(&base.overridden_by(entry), Complete::Yes);
            } else {
                let message = format!(
                    "{:?} is the name of the judge {:?} here and of the judge {:?} in the eval config",
                    entry.entry.name, entry.entry.judge, base.entry.judge
                );
                self.report(Issue::error(entry.place.clone(), Code::Conflict, message));
            }
        }
        for (base, alone) in list.iter().zip(alone) {
            *alone |= own.iter().all(|entry| entry.entry.name != base.entry.name);
        }
    }

    /// Checks an entry's options against what its judge takes: as they are, or as each member of its jury has them.
    fn options(&mut self, placed: &PlacedEntry, complete: Complete) {
        let Ok(judge) = reference::lookup(self.catalog, ExtensionKind::Judge, &placed.reference) else { return };
        if placed.entry.jury.is_empty() {
            return self.setting(judge, &placed.entry.options, &placed.options.origins, &placed.place, complete);
        }
        let mut members: Vec<Map<String, Value>> = Vec::new();
        for (changes, place) in placed.entry.jury.iter().zip(&placed.members) {
            let (mut options, mut origins) = (placed.entry.options.clone(), placed.options.origins.clone());
            for (key, value) in changes {
                options.insert(key.clone(), value.clone());
                let mut origin = place.clone();
                origin.pointer = join(&place.pointer, key);
                origins.insert(key.clone(), origin);
            }
            self.setting(judge, &options, &origins, place, complete);
            if members.contains(&options) {
                let message = "two members of the jury are the same judge";
                self.report(Issue::error(place.clone(), Code::DuplicateName, message));
            }
            members.push(options);
        }
    }

    fn setting(
        &mut self,
        judge: &CatalogEntry,
        options: &Map<String, Value>,
        origins: &IndexMap<String, Place>,
        place: &Place,
        complete: Complete,
    ) {
        let own_rule = |options: &Map<String, Value>| match judge.name.as_str() {
            "criteria" => repeated_criteria(options, origins),
            _ => Vec::new(),
        };
        for issue in self.options.issues(judge, (options, origins), place, complete, own_rule) {
            self.report(issue);
        }
    }
}

/// Reports the criteria whose id an earlier one has: a label of one could not be told from a label of the other.
fn repeated_criteria(options: &Map<String, Value>, origins: &IndexMap<String, Place>) -> Vec<Issue> {
    let criteria = options.get("criteria").and_then(Value::as_array).into_iter().flatten();
    let ids: Vec<&str> = criteria.filter_map(|criterion| criterion.get("id")?.as_str()).collect();
    let Some(origin) = origins.get("criteria") else { return Vec::new() };
    let repeated = ids.iter().enumerate().filter(|(at, id)| ids[..*at].contains(id));
    let issues = repeated.map(|(at, id)| {
        let mut place = origin.clone();
        place.pointer = format!("{}/{at}/id", place.pointer);
        Issue::error(place, Code::DuplicateName, format!("two criteria have the id {id:?}"))
    });
    issues.collect()
}
