//! Random edits of a config and a dataset: each runs or is refused with a place, and none panics.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mst_clients::{ApiDeps, api_client, unavailable_clients};
use mst_config::{LoadRequest, SelectionFlags, load};
use mst_ext::Registry;
use mst_llm::LlmConnector;
use mst_mcp::{ConnectOptions, ServerPool};
use mst_measure::metric_entries;
use mst_model::{Catalog, Clock, Timestamp};
use mst_testkit::{Mode, Script};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Map, Value, json};

use crate::eval::{Eval, case, lookup};

const EDITS: usize = 500;
const SEED: u64 = 17;
/// Every so many edits one goes through the binary.
const BINARY_EVERY: usize = 8;

/// A clock that stands still.
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_790_000_000_000).expect("in range")
    }
}

/// Returns what the binary registers.
fn catalog() -> Catalog {
    let env = Arc::new(BTreeMap::new());
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let mut registry = Registry::new();
    let llm = LlmConnector::new(&env, Arc::clone(&clock));
    let pool = Arc::new(ServerPool::new(ConnectOptions::default()));
    registry.add_client(api_client(ApiDeps { pool, llm, clock, env }));
    for entry in unavailable_clients().into_iter().chain(metric_entries()) {
        registry.add_entry(entry);
    }
    registry.catalog()
}

/// Writes an eval that uses most of what there is.
fn write_whole(eval: &Eval) {
    let mut second = case(
        "two",
        json!({ "containsText": ["a", "b"], "matchesPattern": "^b.n \\d+$", "toolCallCount": { "min": 0, "max": 4 } }),
    );
    second.as_object_mut().expect("an object").extend(
        json!({ "tags": ["x"], "trials": 2, "passThreshold": 0.5, "model": "gpt-x", "clientOptions": { "maxTokens": 9 }, "metadata": { "k": [1] } })
            .as_object()
            .cloned()
            .expect("keys"),
    );
    let servers = json!({ "parts": eval.stdio("parts", Mode::Plain), "far": { "transport": "http", "serverUrl": "https://example.invalid/mcp", "headers": { "X-A": "b" } } });
    let more = json!({ "provider": "anthropic", "maxToolCalls": 3, "temperature": 0.5, "inputTemplate": "{{input}}!", "baseline": "b",
        "variants": [{ "name": "a", "servers": ["parts"], "tools": { "lookup": { "name": "find" } } }, { "name": "b", "model": "claude-y", "metrics": ["response_success"] }],
        "metrics": ["cache_read_tokens"], "pricing": { "claude-x": { "input": 3, "output": 15 } }, "run": { "trials": 2, "concurrency": 2 }, "filterTags": ["x"],
        "toolMap": { "find": ["parts.lookup"] }, "writes": { "far": "unguarded" }, "clientOptions": { "systemPrompt": "Be brief." } });
    eval.write(&servers, &json!([case("one", lookup()), second]), &more);
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        (self.0.next_u32() as usize) % limit.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Changes a range of bytes: deletes, doubles, retypes or misspells it.
    fn bytes(&mut self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        let start = self.below(bytes.len());
        let end = (start + 1 + self.below(12)).min(bytes.len());
        match self.below(5) {
            0 => drop(bytes.drain(start..end)),
            1 => {
                let range = bytes[start..end].to_vec();
                bytes.splice(end..end, range);
            }
            2 => bytes.truncate(start),
            3 => bytes[start] = bytes[start].wrapping_add(1 + self.below(250) as u8),
            _ => {
                let put: &[&[u8]] = &[
                    b"\"",
                    b"{",
                    b"]",
                    b",",
                    b"\\u0000",
                    b"\\ud83d",
                    b"\xff",
                    b"/*",
                    b"1e999",
                    b"\xef\xbb\xbf",
                    b"\n\r\t",
                ];
                let put = self.pick(put).to_vec();
                bytes.splice(start..start, put);
            }
        }
        bytes
    }

    /// Changes one node of a document.
    fn node(&mut self, root: &mut Value) {
        let mut at = root;
        loop {
            let inner = at.as_object().map_or(0, Map::len) + at.as_array().map_or(0, Vec::len);
            if inner == 0 || self.below(4) == 0 {
                break;
            }
            let number = self.below(inner);
            at = match at {
                Value::Object(object) => object.values_mut().nth(number).expect("counted"),
                Value::Array(items) => &mut items[number],
                _ => break,
            };
        }
        self.change(at);
    }

    fn change(&mut self, at: &mut Value) {
        match (self.below(4), at) {
            (0, Value::Object(object)) if !object.is_empty() => {
                let key = object.keys().nth(self.below(object.len())).cloned().expect("counted");
                let value = object.remove(&key).expect("there");
                if self.below(2) == 0 {
                    let cut = key.char_indices().nth(1).map_or(0, |(at, _)| at);
                    object.insert(format!("{}{}", &key[cut..], &key[..cut]), value);
                }
            }
            (1, Value::Array(items)) if !items.is_empty() => {
                let again = items[self.below(items.len())].clone();
                items.push(again);
            }
            (_, at) => {
                let others = [
                    json!(null),
                    json!(0),
                    json!(-3),
                    json!(1e308),
                    json!(2.5),
                    json!(""),
                    json!(" \u{feff}"),
                    json!("../x\u{0}"),
                    json!(true),
                    json!([]),
                    json!({}),
                    json!([[{}]]),
                    json!({ "": { "type": "dir" } }),
                    json!("9".repeat(400)),
                ];
                *at = self.pick(&others).clone();
            }
        }
    }
}

