//! `confusability-v1` without a model: tools whose words are nearly the same.
//!
//! Each tool is a vector of the stems of its description and parameters, weighed by how rare they are. Only tools that share
//! a stem meet, through an index of stems, and what stands in much of a large surface tells nothing apart and is left out of
//! the index; so a surface of a thousand tools costs what its shared words cost, not a million comparisons of texts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mst_llm::words;
use mst_mcp::ListedTool;
use mst_model::{ConfusablePair, Severity};

use super::verbs::{place_of_verb, verb_of};
use super::vocabulary::{stem, stems};
use crate::parameters::parameters;

/// How alike two texts are (cosine) from which on a pair is high, medium or low.
const HIGH: f64 = 0.9;
const MEDIUM: f64 = 0.75;
const LOW: f64 = 0.6;
/// How much of two names is the same (words in common over all words) from which on alike texts count.
const NAMES_ALIKE: f64 = 0.5;
/// A stem in more than this share of a surface of more than [`LARGE`] tools meets nobody.
const COMMON: f64 = 0.25;
const LARGE: usize = 100;

/// Finds pairs of tools that a model may take for one another, in the order of their names.
pub(super) fn pairs(tools: &[ListedTool]) -> Vec<ConfusablePair> {
    let profiles: Vec<Profile> = tools.iter().map(Profile::of).collect();
    let index = Index::of(&profiles);
    let mut found: BTreeMap<(usize, usize), (Severity, String)> = BTreeMap::new();
    for (one, other) in same_names(&profiles) {
        found.insert(
            (one, other),
            (Severity::High, "their names say the same in other words or another style".to_owned()),
        );
    }
    let mut alike = vec![0.0; profiles.len()];
    for one in 0..profiles.len() {
        for other in index.alike(one, &mut alike) {
            let cosine = std::mem::take(&mut alike[other]);
            if other > one
                && let Some(judged) = profiles[one].judge(&profiles[other], cosine)
            {
                found.entry((one, other)).or_insert(judged);
            }
        }
    }
    let mut pairs: Vec<ConfusablePair> = found
        .into_iter()
        .map(|((one, other), (severity, reason))| {
            let (a, b) = (tools[one].name(), tools[other].name());
            let (a, b) = if a < b { (a, b) } else { (b, a) };
            ConfusablePair { a: a.to_owned(), b: b.to_owned(), severity, reason }
        })
        .collect();
    pairs.sort_by(|x, y| (&x.a, &x.b).cmp(&(&y.a, &y.b)));
    pairs
}

/// What is compared of a tool.
struct Profile {
    /// The name's words, those for one doing as one.
    name: BTreeSet<String>,
    /// The kind of doing, where the name has one.
    class: Option<&'static str>,
    /// How often each stem stands in its description and parameters.
    counts: BTreeMap<String, f64>,
    description: String,
}

impl Profile {
    fn of(tool: &ListedTool) -> Self {
        let named = words(tool.name());
        let class = place_of_verb(&named).and_then(|at| verb_of(&named[at])).map(|verb| verb.class);
        let name = named.iter().map(|word| verb_of(word).map_or_else(|| stem(word), |verb| verb.class.to_owned()));
        let description = tool.description().unwrap_or_default();
        let mut counts = BTreeMap::new();
        for stem in stems(description) {
            *counts.entry(stem).or_insert(0.0) += 1.0;
        }
        for stem in parameters(tool.input_schema()).iter().flat_map(|one| stems(one.name)) {
            *counts.entry(format!("parameter {stem}")).or_insert(0.0) += 1.0;
        }
        Self { name: name.collect(), class, counts, description: words(description).join(" ") }
    }

    /// Judges two tools whose texts are so alike.
    fn judge(&self, other: &Self, cosine: f64) -> Option<(Severity, String)> {
        let same_text = self.description.len() >= 12 && self.description == other.description;
        if same_text {
            return Some((Severity::High, "their descriptions are the same".to_owned()));
        }
        let shared = self.name.intersection(&other.name).count() as f64;
        let names = shared / self.name.union(&other.name).count().max(1) as f64;
        // Who creates a thing is not who deletes it, however alike the texts are.
        let differ = matches!((self.class, other.class), (Some(one), Some(other)) if one != other);
        if differ || names < NAMES_ALIKE {
            return None;
        }
        let severity = match cosine {
            cosine if cosine >= HIGH => Severity::High,
            cosine if cosine >= MEDIUM => Severity::Medium,
            cosine if cosine >= LOW => Severity::Low,
            _ => return None,
        };
        let percent = (cosine * 100.0).floor();
        Some((
            severity,
            format!(
                "their names are alike, and so are their descriptions and parameters ({percent:.0}% by weight of words)"
            ),
        ))
    }
}

