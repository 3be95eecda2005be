//! Places where a report is not what its data gives.

use serde::Serialize;
use serde_json::Value;

/// How far a stored number may be from its exact value, for each unit of its size: other writers add in other orders.
const TOLERANCE: f64 = 1e-12;

/// One place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// The place, such as `harness.baseline.metrics.tasks` or `tools[3].name`.
    pub(crate) path: String,
    /// What is wrong there.
    pub(crate) message: String,
    /// What the report says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stored: Option<Value>,
    /// What its data gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) computed: Option<Value>,
}

/// Places that were found so far.
#[derive(Debug, Default)]
pub(crate) struct Differences(Vec<Difference>);

impl Differences {
    /// Notes something wrong at a place.
    pub(crate) fn say(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.0.push(Difference { path: path.into(), message: message.into(), stored: None, computed: None });
    }

    /// Compares a stored number with the computed one.
    pub(crate) fn number(&mut self, path: impl Into<String>, stored: f64, computed: f64) {
        if (stored - computed).abs() > TOLERANCE * computed.abs().max(1.0) {
            self.value(path, &Value::from(stored), &Value::from(computed));
        }
    }

    /// Compares a stored count with the computed one.
    pub(crate) fn count(&mut self, path: impl Into<String>, stored: u64, computed: u64) {
        if stored != computed {
            self.value(path, &Value::from(stored), &Value::from(computed));
        }
    }

    /// Compares a stored text with the right one.
    pub(crate) fn text(&mut self, path: impl Into<String>, stored: &str, computed: &str) {
        if stored != computed {
            self.value(path, &Value::from(stored), &Value::from(computed));
        }
    }

    fn value(&mut self, path: impl Into<String>, stored: &Value, computed: &Value) {
        self.0.push(Difference {
            path: path.into(),
            message: format!("the report says {stored}, its data gives {computed}"),
            stored: Some(stored.clone()),
            computed: Some(computed.clone()),
        });
    }

    /// Returns the places.
    pub(crate) fn into_list(self) -> Vec<Difference> {
        self.0
    }
}
