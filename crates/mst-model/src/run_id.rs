//! Run ids: they sort by start time, and a regrade's id names what it regrades.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::identity::hex;
use crate::time::Timestamp;

/// Random bytes that `main` drew, handed down so that nothing below it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub [u8; 32]);

/// A run's id: `YYYYMMDDTHHMMSSZ-xxxxxx`, with `.g2`, `.g3`, … for a regrade.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

/// A text that is not a run id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a run id: expected YYYYMMDDTHHMMSSZ-xxxxxx, with .g2, .g3, … for a regrade")]
pub struct RunIdError(String);

impl RunId {
    /// Makes the id of a run that starts now, from three random bytes.
    pub fn new(started: Timestamp, random: [u8; 3]) -> Self {
        Self(format!("{}-{}", started.compact(), hex(&random)))
    }

    /// Returns the id as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the short form: the last six characters of the collecting run's id, with any `.g<n>`.
    pub fn short(&self) -> &str {
        &self.0[17..]
    }

    /// Returns the id of the run that collected.
    #[must_use]
    pub fn collecting(&self) -> Self {
        Self(self.0[..23].to_owned())
    }

    /// Returns the id of a regrade of the run that collected; `number` counts from 2.
    #[must_use]
    pub fn regrade(&self, number: u32) -> Self {
        Self(format!("{}.g{}", self.collecting(), number.max(2)))
    }

    /// Returns which grading of its collection the run is: 1 for the run that collected, 2 for its `.g2`, and so on.
    pub fn grading(&self) -> u64 {
        self.0.get(25..).map_or(1, |number| number.parse().unwrap_or(u64::MAX))
    }

    /// Returns whether the id is a regrade's.
    pub fn is_regrade(&self) -> bool {
        self.0.len() > 23
    }
}

impl FromStr for RunId {
    type Err = RunIdError;

    fn from_str(text: &str) -> Result<Self, RunIdError> {
        let bytes = text.as_bytes();
        let well_formed = bytes.len() >= 23
            && text.is_ascii()
            && bytes[..8].iter().all(u8::is_ascii_digit)
            && bytes[8] == b'T'
            && bytes[9..15].iter().all(u8::is_ascii_digit)
            && &bytes[15..17] == b"Z-"
            && bytes[17..23].iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && (bytes.len() == 23
                || text[23..].strip_prefix(".g").is_some_and(|n| {
                    !n.is_empty() && !n.starts_with('0') && n.bytes().all(|b| b.is_ascii_digit()) && n != "1"
                }));
        if well_formed { Ok(Self(text.to_owned())) } else { Err(RunIdError(text.to_owned())) }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for RunId {
    fn schema_name() -> Cow<'static, str> {
        "RunId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^\\d{8}T\\d{6}Z-[0-9a-f]{6}(\\.g\\d+)?$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_and_refused_by_form() {
        for (text, fine) in [
            ("20261007T182504Z-7f3c2a", true),
            ("20261007T182504Z-7f3c2a.g2", true),
            ("20261007T182504Z-7f3c2a.g12", true),
            ("20261007T182504Z-7f3c2a.g1", false),
            ("20261007T182504Z-7f3c2a.g", false),
            ("20261007T182504Z-7F3C2A", false),
            ("../20261007T182504Z-7f3c2a", false),
            ("7f3c2a", false),
        ] {
            assert_eq!(text.parse::<RunId>().is_ok(), fine, "{text}");
        }
    }

    #[test]
    fn the_short_form_is_the_last_six_characters() {
        let id: RunId = "20261007T182504Z-7f3c2a.g2".parse().expect("well formed");
        assert_eq!(id.short(), "7f3c2a.g2");
        assert!(id.is_regrade());
        assert_eq!((id.grading(), id.collecting().grading(), id.regrade(12).grading()), (2, 1, 12));
    }
}