/// Returns the pairs whose names are made of the same words.
fn same_names(profiles: &[Profile]) -> Vec<(usize, usize)> {
    let mut by_name: BTreeMap<&BTreeSet<String>, Vec<usize>> = BTreeMap::new();
    for (at, profile) in profiles.iter().enumerate() {
        by_name.entry(&profile.name).or_default().push(at);
    }
    let groups = by_name.into_iter().filter(|(name, _)| !name.is_empty()).map(|(_, group)| group);
    groups
        .flat_map(|group| {
            let pairs = group.iter().enumerate();
            pairs.flat_map(|(at, one)| group[at + 1..].iter().map(|other| (*one, *other))).collect::<Vec<_>>()
        })
        .collect()
}

/// By stem: the tools that it stands in, with its weight in each (vectors of length 1).
struct Index {
    vectors: Vec<Vec<(usize, f64)>>,
    postings: Vec<Vec<(usize, f64)>>,
}

impl Index {
    fn of(profiles: &[Profile]) -> Self {
        let mut holding: HashMap<&str, f64> = HashMap::new();
        for stem in profiles.iter().flat_map(|profile| profile.counts.keys()) {
            *holding.entry(stem).or_default() += 1.0;
        }
        let number = profiles.len() as f64;
        let mut ids: HashMap<&str, usize> = HashMap::new();
        let mut postings: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut vectors = Vec::with_capacity(profiles.len());
        for (at, profile) in profiles.iter().enumerate() {
            let weigh = |stem: &str, count: f64| (1.0 + count.ln()) * (1.0 + number / holding[stem]).ln();
            let length = profile.counts.iter().map(|(stem, count)| weigh(stem, *count).powi(2)).sum::<f64>().sqrt();
            let mut vector = Vec::new();
            for (stem, count) in &profile.counts {
                let weight = weigh(stem, *count) / length;
                if profiles.len() > LARGE && holding[stem.as_str()] > COMMON * number {
                    continue;
                }
                let id = *ids.entry(stem).or_insert_with(|| {
                    postings.push(Vec::new());
                    postings.len() - 1
                });
                postings[id].push((at, weight));
                vector.push((id, weight));
            }
            vectors.push(vector);
        }
        Self { vectors, postings }
    }

    /// Adds up how alike each tool is to one, and returns those that share anything with it.
    fn alike(&self, one: usize, alike: &mut [f64]) -> Vec<usize> {
        let mut met = Vec::new();
        for (id, weight) in &self.vectors[one] {
            for (other, other_weight) in &self.postings[*id] {
                if alike[*other] == 0.0 {
                    met.push(*other);
                }
                alike[*other] += weight * other_weight;
            }
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::surface::Surface;

    fn found(tools: serde_json::Value) -> Vec<String> {
        let surface = Surface::of(tools);
        pairs(&surface.tools).iter().map(|pair| format!("{} {} {:?}", pair.a, pair.b, pair.severity)).collect()
    }

    #[test]
    fn pairs_are_found_by_their_words() {
        let same = "Returns every open ticket of a project with its owner.";
        assert_eq!(
            found(json!([
                { "name": "read_file", "description": "Reads a file as text." },
                { "name": "getFile", "description": "Something else entirely about downloads." },
                { "name": "open_tickets", "description": same },
                { "name": "backlog", "description": same },
                { "name": "create_user", "description": "One account of the company directory, by mail." },
                { "name": "delete_user", "description": "One account of the company directory, by mail address." },
                { "name": "list_orders_page", "description": "Lists the orders of a customer by date and state." },
                { "name": "list_orders", "description": "Lists the orders of a customer by date and states." },
                { "name": "a" }, { "name": "b" },
            ])),
            ["backlog open_tickets High", "getFile read_file High", "list_orders list_orders_page High"]
        );
    }
}
