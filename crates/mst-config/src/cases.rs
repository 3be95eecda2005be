//! The cases of a dataset, kept as text: a dataset of a hundred thousand cases takes about the bytes of its file.

use std::collections::BTreeMap;
use std::fmt;

use mst_model::EvalCase;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Cases in order, each as compact JSON and read again when it is asked for.
#[derive(Clone, Default, PartialEq)]
pub struct Cases {
    text: Vec<u8>,
    /// Where each case's text ends.
    ends: Vec<usize>,
    /// The few that would not read as they were written: the JSON reader may be off by the last bit of a long number.
    exact: BTreeMap<usize, EvalCase>,
}

impl Cases {
    /// Adds a case.
    ///
    /// # Panics
    /// Never: a case is made of JSON types.
    pub fn push(&mut self, case: &EvalCase) {
        serde_json::to_writer(&mut self.text, case).expect("a case has a JSON form");
        let index = self.ends.len();
        self.ends.push(self.text.len());
        if self.read(index) != *case {
            self.exact.insert(index, case.clone());
        }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a case by its index.
    ///
    /// # Panics
    /// When the index is not below [`Cases::len`].
    pub fn get(&self, index: usize) -> EvalCase {
        self.exact.get(&index).cloned().unwrap_or_else(|| self.read(index))
    }

    /// Returns every case, in order.
    pub fn iter(&self) -> impl Iterator<Item = EvalCase> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns some of the cases, by index.
    pub(crate) fn select(&self, indices: impl IntoIterator<Item = usize>) -> Self {
        let mut some = Self::default();
        for index in indices {
            if let Some(case) = self.exact.get(&index) {
                some.exact.insert(some.ends.len(), case.clone());
            }
            some.text.extend_from_slice(self.text_of(index));
            some.ends.push(some.text.len());
        }
        some
    }

    /// Adds the cases of another list behind its own.
    pub(crate) fn append(&mut self, other: &Self) {
        let (offset, before) = (self.text.len(), self.ends.len());
        self.exact.extend(other.exact.iter().map(|(index, case)| (index + before, case.clone())));
        self.text.extend_from_slice(&other.text);
        self.ends.extend(other.ends.iter().map(|end| end + offset));
    }

    /// Gives back memory that was taken in advance.
    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn read(&self, index: usize) -> EvalCase {
        serde_json::from_slice(self.text_of(index)).expect("what was written from a case reads as one")
    }

    fn text_of(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }
}

impl fmt::Debug for Cases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<EvalCase> for Cases {
    fn from_iter<I: IntoIterator<Item = EvalCase>>(cases: I) -> Self {
        let mut list = Self::default();
        for case in cases {
            list.push(&case);
        }
        list
    }
}

impl Serialize for Cases {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Cases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<EvalCase>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(id: &str) -> EvalCase {
        let value = json!({
            "id": id, "input": "a\r\n\u{2028}ü", "metadata": { "z": 0.1, "a": 5e-324, "n": 123_456_789.123_456_79 },
            "assertions": { "toolsTriggered": { "calls": [{ "name": "f", "arguments": { "x": 1.797_693_134_862_315_7e308 } }] } },
        });
        serde_json::from_value(value).expect("a case")
    }

    #[test]
    fn a_case_is_read_as_it_was_added() {
        let cases: Vec<EvalCase> = ["a", "", "c\"\\"].into_iter().map(case).collect();
        let kept: Cases = cases.iter().cloned().collect();
        assert_eq!(kept.iter().collect::<Vec<_>>(), cases);
        let mut some = kept.select([2, 0]);
        some.append(&kept);
        let ids: Vec<String> = some.iter().map(|case| case.id.to_string()).collect();
        assert_eq!(ids, ["c\"\\", "a", "a", "", "c\"\\"]);
        let json = serde_json::to_string(&kept).expect("JSON");
        assert_eq!(serde_json::from_str::<Cases>(&json).expect("read"), kept);
    }
}
