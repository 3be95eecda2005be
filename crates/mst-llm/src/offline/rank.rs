//! Okapi BM25 over a tool's name, description and parameter names.
//!
//! score(q, d) = Σ idf(t) · f(t, d) · (k1 + 1) / (f(t, d) + k1 · (1 − b + b · |d| / avgdl)) over the words t of the
//! request, each counted once, with idf(t) = ln(1 + (N − n(t) + 0.5) / (n(t) + 0.5)), k1 = 1.2 and b = 0.75.
//!
//! The ranking is part of the model's name: a change of any kind here needs a new name beside `lexical-1`.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::words::words;
use crate::chat::ToolSpec;
use crate::schema::normal_form;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A tool's words and how often each stands there.
struct Document {
    counts: HashMap<String, f64>,
    length: f64,
}

impl Document {
    fn of(tool: &ToolSpec) -> Self {
        let mut all = words(&tool.name);
        all.extend(words(tool.description.as_deref().unwrap_or_default()));
        let properties = match tool.input_schema.get("properties") {
            Some(Value::Object(properties)) => Some(properties.clone()),
            // Behind a reference or in branches.
            _ => normal_form(&tool.input_schema).get("properties").and_then(Value::as_object).cloned(),
        };
        all.extend(properties.iter().flat_map(serde_json::Map::keys).flat_map(|name| words(name)));
        let length = all.len() as f64;
        let mut counts = HashMap::new();
        for word in all {
            *counts.entry(word).or_default() += 1.0;
        }
        Self { counts, length }
    }
}

/// Tools with their words counted, to rank for many requests.
#[derive(Debug)]
pub(super) struct Index {
    names: Vec<String>,
    lengths: Vec<f64>,
    mean_length: f64,
    /// By word: the tools that it stands in, and how often.
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl Index {
    pub(super) fn new(tools: &[ToolSpec]) -> Self {
        let mut index = Self {
            names: tools.iter().map(|tool| tool.name.clone()).collect(),
            lengths: Vec::with_capacity(tools.len()),
            mean_length: 0.0,
            postings: HashMap::new(),
        };
        for (at, tool) in tools.iter().enumerate() {
            let document = Document::of(tool);
            index.lengths.push(document.length);
            for (word, count) in document.counts {
                index.postings.entry(word).or_default().push((at, count));
            }
        }
        index.mean_length = index.lengths.iter().sum::<f64>() / (tools.len() as f64).max(1.0);
        index
    }

    /// Returns the tool that fits a request best, or `None` when no word of the request stands in any. Of two equal ones
    /// the first by name wins, so that the order in which tools are listed does not matter.
    pub(super) fn best(&self, request: &str) -> Option<usize> {
        let scores = self.scores(request);
        let scored = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
        let better = |(left, a): &(usize, &f64), (right, b): &(usize, &f64)| {
            a.total_cmp(b).then_with(|| self.names[*right].cmp(&self.names[*left]))
        };
        scored.max_by(better).map(|(at, _)| at)
    }

    /// Returns each tool's score for a request.
    fn scores(&self, request: &str) -> Vec<f64> {
        let number = self.names.len() as f64;
        // Ordered, so that the sum is added up the same way every time.
        let terms: BTreeSet<String> = words(request).into_iter().collect();
        let mut scores = vec![0.0; self.names.len()];
        for term in &terms {
            let Some(postings) = self.postings.get(term) else { continue };
            let holding = postings.len() as f64;
            let idf = (1.0 + (number - holding + 0.5) / (holding + 0.5)).ln();
            for (at, count) in postings {
                let weight = K1 * (1.0 - B + B * self.lengths[*at] / self.mean_length);
                scores[*at] += idf * count * (K1 + 1.0) / (count + weight);
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools() -> Vec<ToolSpec> {
        [
            ("lookup", "Look up one part and say which bin it is in.", json!({"properties": {"id": {}}})),
            ("listBins", "List all bins of the warehouse.", json!({})),
            ("send_message", "Send a message to a channel.", json!({"properties": {"channelName": {}, "text": {}}})),
            ("alpha", "Twin tool.", json!({"anyOf": [{"properties": {"hidden_name": {}}}]})),
            ("gamma", "Twin tool.", json!({})),
            ("beta", "Twin tool.", json!({})),
        ]
        .map(|(name, description, input_schema)| ToolSpec {
            name: name.to_owned(),
            description: Some(description.to_owned()),
            input_schema,
        })
        .to_vec()
    }

    #[test]
    fn the_best_tool_shares_the_rarest_words_whatever_the_order() {
        let mut listed = tools();
        for _ in 0..2 {
            for (request, want) in [
                ("Which bin is part p-1 in?", Some("lookup")),
                ("list every bins", Some("listBins")),
                ("channel name?", Some("send_message")),
                ("twin", Some("beta")),
                ("hidden", Some("alpha")),
                ("xyzzy", None),
                ("", None),
            ] {
                let best = Index::new(&listed).best(request);
                assert_eq!(best.map(|at| listed[at].name.as_str()), want, "{request}");
            }
            listed.reverse();
        }
        assert!(Index::new(&[]).best("anything").is_none());
    }

    #[test]
    fn scores_equal_the_formula() {
        let scores = Index::new(&tools()).scores("bin part");
        let lengths: [f64; 6] = [13.0, 8.0, 11.0, 5.0, 3.0, 3.0];
        let mean = lengths.iter().sum::<f64>() / 6.0;
        let idf = (1.0_f64 + 5.5 / 1.5).ln();
        let one = idf * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 13.0 / mean));
        assert!((scores[0] - 2.0 * one).abs() < 1e-12, "{scores:?}");
        assert!(scores[1..].iter().all(|score| *score == 0.0));
    }
}
