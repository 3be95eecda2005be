//! `history.json` as it is written: a row a line, so that a file of many rows is small and a change of one shows as one.

use std::io::{BufWriter, Write as _};

use mst_model::{HISTORY_FORMAT, History, HistoryRow};
use serde::Serialize;
use serde_json::Value;

use crate::atomic::write_with;
use crate::error::StoreError;
use crate::layout::EvalLayout;
use crate::lock::DirectoryLock;
use crate::read::read;

/// Reads the rows of `history.json`, as far as it holds any: it is a cache, and what cannot be read of it is built again.
/// `None` when there is no such file.
pub(super) fn read_rows(eval: &EvalLayout) -> Option<Result<Vec<HistoryRow>, String>> {
    let path = eval.history();
    let bytes = match read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(Err(error.to_string())),
    };
    Some(parse_rows(&bytes).map_err(|why| format!("{}: {why}", path.display())))
}

/// Reads the rows in the bytes of a `history.json`.
pub(super) fn parse_rows(bytes: &[u8]) -> Result<Vec<HistoryRow>, String> {
    let mut raw = serde_json::from_slice::<Value>(bytes).map_err(|error| error.to_string())?;
    let format = raw.get("format").and_then(Value::as_str).unwrap_or("none").to_owned();
    if format != HISTORY_FORMAT {
        return Err(format!("format {format:?}, expected {HISTORY_FORMAT:?}"));
    }
    let rows = raw.get_mut("rows").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
    // One row of another version must not cost the others.
    Ok(rows.into_iter().filter_map(|row| serde_json::from_value(row).ok()).collect())
}

/// Replaces `history.json` in one step.
pub(super) fn write(eval: &EvalLayout, history: &History) -> Result<(), StoreError> {
    let _lock = DirectoryLock::eval(eval.root())?;
    write_with(&eval.history(), |file| {
        let mut out = BufWriter::new(file);
        write_to(&mut out, history)?;
        Ok(out.flush()?)
    })
}

/// Writes a history as it is stored.
pub(super) fn write_to(out: &mut impl std::io::Write, history: &History) -> std::io::Result<()> {
    write!(out, "{{\n  \"format\": {},\n  \"rows\": ", json(&history.format))?;
    list(out, &history.rows)?;
    write!(out, ",\n  \"skipped\": ")?;
    list(out, &history.skipped)?;
    out.write_all(b"\n}\n")
}

fn list<T: Serialize>(out: &mut impl std::io::Write, items: &[T]) -> std::io::Result<()> {
    if items.is_empty() {
        return out.write_all(b"[]");
    }
    for (at, item) in items.iter().enumerate() {
        out.write_all(if at == 0 { b"[\n    " } else { b",\n    " })?;
        out.write_all(json(item).as_bytes())?;
    }
    out.write_all(b"\n  ]")
}

fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("a stored type has a JSON form")
}