#[test]
fn random_edits_run_or_are_refused_with_a_place() {
    let eval = Eval::new(Script::strict());
    write_whole(&eval);
    let original = ["eval.json", "parts.json"].map(|name| eval.env.read_json(name));
    let request = LoadRequest {
        config_path: eval.env.path("eval.json"),
        root_dir: eval.env.root().to_owned(),
        output_dir: Some(eval.env.path("out")),
        selection: SelectionFlags::default(),
        allow_live_writes: false,
        catalog: catalog(),
    };
    load(&request).expect("the eval is valid before it is edited");
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(SEED));
    let (mut refused, mut ran) = (0, 0);
    for round in 0..EDITS {
        let edited = usize::from(round % 3 == 2);
        let name = ["eval.json", "parts.json"][edited];
        let mut document = original[edited].clone();
        let text = if round % 2 == 0 {
            for _ in 0..=dice.below(2) {
                dice.node(&mut document);
            }
            format!("{document:#}").into_bytes()
        } else {
            dice.bytes(&format!("{document:#}"))
        };
        eval.env.write(name, &text);
        let shown = String::from_utf8_lossy(&text);
        let refusal = load(&request).err();
        match &refusal {
            Some(diagnostics) => {
                refused += 1;
                for error in diagnostics.errors() {
                    let is_placed = error.file.is_some() && error.position.is_some();
                    let is_about_no_text = matches!(error.code.as_str(), "nothing-to-run" | "unreadable");
                    assert!(is_placed || is_about_no_text, "round {round}: {error}\n{shown}");
                }
            }
            None => ran += 1,
        }
        if round % BINARY_EVERY == 0 {
            let finished = eval.run_with(&["--dry-run"]);
            let wanted = if refusal.is_some() { 2 } else { 0 };
            assert_eq!(finished.code, Some(wanted), "round {round}: {}\n{shown}", finished.stderr);
            assert!(wanted == 0 || has_place(&finished.stderr), "round {round}: {}\n{shown}", finished.stderr);
        }
        eval.env.write_json(name, &original[edited]);
    }
    assert!(refused > EDITS / 3 && ran > EDITS / 50, "{refused} refused, {ran} valid");
    assert!(!Path::new(&eval.env.path("out")).exists(), "a dry run wrote something");
}

/// Returns whether a text has `<file>.json:<line>:<column>`.
fn has_place(text: &str) -> bool {
    text.split(".json:").skip(1).any(|rest| {
        let mut parts = rest.split(|c: char| !c.is_ascii_digit() && c != ':').next().unwrap_or_default().split(':');
        parts.next().is_some_and(|line| line.parse::<u32>().is_ok())
            && parts.next().is_some_and(|column| column.parse::<u32>().is_ok())
    })
}
