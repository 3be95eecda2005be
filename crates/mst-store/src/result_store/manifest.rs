//! Reads a manifest that a store holds: text from outside, which names files that are to be made here.

use std::collections::BTreeSet;
use std::io::Read;

use mst_ext::StoreKey;
use mst_model::{MANIFEST_FORMAT, Manifest};
use serde::Deserialize;

use super::local_files::MANIFEST;
use crate::atomic::TEMPORARY;

/// The longest manifest that is read, in bytes: some half a million files.
pub(super) const LONGEST_MANIFEST: u64 = 128 * 1024 * 1024;

/// What a manifest says of its form.
#[derive(Deserialize)]
struct Head {
    format: serde_json::Value,
    kind: serde_json::Value,
}

/// Reads a manifest; `None` when there are no bytes, which is how a store that removes nothing takes one back.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read_manifest(body: &mut dyn Read) -> Result<Option<Manifest>, String> {
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| format!("its manifest cannot be read: {error}");
    body.take(LONGEST_MANIFEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > LONGEST_MANIFEST {
        return Err(format!("its manifest is longer than {} MiB", LONGEST_MANIFEST >> 20));
    }
    let shape = |error: serde_json::Error| format!("its manifest is damaged: {error}");
    let head: Head = serde_json::from_slice(&bytes).map_err(shape)?;
    if head.kind != "manifest" {
        return Err(format!("its manifest says that it is {}", head.kind));
    }
    if head.format != MANIFEST_FORMAT {
        return Err(format!(
            "its manifest has the format {}, and this mst reads {MANIFEST_FORMAT}: upgrade mst",
            head.format
        ));
    }
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(shape)?;
    check_paths(&manifest)?;
    Ok(Some(manifest))
}

/// Refuses paths that could not all be files below one folder.
fn check_paths(manifest: &Manifest) -> Result<(), String> {
    if !manifest.files.contains_key("run.json") {
        return Err("its manifest lists no run.json".to_owned());
    }
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for (path, file) in &manifest.files {
        let key = StoreKey::new(path.as_str()).map_err(|error| format!("its manifest lists the path {error}"))?;
        if path == MANIFEST {
            return Err("its manifest lists itself".to_owned());
        }
        if key.parts().any(|part| part.starts_with(TEMPORARY)) {
            return Err(format!("its manifest lists {path:?}, which is no file of a run"));
        }
        if file.sha256.len() != 64 || !file.sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(format!("its manifest has no SHA-256 for {path:?}"));
        }
        folders.extend(path.match_indices('/').map(|(at, _)| &path[..at]));
    }
    match folders.iter().find(|folder| manifest.files.contains_key(**folder)) {
        Some(both) => Err(format!("its manifest lists {both:?} as a file and as a folder")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(value: &Value) -> Result<Option<Manifest>, String> {
        read_manifest(&mut value.to_string().as_bytes())
    }

    #[test]
    fn a_manifest_names_files_below_one_folder_or_is_refused() {
        let file = || json!({ "size": 1, "sha256": "0".repeat(64) });
        let with = |path: &str| {
            let mut value = json!({ "format": 1, "kind": "manifest", "files": { "run.json": file() } });
            value["files"][path] = file();
            value
        };
        for path in ["results.json", "transcripts/v/c%2F1/0.json", "report/data/a b.js", "x/.hidden"] {
            let manifest = read(&with(path)).expect(path).expect("there is one");
            assert_eq!(manifest.files.len(), 2);
            assert_eq!(manifest.size(), 2);
        }
        for (path, word) in [
            ("../run.json", "leads elsewhere"),
            ("/etc/passwd", "empty part"),
            ("a/../../b", "leads elsewhere"),
            ("a\\b", "backslash"),
            ("manifest.json", "lists itself"),
            ("scores/.tmp-x", "no file of a run"),
            ("run.json/x", "as a file and as a folder"),
        ] {
            let refused = read(&with(path)).expect_err(path);
            assert!(refused.contains(word), "{path}: {refused}");
        }
        for (value, word) in [
            (json!({ "format": 2, "kind": "manifest", "files": {} }), "upgrade mst"),
            (json!({ "format": 1, "kind": "run", "files": {} }), "says that it is"),
            (json!({ "format": 1, "kind": "manifest", "files": {} }), "no run.json"),
            (
                json!({ "format": 1, "kind": "manifest", "files": { "run.json": { "size": 1, "sha256": "x" } } }),
                "SHA-256",
            ),
            (json!([]), "damaged"),
        ] {
            let refused = read(&value).expect_err(word);
            assert!(refused.contains(word), "{value}: {refused}");
        }
        assert_eq!(read_manifest(&mut &b""[..]), Ok(None));
    }

    #[test]
    fn a_manifest_without_end_is_not_read_to_its_end() {
        let refused = read_manifest(&mut std::io::repeat(b' ')).expect_err("too long");
        assert!(refused.contains("longer than 128 MiB"), "{refused}");
    }
}
