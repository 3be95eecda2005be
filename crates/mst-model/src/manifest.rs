//! `manifest.json`: what a result store has of a run. It is written last, so that a run with one is all there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the manifest's form.
pub const MANIFEST_FORMAT: u32 = 1;

/// The files of a run in a result store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Always 1.
    #[schemars(extend("const" = MANIFEST_FORMAT))]
    pub format: u32,
    /// Always `manifest`.
    #[schemars(extend("const" = "manifest"))]
    pub kind: String,
    /// Every file of the run but this one, by its path in the run, with `/` between segments.
    pub files: BTreeMap<String, ManifestFile>,
}

/// What is known of a file's bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManifestFile {
    /// How many bytes it has.
    pub size: u64,
    /// Their SHA-256, in lower-case hex digits.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub sha256: String,
}

impl Manifest {
    /// Makes the manifest of files.
    pub fn new(files: BTreeMap<String, ManifestFile>) -> Self {
        Self { format: MANIFEST_FORMAT, kind: "manifest".to_owned(), files }
    }

    /// Returns how many bytes the files have together.
    pub fn size(&self) -> u64 {
        self.files.values().fold(0, |sum, file| sum.saturating_add(file.size))
    }
}
