//! Reads a dataset's text case by case, so that no more than one case is ever held as a tree.
//!
//! It knows only whether a text is right. What is wrong with one, and where, is told by the slower way of every other
//! document, which holds the whole of it.

use std::fmt;

use mst_model::{Dataset, EvalCase};
use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::cases::Cases;
use crate::check::check;
use crate::dataset::{CaseHead, DatasetText};
use crate::shape::Shape;
use crate::source::Strict;

/// Reads a dataset; `None` when anything is wrong with it.
pub(crate) fn read(text: &str, shape: &Shape) -> Option<DatasetText> {
    let Shape::Object(object) = shape else { return None };
    let Some(Shape::List(list)) = object.properties.get("cases") else { return None };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let top = Top { case: &list.items };
    let (head, heads, mut cases) = top.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    let head = Value::Object(head);
    if !check(shape, &head, 0).is_empty() {
        return None;
    }
    let name = Dataset::deserialize(head).ok()?.name;
    cases.shrink();
    Some(DatasetText { name, heads, cases })
}

/// A dataset's object. Of its cases, only the first is kept in it.
struct Top<'a> {
    case: &'a Shape,
}

type TopParts = (Map<String, Value>, Vec<CaseHead>, Cases);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = TopParts;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<TopParts, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = TopParts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dataset")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TopParts, A::Error> {
        let mut head = Map::new();
        let (mut heads, mut cases) = (Vec::new(), Cases::default());
        while let Some(key) = map.next_key::<String>()? {
            let value = if key == "cases" {
                map.next_value_seed(List { case: self.case, heads: &mut heads, cases: &mut cases })?
            } else {
                map.next_value_seed(Strict)?
            };
            if head.insert(key, value).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok((head, heads, cases))
    }
}

/// The list of cases. Its value is a list of the first one.
struct List<'a> {
    case: &'a Shape,
    heads: &'a mut Vec<CaseHead>,
    cases: &'a mut Cases,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of cases")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut first = Vec::new();
        while let Some(value) = seq.next_element_seed(Strict)? {
            if !check(self.case, &value, 0).is_empty() {
                return Err(A::Error::custom("a case that is not of its shape"));
            }
            if first.is_empty() {
                first.push(value.clone());
            }
            let case = EvalCase::deserialize(value).map_err(A::Error::custom)?;
            self.heads.push(CaseHead::of(&case));
            self.cases.push(&case);
        }
        Ok(Value::Array(first))
    }
}
