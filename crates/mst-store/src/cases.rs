//! Reads `results.json` a case at a time, as whole cases or parts of them: a run of any size needs memory for one.

use std::fmt;
use std::io::BufReader;
use std::marker::PhantomData;

use mst_model::{CaseResult, RUN_FORMAT};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::error::StoreError;
use crate::read::read;
use crate::reader::RunReader;

/// The largest `results.json`, in bytes, that is held in memory while it is read; a larger one is streamed.
const HELD_WHOLE: u64 = 32 << 20;

impl RunReader {
    /// Reads `results.json` a case at a time, in its order, transcripts and all. What `take` fails with ends the reading.
    ///
    /// # Errors
    /// What `take` fails with; or the file is absent, is of another run or format, or is no whole JSON document.
    pub fn each_case<E: From<StoreError>>(&self, take: impl FnMut(CaseResult) -> Result<(), E>) -> Result<(), E> {
        self.each(take)
    }

    /// Reads each case as far as `T` goes.
    ///
    /// # Errors
    /// As [`RunReader::each_case`].
    pub fn each<T, E>(&self, mut take: impl FnMut(T) -> Result<(), E>) -> Result<(), E>
    where
        T: for<'de> Deserialize<'de>,
        E: From<StoreError>,
    {
        let path = self.layout().results();
        let file = fs_err::File::open(&path).map_err(StoreError::from)?;
        let size = file.metadata().map_err(StoreError::from)?.len();
        let mut failure = None;
        // An error of the taker ends the reading as an error of the reader would.
        let take = |case: T| take(case).map_err(|error| failure = Some(error)).is_ok();
        let document = Document { run_id: self.id().as_str(), take, case: PhantomData::<T> };
        let done = if size <= HELD_WHOLE {
            // From memory, JSON is read several times as fast as from a stream.
            let bytes = read(&path).map_err(StoreError::from)?;
            whole(document, &mut serde_json::Deserializer::from_slice(&bytes))
        } else {
            let file = BufReader::with_capacity(1 << 18, file);
            whole(document, &mut serde_json::Deserializer::from_reader(file))
        };
        if let Some(failure) = failure {
            return Err(failure);
        }
        done.map_err(|source| StoreError::Shape { path, source }.into())
    }
}

/// Reads a document to its end.
fn whole<'de, R: serde_json::de::Read<'de>, T: Deserialize<'de>>(
    document: Document<'_, T, impl FnMut(T) -> bool>,
    json: &mut serde_json::Deserializer<R>,
) -> Result<(), serde_json::Error> {
    document.deserialize(&mut *json)?;
    json.end()
}

/// The whole document, of which the cases are handed on as they come.
struct Document<'a, T, F> {
    run_id: &'a str,
    take: F,
    case: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> bool> DeserializeSeed<'de> for Document<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> bool> Visitor<'de> for Document<'_, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the results of a run")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut seen = false;
        while let Some(key) = map.next_key::<String>()? {
            let wanted = match key.as_str() {
                "format" => RUN_FORMAT,
                "kind" => "results",
                "runId" => self.run_id,
                "cases" => {
                    map.next_value_seed(Cases { take: &mut self.take, case: PhantomData::<T> })?;
                    seen = true;
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            let found = map.next_value::<String>()?;
            if found != wanted {
                return Err(A::Error::custom(format!("{key} is {found:?}, expected {wanted:?}")));
            }
        }
        if seen { Ok(()) } else { Err(A::Error::missing_field("cases")) }
    }
}

/// The list of cases.
struct Cases<'a, T, F> {
    take: &'a mut F,
    case: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> bool> DeserializeSeed<'de> for Cases<'_, T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> bool> Visitor<'de> for Cases<'_, T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of cases")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cases: A) -> Result<(), A::Error> {
        while let Some(case) = cases.next_element::<T>()? {
            if !(self.take)(case) {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcomes::CaseOutcome;

    #[test]
    fn cases_are_handed_on_one_by_one_and_what_is_no_results_file_is_refused() {
        let cases = r#"[{ "id": "a", "variant": "v", "request": {}, "transcript": { "events": [1] } },
            { "id": "b", "variant": "v", "request": {}, "later": { "x": null } }]"#;
        let results = |kind: &str, run: &str| {
            format!(r#"{{ "format": "mst.run/v1", "kind": "{kind}", "runId": "{run}", "new": 1, "cases": {cases} }}"#)
        };
        for (text, want) in [
            (results("results", "r"), Ok("a b")),
            (results("summary", "r"), Err("kind is \"summary\", expected \"results\"")),
            (results("results", "other"), Err("runId is \"other\", expected \"r\"")),
            (results("results", "r").replace("mst.run/v1", "mst.run/v2"), Err("format is \"mst.run/v2\"")),
            (results("results", "r").replace("\"cases\"", "\"list\""), Err("missing field `cases`")),
            (results("results", "r").replace("\"id\": \"b\", ", ""), Err("missing field `id`")),
            (results("results", "r")[..120].to_owned(), Err("EOF")),
            (format!("{} trailing", results("results", "r")), Err("trailing characters")),
            ("[]".to_owned(), Err("expected the results of a run")),
        ] {
            let mut seen = Vec::new();
            let take = |case: CaseOutcome| {
                seen.push(case.id.to_string());
                true
            };
            let document = Document { run_id: "r", take, case: PhantomData };
            let read =
                whole(document, &mut serde_json::Deserializer::from_str(&text)).map_err(|error| error.to_string());
            match want {
                Ok(ids) => assert_eq!((read, seen.join(" ").as_str()), (Ok(()), ids)),
                Err(says) => assert!(read.as_ref().is_err_and(|error| error.contains(says)), "{says}: {read:?}"),
            }
        }
    }
}
