//! The published JSON Schemas under `schema/`, generated from the types.

use std::path::{Path, PathBuf};

/// Returns every schema's file and its text.
pub(crate) fn generated(root: &Path) -> Vec<(PathBuf, String)> {
    let folder = root.join("schema");
    mst_config::published_schemas()
        .into_iter()
        .map(|published| {
            let text = serde_json::to_string_pretty(&published.schema).expect("a JSON value has a text");
            (folder.join(published.path), text + "\n")
        })
        .collect()
}
