//! A case: one request to a client, and how its trials are graded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::assertion::Assertions;
use crate::judge::WrittenJudge;
use crate::names::CaseId;

/// One case of a dataset, as written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvalCase {
    /// The case's id, unique in a run.
    #[schemars(length(min = 1))]
    pub id: CaseId,
    /// What the case is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The prompt sent to the client, byte for byte. Not blank.
    #[schemars(regex(pattern = r"\S"))]
    pub input: String,
    /// The case's own client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub client: Option<String>,
    /// The case's own model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The case's own client options, over what it inherits when it uses the same client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_options: Option<Map<String, Value>>,
    /// How many times the case runs; the eval config's `trials` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub trials: Option<u32>,
    /// The share of trials that must pass, 0 to 1; the eval config's `passThreshold` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub pass_threshold: Option<f64>,
    /// How often each judge of the case is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub judge_reps: Option<u32>,
    /// The case's ground truth. MST knows `answer`, `criteria` and `writes`; judges get all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Map<String, Value>>,
    /// Tags to filter and group by. `regression` and `held-out` have a meaning of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Anything else, handed to judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Checks that need no model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assertions: Option<Assertions>,
    /// The case's own judges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<WrittenJudge>")]
    pub judges: Vec<Value>,
}
