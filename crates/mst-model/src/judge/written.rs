//! The written form of an entry of `judges` and of `pairwiseJudges`, for the schemas of the documents that people write.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

/// An entry of a `judges` list as written: a reference, or an object with a `type`.
#[derive(Debug)]
pub struct WrittenJudge;

/// The object form. Keys beside these are options of the judge itself.
#[derive(JsonSchema)]
#[schemars(rename = "JudgeObject", rename_all = "camelCase", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "only its schema is used")]
struct JudgeObject {
    /// The judge: a built-in's name or a plugin's reference.
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    kind: String,
    /// The name that results give it; the judge's own when absent.
    #[serde(default)]
    #[schemars(length(min = 1))]
    name: Option<String>,
    /// The mean score from which a trial passes. 0.7 when absent.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    threshold: Option<f64>,
    /// The reference answer, in place of the case's `expected.answer`.
    #[serde(default)]
    reference: Option<Value>,
    /// How often the judge is asked; the case's `judgeReps`, else 1, when absent.
    #[serde(default)]
    #[schemars(range(min = 1))]
    reps: Option<u32>,
    /// The judge on several models, whose majority decides: the options that each member changes.
    #[serde(default)]
    #[schemars(length(min = 1))]
    jury: Option<Vec<Map<String, Value>>>,
    /// The judge's own options, when they do not stand beside these keys.
    #[serde(default)]
    options: Option<Map<String, Value>>,
}

/// An entry of `pairwiseJudges` as written: a reference, or an object with a `type`.
#[derive(Debug)]
pub struct WrittenPairwiseJudge;

/// The object form. Keys beside these are options of the judge itself.
#[derive(JsonSchema)]
#[schemars(rename = "PairwiseJudgeObject", rename_all = "camelCase", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "only its schema is used")]
struct PairwiseJudgeObject {
    /// The pairwise judge: a built-in's name or a plugin's reference.
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    kind: String,
    /// How often the judge is asked in each order. 1 when absent.
    #[serde(default)]
    #[schemars(range(min = 1))]
    reps: Option<u32>,
    /// The judge's own options, when they do not stand beside these keys.
    #[serde(default)]
    options: Option<Map<String, Value>>,
}

impl JsonSchema for WrittenPairwiseJudge {
    fn schema_name() -> Cow<'static, str> {
        "PairwiseJudge".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let object = generator.subschema_for::<PairwiseJudgeObject>();
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, object] })
    }
}

impl JsonSchema for WrittenJudge {
    fn schema_name() -> Cow<'static, str> {
        "Judge".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let object = generator.subschema_for::<JudgeObject>();
        json_schema!({ "anyOf": [{ "type": "string", "minLength": 1 }, object] })
    }
}
