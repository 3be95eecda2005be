//! A metric that an eval config lists beside the core ones.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A listed metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricEntry {
    /// The metric's reference.
    pub metric: String,
    /// The name to report it under; the metric's own when absent.
    pub name: Option<String>,
    /// The judge that it is of, by its name in results.
    pub judge: Option<String>,
}

/// The object form: exactly one of `type` and `metric`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MetricObject", extend("oneOf" = [{ "required": ["type"] }, { "required": ["metric"] }]))]
struct MetricObject {
    /// The metric.
    #[serde(rename = "type", default)]
    #[schemars(length(min = 1))]
    kind: Option<String>,
    /// The metric, under its other key.
    #[serde(default)]
    #[schemars(length(min = 1))]
    metric: Option<String>,
    /// The name to report it under.
    #[serde(default)]
    #[schemars(length(min = 1))]
    name: Option<String>,
    /// The judge that `judge_pass_for` or `judge_score_for` is of, by its name in results.
    #[serde(default)]
    #[schemars(length(min = 1))]
    judge: Option<String>,
}

impl<'de> Deserialize<'de> for MetricEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(metric) => Ok(Self { metric, name: None, judge: None }),
            object => {
                let object = MetricObject::deserialize(object).map_err(serde::de::Error::custom)?;
                let metric = object.kind.or(object.metric);
                let metric = metric.ok_or_else(|| serde::de::Error::missing_field("type"))?;
                Ok(Self { metric, name: object.name, judge: object.judge })
            }
        }
    }
}

impl JsonSchema for MetricEntry {
    fn schema_name() -> Cow<'static, str> {
        "MetricEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let object = generator.subschema_for::<MetricObject>();
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, object] })
    }
}
