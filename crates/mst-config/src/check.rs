//! The walk of a document along its shape: every mistake at once, each with its place.

use serde_json::{Map, Value};

use crate::diagnostic::Code;
use crate::issue::{Issue, Place, escape};
use crate::key::{self, Refusal};
use crate::rule;
use crate::shape::{List, Number, Object, Shape, Text};
use crate::suggest;

/// Checks a document and returns what is wrong with it.
pub(crate) fn check(shape: &Shape, root: &Value, document: usize) -> Vec<Issue> {
    let mut checker = Checker { document, path: Vec::new(), case: None, issues: Vec::new() };
    checker.value(shape, root);
    checker.issues
}

/// One step from a value to a part of it.
#[derive(Clone, Copy)]
pub(crate) enum Step<'v> {
    Key(&'v str),
    Item(usize),
}

/// The state of a walk: where it is and what it found.
pub(crate) struct Checker<'v> {
    document: usize,
    path: Vec<Step<'v>>,
    /// The id of the case that the walk is in.
    case: Option<&'v str>,
    issues: Vec<Issue>,
}

impl<'v> Checker<'v> {
    /// Reports a mistake at the walk's place.
    pub(crate) fn report(&mut self, code: Code, message: impl AsRef<str>) {
        let place = Place::value(self.document, self.pointer());
        self.push(Issue::error(place, code, self.in_case(message.as_ref())));
    }

    /// Reports a mistake about a key of the object at the walk's place.
    pub(crate) fn report_key(&mut self, key: &str, refusal: Refusal) {
        let place = Place::key(self.document, format!("{}/{}", self.pointer(), escape(key)));
        let message = self.in_case(&refusal.message);
        self.push(Issue::error(place, refusal.code, message).with_help_if(refusal.help));
    }

