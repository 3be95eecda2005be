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

/// Everything that can change how a judge grades.
pub(crate) struct Identified<'a> {
    /// The kind of its reference: `judge` or `pairwise-judge`.
    pub(crate) kind: &'static str,
    pub(crate) definition: &'a JudgeDefinition,
    /// The settings of its plugin.
    pub(crate) settings: Option<Value>,
    /// The options as parsed.
    pub(crate) options: &'a Map<String, Value>,
    /// How its answers become a verdict: an object.
    pub(crate) rules: Value,
}

impl Identified<'_> {
    /// Returns the identity: 64 hex digits.
    pub(crate) fn hash(self) -> String {
        let mut parts = self.rules;
        parts["judge"] = full_reference(self.kind, &self.definition.name).into();
        parts["options"] = Value::Object(self.options.clone());
        if let Some(version) = &self.definition.version {
            parts["version"] = version.as_str().into();
        }
        // Only where there are some: a judge without settings keeps the identity it had before settings counted.
        if let Some(settings) = self.settings.filter(|settings| !is_empty(settings)) {
            parts["settings"] = settings;
        }
        content_hash(&parts)
    }
}

/// Returns the identity of a judge with parsed options.
pub(super) fn identity(
    judge: &dyn Judge,
    definition: &JudgeDefinition,
    options: &Map<String, Value>,
    rules: Rules,
) -> String {
    let rules = json!({ "threshold": rules.threshold, "reps": rules.reps });
    Identified { kind: "judge", definition, settings: judge.settings(), options, rules }.hash()
}

/// Returns the identity of several judges that answer together, whatever their order.
pub(super) fn identity_of_set(mut members: Vec<String>) -> String {
    members.sort_unstable();
    members.dedup();
    content_hash(&json!({ "jury": members }))
}

/// Returns a judge's name as a full reference, so that a built-in cannot be taken for anything else.
fn full_reference(kind: &str, name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("mst/{kind}/{name}") }
}

fn is_empty(settings: &Value) -> bool {
    settings.is_null() || settings.as_object().is_some_and(Map::is_empty)
}
