//! Which judge gave a verdict: a hash of everything that can change how it grades.

use mst_ext::{Judge, JudgeDefinition};
use mst_model::content_hash;
use serde_json::{Map, Value, json};

/// How answers become a verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    /// The mean score from which a trial passes, 0 to 1.
    pub(super) threshold: f64,
    /// How often the judge is asked.
    pub(super) reps: u32,
}

/// Returns the identity of a judge with parsed options.
pub(super) fn identity(
    judge: &dyn Judge,
    definition: &JudgeDefinition,
    options: &Map<String, Value>,
    rules: Rules,
) -> String {
    let mut parts = json!({
        "judge": full_reference(&definition.name),
        "options": options,
        "threshold": rules.threshold,
        "reps": rules.reps,
    });
    if let Some(version) = &definition.version {
        parts["version"] = version.as_str().into();
    }
    // Only where there are some: a judge without settings keeps the identity it had before settings counted.
    if let Some(settings) = judge.settings().filter(|settings| !is_empty(settings)) {
        parts["settings"] = settings;
    }
    content_hash(&parts)
}

/// Returns the identity of several judges that answer together, whatever their order.
pub(super) fn identity_of_set(mut members: Vec<String>) -> String {
    members.sort_unstable();
    members.dedup();
    content_hash(&json!({ "jury": members }))
}

/// Returns a judge's name as a full reference, so that a built-in cannot be taken for anything else.
fn full_reference(name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("mst/judge/{name}") }
}

fn is_empty(settings: &Value) -> bool {
    settings.is_null() || settings.as_object().is_some_and(Map::is_empty)
}
