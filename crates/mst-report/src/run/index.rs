//! The index of a report: every case and what it came to in each variant, small enough to be loaded first.

use indexmap::{IndexMap, IndexSet};
use mst_model::CaseId;
use serde::Serialize;

use super::outcome::Outcome;
use super::reason::Reason;
use super::tally::VariantTally;
use crate::text::Shown;

/// How many characters of prompts the index may have in all; with more it has none.
const MOST_PROMPTS: usize = 300_000;
/// How much of a prompt it has.
const PROMPT: usize = 120;

/// What cases are, beside their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseList {
    ids: IndexMap<CaseId, CaseFacts>,
    datasets: IndexSet<String>,
    tag_lists: IndexSet<Vec<String>>,
    prompts: usize,
}

#[derive(Clone, Debug)]
struct CaseFacts {
    dataset: u32,
    tags: u32,
    prompt: String,
}

impl CaseList {
    /// Returns the number of a case, which is noted when it is new.
    pub(super) fn number(&mut self, id: &CaseId, dataset: &str, tags: &[String], prompt: &str) -> usize {
        if let Some(number) = self.ids.get_index_of(id) {
            return number;
        }
        let prompt = if self.prompts <= MOST_PROMPTS { beginning(prompt) } else { String::new() };
        self.prompts += prompt.len();
        let facts = CaseFacts {
            dataset: self.datasets.insert_full(dataset.to_owned()).0 as u32,
            tags: self.tag_lists.insert_full(tags.to_vec()).0 as u32,
            prompt,
        };
        self.ids.insert_full(id.clone(), facts).0
    }

    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns a case's id.
    pub(super) fn id(&self, case: usize) -> &CaseId {
        self.ids.get_index(case).expect("a number that was given").0
    }

    /// Returns a case's tags.
    pub(super) fn tags(&self, case: usize) -> &[String] {
        let facts = &self.ids[case];
        self.tag_lists.get_index(facts.tags as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the beginning of a case's prompt; none where there are too many to show.
    pub(super) fn prompt(&self, case: usize) -> &str {
        if self.prompts > MOST_PROMPTS { "" } else { &self.ids[case].prompt }
    }
}

/// Returns the beginning of a text on one line.
fn beginning(text: &str) -> String {
    let mut words = String::new();
    for char in text.chars().take(PROMPT) {
        words.push(if char.is_whitespace() { ' ' } else { char });
    }
    if text.chars().nth(PROMPT).is_some() {
        words.push('…');
    }
    Shown::line(words.trim()).to_string()
}

/// The index as the page reads it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Index {
    /// What all scripts of one report say.
    stamp: String,
    /// The number of the baseline among the variants.
    baseline: u32,
    /// The ids: how many UTF-16 units each has in common with the one before, and the rest.
    ids: Vec<Piece>,
    /// The beginnings of prompts, when they are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    prompts: Vec<String>,
    datasets: Vec<String>,
    /// Numbers of datasets, each followed by how many cases in a row have it.
    dataset_runs: Vec<u32>,
    tag_lists: Vec<Vec<String>>,
    tag_runs: Vec<u32>,
    reasons: Vec<&'static str>,
    /// `[state, passed, failed, infrastructure, ungraded, reasons]`.
    outcomes: Vec<(char, u32, u32, u32, u32, u8)>,
    variants: Vec<VariantIndex>,
}

#[derive(Clone, Debug, Serialize)]
struct VariantIndex {
    name: String,
    /// By case, the outcome's number; -1 where there is no result.
    cells: Vec<i64>,
    /// Numbers of scripts, each followed by how many cases in a row it has.
    script_runs: Vec<u32>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Piece {
    Common(usize),
    Rest(String),
}

impl Index {
    /// Puts the index together.
    pub(super) fn of(
        stamp: &str,
        baseline: usize,
        cases: &CaseList,
        outcomes: &IndexSet<Outcome>,
        variants: &[VariantTally],
    ) -> Self {
        let facts = || cases.ids.values();
        let with_prompts = cases.prompts <= MOST_PROMPTS;
        Self {
            stamp: stamp.to_owned(),
            baseline: baseline as u32,
            ids: pieces(cases.ids.keys().map(CaseId::as_str)),
            prompts: if with_prompts { facts().map(|facts| facts.prompt.clone()).collect() } else { Vec::new() },
            datasets: cases.datasets.iter().cloned().collect(),
            dataset_runs: runs(facts().map(|facts| facts.dataset)),
            tag_lists: cases.tag_lists.iter().cloned().collect(),
            tag_runs: runs(facts().map(|facts| facts.tags)),
            reasons: Reason::ALL.map(Reason::name).to_vec(),
            outcomes: outcomes
                .iter()
                .map(|one| {
                    let reasons = one.reasons.bits();
                    (one.state.letter(), one.passed, one.failed, one.infrastructure, one.ungraded, reasons)
                })
                .collect(),
            variants: variants
                .iter()
                .map(|variant| VariantIndex {
                    name: variant.name.to_string(),
                    cells: (0..cases.len())
                        .map(|case| variant.cells.get(case).copied().flatten().map_or(-1, i64::from))
                        .collect(),
                    script_runs: runs(variant.scripts.iter().copied()),
                })
                .collect(),
        }
    }
}

/// Returns numbers with how often each comes in a row.
fn runs(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut runs: Vec<u32> = Vec::new();
    for number in numbers {
        match runs.as_mut_slice() {
            [.., last, count] if *last == number => *count += 1,
            _ => runs.extend([number, 1]),
        }
    }
    runs
}

/// Returns texts without what each has in common with the one before: ids are alike.
fn pieces<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Piece> {
    let mut before = "";
    let mut pieces = Vec::new();
    for text in texts {
        let common: usize =
            before.chars().zip(text.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        pieces.push(Piece::Common(text[..common].encode_utf16().count()));
        pieces.push(Piece::Rest(text[common..].to_owned()));
        before = text;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_numbers_in_a_row_are_short() {
        let json = serde_json::to_string(&pieces(["case-1", "case-2", "検a", "検b", ""].into_iter())).expect("JSON");
        assert_eq!(json, r#"[0,"case-1",5,"2",0,"検a",1,"b",0,""]"#);
        assert_eq!(runs([7, 7, 7, 0, 7].into_iter()), [7, 3, 0, 1, 7, 1]);
        assert_eq!(runs(std::iter::empty()), Vec::<u32>::new());
    }
}
