//! The kinds of result store that configs may name and this version does not have.

use mst_model::{CatalogEntry, ExtensionKind, Requirements};
use serde_json::json;

/// Returns the catalog entries of the kinds that this version lacks, each with what its refusal says.
pub fn unavailable_result_stores() -> Vec<CatalogEntry> {
    let gcs = CatalogEntry {
        kind: ExtensionKind::ResultStore,
        name: "gcs".to_owned(),
        description: "A bucket of Google Cloud Storage, written gs://BUCKET/PREFIX".to_owned(),
        options: json!({}),
        tool_metadata: false,
        max_concurrency: None,
        requirements: Requirements::default(),
        requires: Vec::new(),
        version: None,
        swap_positions: None,
        unavailable: Some("the result store \"gcs\" (gs://…) is not available in this version of mst".to_owned()),
    };
    vec![gcs]
}
