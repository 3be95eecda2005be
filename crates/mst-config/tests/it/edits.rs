//! Random edits of a config and its dataset: each loads or is refused with a place, and none panics.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::catalog::Eval;

const EDITS: usize = 500;
const SEED: u64 = 20_261_130;

fn valid() -> (Value, Value) {
    let read = |path: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/valid").join(path);
        serde_json::from_str::<Value>(&fs_err::read_to_string(path).expect("a sample")).expect("JSON")
    };
    let mut config = read("config-everything.json");
    config["datasets"] = json!(["parts.json"]);
    config["run"]["filterTags"] = json!(["regression"]);
    (config, read("dataset-everything.json"))
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        (self.0.next_u32() as usize) % limit.max(1)
    }

    /// Changes a random part of a value.
    fn edit_value(&mut self, value: &mut Value) {
        let inside = self.below(5) > 0;
        match value {
            Value::Object(object) if inside && !object.is_empty() => {
                let at = self.below(object.len());
                let key = object.keys().nth(at).cloned().unwrap_or_default();
                match self.below(6) {
                    0 => {
                        object.remove(&key);
                    }
                    1 => {
                        let moved = object.remove(&key).unwrap_or_default();
                        object.insert(format!("{key}x"), moved);
                    }
                    _ => self.edit_value(&mut object[&key]),
                }
            }
            Value::Array(items) if inside && !items.is_empty() => {
                let at = self.below(items.len());
                match self.below(6) {
                    0 => {
                        items.remove(at);
                    }
                    1 => items.push(items[at].clone()),
                    _ => self.edit_value(&mut items[at]),
                }
            }
            other => {
                *other = match self.below(10) {
                    0 => Value::Null,
                    1 => json!(""),
                    2 => json!("\u{feff}"),
                    3 => json!(-1),
                    4 => json!(1e300),
                    5 => json!(0.5),
                    6 => json!([]),
                    7 => json!({}),
                    8 => json!([{ "$pattern": "(", "name": "\u{0}" }]),
                    _ => json!(true),
                }
            }
        }
    }

    /// Changes a random byte or range of a text.
    fn edit_text(&mut self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        let at = self.below(bytes.len());
        match self.below(4) {
            0 => bytes.truncate(at),
            1 => {
                bytes.remove(at);
            }
            2 => bytes[at] = self.below(256) as u8,
            _ => {
                let insert = [&b",\"a\":1,\"a\":2"[..], b"\xef\xbb\xbf", b"\\ud800", b"//", b"\""][self.below(5)];
                bytes.splice(at..at, insert.iter().copied());
            }
        }
        bytes
    }
}

#[test]
fn random_edits_load_or_are_refused_with_a_place() {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(SEED));
    let (config, dataset) = valid();
    let eval = Eval::new(&config);
    eval.write("parts.json", dataset.to_string());
    eval.plan();
    let mut refused = 0;
    for round in 0..EDITS {
        let (mut one, mut two) = (config.clone(), dataset.clone());
        let (mut config_text, mut dataset_text) = (one.to_string().into_bytes(), two.to_string().into_bytes());
        match round % 4 {
            0 => {
                dice.edit_value(&mut one);
                config_text = one.to_string().into_bytes();
            }
            1 => {
                dice.edit_value(&mut two);
                dataset_text = two.to_string().into_bytes();
            }
            2 => config_text = dice.edit_text(&one.to_string()),
            _ => dataset_text = dice.edit_text(&two.to_string()),
        }
        eval.write("eval.json", &config_text);
        eval.write("parts.json", &dataset_text);
        let Err(error) = eval.load() else { continue };
        refused += 1;
        assert!(error.has_errors(), "round {round}: a refusal without an error");
        for diagnostic in error.errors() {
            let has_place = diagnostic.file.is_some() && diagnostic.position.is_some();
            let is_about_no_text = matches!(diagnostic.code.as_str(), "nothing-to-run" | "unreadable");
            assert!(has_place || is_about_no_text, "round {round}: {diagnostic}");
            assert!(!diagnostic.message.is_empty());
        }
    }
    assert!(refused > EDITS / 3, "only {refused} edits were refused");
}
