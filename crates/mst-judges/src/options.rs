//! Reading a judge's options key by key, so that what is left at the end is unknown.

use serde_json::{Map, Value};

/// The options that were not read yet.
pub(crate) struct Options(Map<String, Value>);

impl Options {
    pub(crate) fn new(options: &Map<String, Value>) -> Self {
        Self(options.clone())
    }

    /// Takes a value out.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        self.0.shift_remove(key)
    }

    /// Takes a text that is not blank.
    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(_) => Err(format!("{key:?} has to be a text that is not blank")),
        }
    }

    /// Takes a whole number from 1 up.
    pub(crate) fn count(&mut self, key: &str) -> Result<Option<u32>, String> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let whole = value.as_u64().or_else(|| value.as_f64().filter(|number| number.fract() == 0.0).map(|n| n as u64));
        match whole.and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{key:?} has to be a whole number from 1 to {}", u32::MAX)),
        }
    }

    /// Takes a number from 0 to 1.
    pub(crate) fn share(&mut self, key: &str) -> Result<Option<f64>, String> {
        match self.take(key).map(|value| value.as_f64()) {
            None => Ok(None),
            Some(Some(number)) if (0.0..=1.0).contains(&number) => Ok(Some(number)),
            Some(_) => Err(format!("{key:?} has to be a number from 0 to 1")),
        }
    }

    /// Ends the reading: what is left is unknown.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("unknown option {key:?}")),
        }
    }
}
