//! The shape of a document: its JSON Schema, made ready for a walk that says what is wrong in people's words.
//!
//! The readers check what the published schemas say, because both are made from the same value; [`crate::rule`] holds
//! what JSON Schema has no words for.

use indexmap::IndexMap;
use regress::Regex;
use serde_json::Value;

use crate::schema::{definition_name, tagged_name};

/// What a value may be.
pub(crate) enum Shape {
    /// Anything.
    Any,
    /// Nothing: the key must not be there.
    Never,
    Bool,
    Text(Text),
    /// One of these values.
    Word(Vec<Value>),
    Number(Number),
    List(List),
    Object(Object),
    /// One of several shapes, told apart by their type or by a key with fixed values.
    Union(Vec<Self>),
}

pub(crate) struct Text {
    pub(crate) not_empty: bool,
    pub(crate) pattern: Option<(String, Regex)>,
}

pub(crate) struct Number {
    pub(crate) whole: bool,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}

pub(crate) struct List {
    pub(crate) items: Box<Shape>,
    pub(crate) not_empty: bool,
    pub(crate) unique: bool,
}

pub(crate) struct Object {
    /// The definition's name, or the property's for an inline object.
    pub(crate) name: String,
    pub(crate) properties: IndexMap<String, Shape>,
    pub(crate) required: Vec<String>,
    /// Keys of which exactly one has to be there.
    pub(crate) one_of: Vec<String>,
    /// What other keys may hold; `None` when there may be none.
    pub(crate) rest: Option<Box<Shape>>,
    pub(crate) named_keys: bool,
}

impl Shape {
    /// Prepares a schema that this crate made.
    pub(crate) fn compile(schema: &Value) -> Self {
        let name = schema.get("title").and_then(Value::as_str).unwrap_or_default();
        Compiler { defs: schema.get("$defs") }.shape(schema, name)
    }

    /// Returns what the shape allows, as words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Never => "nothing".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Text(_) => "a string".to_owned(),
            Self::Word(words) => {
                let words: Vec<String> = words.iter().map(Value::to_string).collect();
                words.join(" or ")
            }
            Self::Number(number) if number.whole => "a whole number".to_owned(),
            Self::Number(_) => "a number".to_owned(),
            Self::List(list) => match list.items.as_ref() {
                Self::Text(_) => "a list of strings".to_owned(),
                _ => "a list".to_owned(),
            },
            Self::Object(_) => "an object".to_owned(),
            Self::Union(shapes) => {
                let mut words: Vec<String> = shapes.iter().map(Self::words).collect();
                words.dedup();
                words.join(" or ")
            }
        }
    }

    /// Returns whether a value has the shape's type, whatever is inside.
    pub(crate) fn takes_type(&self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Never => false,
            Self::Bool => value.is_boolean(),
            Self::Text(_) => value.is_string(),
            Self::Word(words) => words.iter().any(|word| same_type(word, value)),
            Self::Number(_) => value.is_number(),
            Self::List(_) => value.is_array(),
            Self::Object(_) => value.is_object(),
            Self::Union(shapes) => shapes.iter().any(|shape| shape.takes_type(value)),
        }
    }
}

fn same_type(left: &Value, right: &Value) -> bool {
    std::mem::discriminant(left) == std::mem::discriminant(right)
}

struct Compiler<'a> {
    defs: Option<&'a Value>,
}

impl Compiler<'_> {
    fn shape(&self, schema: &Value, name: &str) -> Shape {
        match schema {
            Value::Bool(true) => return Shape::Any,
            Value::Bool(false) => return Shape::Never,
            _ => {}
        }
        if let Some(definition) = schema.get("$ref").and_then(definition_name) {
            let target = self.defs.and_then(|defs| defs.get(definition));
            return target.map_or(Shape::Any, |target| self.shape(target, definition));
        }
        if let Some(word) = schema.get("const") {
            return Shape::Word(vec![word.clone()]);
        }
        if let Some(Value::Array(words)) = schema.get("enum") {
            return Shape::Word(words.clone());
        }
        if let Some(Value::Array(types)) = schema.get("type") {
            return self.several_types(schema, types, name);
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("null") => Shape::Word(vec![Value::Null]),
            Some("boolean") => Shape::Bool,
            Some("string") => Shape::Text(text(schema)),
            Some("integer") => Shape::Number(number(schema, true)),
            Some("number") => Shape::Number(number(schema, false)),
            Some("array") => Shape::List(List {
                items: Box::new(schema.get("items").map_or(Shape::Any, |items| self.shape(items, ""))),
                not_empty: schema["minItems"].as_u64() > Some(0),
                unique: schema["uniqueItems"] == true,
            }),
            Some("object") => Shape::Object(self.object(schema, tagged_name(schema).unwrap_or(name))),
            _ => match schema.get("anyOf").or_else(|| schema.get("oneOf")) {
                Some(Value::Array(branches)) => self.union(branches),
                _ => Shape::Any,
            },
        }
    }

    /// One shape for each type that a value may have.
    fn several_types(&self, schema: &Value, types: &[Value], name: &str) -> Shape {
        let of_type = |kind: &Value| {
            let mut one = schema.clone();
            one["type"] = kind.clone();
            self.shape(&one, name)
        };
        Shape::Union(types.iter().map(of_type).collect())
    }

    /// Flattens a union; one of fixed values alone is a word.
    fn union(&self, branches: &[Value]) -> Shape {
        let mut shapes = Vec::new();
        for branch in branches {
            match self.shape(branch, "") {
                Shape::Union(inner) => shapes.extend(inner),
                Shape::Word(words) => match shapes.last_mut() {
                    Some(Shape::Word(known)) => known.extend(words),
                    _ => shapes.push(Shape::Word(words)),
                },
                shape => shapes.push(shape),
            }
        }
        if shapes.len() == 1 { shapes.remove(0) } else { Shape::Union(shapes) }
    }

    fn object(&self, schema: &Value, name: &str) -> Object {
        let none = serde_json::Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let rest = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(rest) => Some(Box::new(self.shape(rest, name))),
            None => Some(Box::new(Shape::Any)),
        };
        let exactly = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        Object {
            name: name.to_owned(),
            properties: properties.iter().map(|(key, property)| (key.clone(), self.shape(property, key))).collect(),
            required: strings(schema.get("required")),
            one_of: exactly.flat_map(|branch| strings(branch.get("required"))).collect(),
            rest,
            named_keys: schema["propertyNames"]["minLength"].as_u64() > Some(0),
        }
    }
}

fn strings(list: Option<&Value>) -> Vec<String> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn text(schema: &Value) -> Text {
    let pattern = schema.get("pattern").and_then(Value::as_str).map(|pattern| {
        let regex = Regex::with_flags(pattern, "u").expect("patterns of this crate's own schemas are valid");
        (pattern.to_owned(), regex)
    });
    Text { not_empty: schema["minLength"].as_u64() > Some(0), pattern }
}

fn number(schema: &Value, whole: bool) -> Number {
    Number { whole, min: schema["minimum"].as_f64(), max: schema["maximum"].as_f64() }
}