    /// Reports a mistake at a member of the object at the walk's place.
    pub(crate) fn report_at(&mut self, steps: &[Step<'v>], code: Code, message: impl AsRef<str>) {
        let depth = self.path.len();
        self.path.extend_from_slice(steps);
        self.report(code, message);
        self.path.truncate(depth);
    }

    /// Adds help to the mistake reported last.
    pub(crate) fn help(&mut self, help: Option<String>) {
        if let Some(last) = self.issues.last_mut() {
            last.help = help;
        }
    }

    /// Does something one step deeper.
    pub(crate) fn within(&mut self, step: Step<'v>, inside: impl FnOnce(&mut Self)) {
        self.path.push(step);
        inside(self);
        self.path.pop();
    }

    fn push(&mut self, issue: Issue) {
        self.issues.push(issue);
    }

    fn in_case(&self, message: &str) -> String {
        self.case.map_or_else(|| message.to_owned(), |id| format!("case {id:?}: {message}"))
    }

    fn pointer(&self) -> String {
        self.path.iter().fold(String::new(), |mut pointer, step| {
            pointer.push('/');
            match step {
                Step::Key(key) => pointer.push_str(&escape(key)),
                Step::Item(at) => pointer.push_str(&at.to_string()),
            }
            pointer
        })
    }

    /// Returns the name of what is looked at: its key, with the index in a list.
    pub(crate) fn subject(&self) -> String {
        let key = self.path.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(*key),
            Step::Item(_) => None,
        });
        match (self.path.last(), key) {
            (Some(Step::Key(key)), _) => format!("{key:?}"),
            (Some(Step::Item(at)), Some(key)) => format!("item {} of {key:?}", at + 1),
            (Some(Step::Item(at)), None) => format!("item {}", at + 1),
            (None, _) => "the document".to_owned(),
        }
    }

    fn value(&mut self, shape: &Shape, value: &'v Value) {
        if !shape.takes_type(value) {
            return self.wrong_type(shape, value);
        }
        match (shape, value) {
            (Shape::Text(shape), Value::String(text)) => self.text(shape, text),
            (Shape::Word(words), value) => self.word(words, value),
            (Shape::Number(shape), Value::Number(number)) => self.number(shape, number),
            (Shape::List(shape), Value::Array(items)) => self.list(shape, items),
            (Shape::Object(shape), Value::Object(object)) => self.object(shape, object),
            (Shape::Union(shapes), value) => self.union(shapes, value),
            _ => {}
        }
    }

    fn wrong_type(&mut self, shape: &Shape, value: &Value) {
        if let Some(refusal) = self.path.last().and_then(|step| match step {
            Step::Key(key) => key::value_refusal(key, value),
            Step::Item(_) => None,
        }) {
            self.report(refusal.code, refusal.message);
            return self.help(refusal.help);
        }
        let message = format!("{} must be {}, not {}", self.subject(), shape.words(), type_words(value));
        self.report(Code::WrongType, message);
    }

    fn text(&mut self, shape: &Text, text: &str) {
        if shape.not_empty && text.is_empty() {
            return self.report(Code::InvalidValue, format!("{} is empty", self.subject()));
        }
        let Some((pattern, regex)) = &shape.pattern else { return };
        if regex.find(text).is_some() {
            return;
        }
        let message = match (pattern.as_str(), self.path.last()) {
            (r"\S", _) => format!("{} is blank", self.subject()),
            (_, Some(Step::Key("protocol"))) => {
                format!("\"protocol\" must be \"legacy\", \"auto\" or a revision such as \"2025-11-25\", not {text:?}")
            }
            (pattern, _) => format!("{} must match {pattern}", self.subject()),
        };
        self.report(Code::InvalidValue, message);
    }

    fn word(&mut self, words: &[Value], value: &Value) {
        if words.contains(value) {
            return;
        }
        let keys = self.path.iter().rev().filter_map(|step| match step {
            Step::Key(key) => Some(*key),
            Step::Item(_) => None,
        });
        if let Some(refusal) = keys.take(2).find_map(|key| key::value_refusal(key, value)) {
            self.report(refusal.code, refusal.message);
            return self.help(refusal.help);
        }
        let allowed = Shape::Word(words.to_vec()).words();
        self.report(Code::InvalidValue, format!("{} must be {allowed}, not {value}", self.subject()));
        if let Value::String(text) = value {
            let near = suggest::nearest(text, words.iter().filter_map(Value::as_str));
            self.help(near.map(|near| format!("did you mean {near:?}?")));
        }
    }

    fn number(&mut self, shape: &Number, number: &serde_json::Number) {
        let value = number.as_f64().unwrap_or(f64::NAN);
        let subject = self.subject();
        if shape.whole && !(number.is_i64() || number.is_u64()) {
            return self.report(Code::WrongType, format!("{subject} must be a whole number, not {number}"));
        }
        if let Some(min) = shape.min.filter(|min| value < *min) {
            return self.report(Code::InvalidValue, format!("{subject} must be at least {min}, not {number}"));
        }
        if let Some(max) = shape.max.filter(|max| value > *max) {
            self.report(Code::InvalidValue, format!("{subject} must be at most {max}, not {number}"));
        }
    }

    fn list(&mut self, shape: &List, items: &'v [Value]) {
        if shape.not_empty && items.is_empty() {
            self.report(Code::InvalidValue, format!("{} is an empty list", self.subject()));
        }
        for (at, item) in items.iter().enumerate() {
            self.within(Step::Item(at), |inside| {
                inside.value(&shape.items, item);
                if shape.unique && items[..at].contains(item) {
                    inside
                        .report(Code::DuplicateName, format!("{} is {item}, which is listed before", inside.subject()));
                }
            });
        }
    }

    fn union(&mut self, shapes: &[Shape], value: &'v Value) {
        let fitting: Vec<&Shape> = shapes.iter().filter(|shape| shape.takes_type(value)).collect();
        let Value::Object(object) = value else {
            if let [only] | [only, ..] = fitting.as_slice() {
                self.value(only, value);
            }
            return;
        };
        let objects: Vec<&Object> = fitting
            .into_iter()
            .filter_map(|shape| match shape {
                Shape::Object(object) => Some(object),
                _ => None,
            })
            .collect();
        match objects.as_slice() {
            [] => {}
            [only] => self.object(only, object),
            [first, ..] => self.tagged(first, &objects, object),
        }
    }

    /// Walks the one of several objects whose fixed key says so.
    fn tagged(&mut self, first: &Object, shapes: &[&Object], object: &'v Map<String, Value>) {
        let is_fixed = |shape: &Object, key: &str| matches!(shape.properties.get(key), Some(Shape::Word(_)));
        let Some(tag) = first.properties.keys().find(|key| shapes.iter().all(|shape| is_fixed(shape, key))) else {
            return;
        };
        let words_of = |shape: &Object| match shape.properties.get(tag) {
            Some(Shape::Word(words)) => words.clone(),
            _ => Vec::new(),
        };
        let all: Vec<Value> = shapes.iter().flat_map(|shape| words_of(shape)).collect();
        if let Some((key, value)) = object.get_key_value(tag) {
            return match shapes.iter().find(|shape| words_of(shape).contains(value)) {
                Some(shape) => self.object(shape, object),
                None => self.within(Step::Key(key), |inside| inside.word(&all, value)),
            };
        }
        let other = object.keys().find_map(|key| Some((key, key::refusal(&first.name, key)?)));
        if let Some((key, refusal)) = other {
            return self.report_key(key, refusal);
        }
        self.report(Code::MissingKey, format!("{tag:?} is missing: {}", Shape::Word(all).words()));
    }

    fn object(&mut self, shape: &Object, object: &'v Map<String, Value>) {
        let outer = self.case;
        if shape.name == "EvalCase" {
            self.case = object.get("id").and_then(Value::as_str);
        }
        for (key, value) in object {
            match (shape.properties.get(key), &shape.rest) {
                (Some(Shape::Never), _) => {
                    let refusal = key::refusal(&shape.name, key).unwrap_or_else(|| unknown_key(shape, key));
                    self.report_key(key, refusal);
                }
                (Some(property), _) => self.within(Step::Key(key), |inside| inside.value(property, value)),
                (None, Some(rest)) => {
                    if shape.named_keys && key.is_empty() {
                        self.report(Code::InvalidValue, format!("{} has an empty key", self.subject()));
                    }
                    self.within(Step::Key(key), |inside| inside.value(rest, value));
                }
                (None, None) => {
                    let refusal = key::refusal(&shape.name, key).unwrap_or_else(|| unknown_key(shape, key));
                    self.report_key(key, refusal);
                }
            }
        }
        for key in shape.required.iter().filter(|key| !object.contains_key(*key)) {
            // A key under a wrong name is one mistake, told where it stands.
            if !object.keys().any(|other| meant(shape, other) == Some(key)) {
                self.report(Code::MissingKey, format!("{key:?} is missing"));
            }
        }
        if !shape.one_of.is_empty() {
            let given = shape.one_of.iter().filter(|key| object.contains_key(*key)).count();
            if given != 1 {
                let keys: Vec<String> = shape.one_of.iter().map(|key| format!("{key:?}")).collect();
                let code = if given == 0 { Code::MissingKey } else { Code::Conflict };
                self.report(code, format!("exactly one of {} has to be there", keys.join(" and ")));
            }
        }
        rule::object(self, &shape.name, object);
        self.case = outer;
    }
}

fn unknown_key(shape: &Object, key: &str) -> Refusal {
    Refusal {
        code: Code::UnknownKey,
        message: format!("unknown key {key:?}"),
        help: suggest::help(key, known_keys(shape)),
    }
}

fn known_keys(shape: &Object) -> Vec<&str> {
    let known = shape.properties.iter().filter(|(_, shape)| !matches!(shape, Shape::Never));
    known.map(|(key, _)| key.as_str()).collect()
}

/// Returns the key that a key nothing knows most likely stands for.
fn meant<'s>(shape: &'s Object, key: &str) -> Option<&'s str> {
    let is_never = match shape.properties.get(key) {
        Some(Shape::Never) => true,
        Some(_) => return None,
        None => false,
    };
    match key::renamed(&shape.name, key) {
        Some(new) => Some(new),
        None if is_never || shape.rest.is_some() => None,
        None => suggest::nearest(key, known_keys(shape)),
    }
}

/// Returns what a value is, without showing it.
pub(crate) fn type_words(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
