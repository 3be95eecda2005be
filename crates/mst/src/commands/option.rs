//! One option of a client or a judge, read from the schema of its options.

use serde_json::{Value, json};

/// What the schema says of an option.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownOption {
    name: String,
    takes: String,
    description: Option<String>,
    omitted: Omitted,
}

/// What leaving it out means.
#[derive(Clone, Debug, PartialEq)]
enum Omitted {
    Required,
    Default(Value),
    Described(String),
    NotSet,
}

impl ShownOption {
    /// Reads the options that a schema declares, in its order.
    pub(crate) fn of_schema(schema: &Value) -> Vec<Self> {
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = schema["properties"].as_object().into_iter().flatten();
        properties
            .map(|(name, option)| {
                let text = |key: &str| option.get(key).and_then(Value::as_str).map(str::to_owned);
                let omitted = match (option.get("default"), text("x-defaultDescription")) {
                    (Some(value), _) => Omitted::Default(value.clone()),
                    (None, Some(words)) => Omitted::Described(words),
                    (None, None) if required.contains(&name.as_str()) => Omitted::Required,
                    (None, None) => Omitted::NotSet,
                };
                Self { name: name.clone(), takes: takes(option), description: text("description"), omitted }
            })
            .collect()
    }

    /// Returns the option as `--json` prints it.
    pub(crate) fn to_json(&self) -> Value {
        let mut shown =
            json!({ "name": self.name, "takes": self.takes, "required": self.omitted == Omitted::Required });
        match &self.omitted {
            Omitted::Default(value) => shown["default"] = value.clone(),
            Omitted::Described(words) => shown["defaultDescription"] = json!(words),
            Omitted::Required | Omitted::NotSet => {}
        }
        if let Some(description) = &self.description {
            shown["description"] = json!(description);
        }
        shown
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Says what leaving it out means, and what it takes.
    pub(crate) fn words(&self) -> String {
        let omitted = match &self.omitted {
            Omitted::Required => "required".to_owned(),
            Omitted::Default(value) => value.to_string(),
            Omitted::Described(words) => words.clone(),
            Omitted::NotSet => "not set".to_owned(),
        };
        format!("{omitted} ({})", self.takes)
    }
}

/// Says what values an option takes, in a few words.
fn takes(option: &Value) -> String {
    if let Some(values) = option.get("enum").and_then(Value::as_array) {
        return values
            .iter()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(" | ");
    }
    if let Some(forms) = ["anyOf", "oneOf"].iter().find_map(|key| option.get(key)?.as_array()) {
        return forms.iter().map(takes).collect::<Vec<_>>().join(", or ");
    }
    let kind = option.get("type").and_then(Value::as_str).unwrap_or("anything");
    let number = |key: &str| option.get(key).and_then(Value::as_f64);
    match (number("minimum"), number("maximum")) {
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        (Some(least), None) => format!("{kind} from {least}"),
        (None, Some(most)) => format!("{kind} up to {most}"),
        (None, None) => kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaving_an_option_out_means_is_read_from_the_schema() {
        let schema = json!({ "required": ["a"], "properties": {
            "a": { "type": "string" },
            "b": { "type": "integer", "minimum": 1, "default": 5 },
            "c": { "enum": ["x", "y"], "x-defaultDescription": "the app's own" },
            "d": { "type": "number", "minimum": 0, "maximum": 1 },
            "e": {},
            "f": { "anyOf": [{ "enum": ["x", "y"] }, { "type": "object" }] } } });
        let lines: Vec<String> = ShownOption::of_schema(&schema)
            .iter()
            .map(|option| format!("{}: {}", option.name(), option.words()))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @r"
        a: required (string)
        b: 5 (integer from 1)
        c: the app's own (x | y)
        d: not set (number from 0 to 1)
        e: not set (anything)
        f: not set (x | y, or object)
        ");
    }
}
