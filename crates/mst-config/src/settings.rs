//! The shape of `mst.config.json`: settings of plugins, by namespace.

use serde_json::json;

use crate::shape::Shape;

/// Returns the shape of the file.
pub(crate) fn shape() -> Shape {
    Shape::compile(&json!({
        "title": "MstConfig",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "$schema": { "type": "string" },
            "settings": {
                "type": "object",
                "propertyNames": { "minLength": 1 },
                "additionalProperties": { "type": "object", "additionalProperties": true },
            },
        },
    }))
}
