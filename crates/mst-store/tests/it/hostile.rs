//! Stored files that were damaged: an error that names the file, never a panic, and never a changed view unseen.

use std::path::Path;

use mst_model::{Results, RunRecord, ScoreRecord, Summary, TrialRecord};
use mst_store::Doc;
use proptest::prelude::*;

use crate::support::files;

/// Reads bytes as every kind; an error must name the file.
fn read_as_everything(bytes: &[u8]) {
    let path = Path::new("some/file.json");
    let errors = [
        Doc::<RunRecord>::parse(bytes, path, "run").err(),
        Doc::<TrialRecord>::parse(bytes, path, "trial").err(),
        Doc::<ScoreRecord>::parse(bytes, path, "score").err(),
        Doc::<Results>::parse(bytes, path, "results").err(),
        Doc::<Summary>::parse(bytes, path, "summary").err(),
    ];
    for error in errors.iter().flatten() {
        assert!(error.to_string().contains("some/file.json"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_file_is_refused_by_name(
        file in 0usize..64,
        at in any::<prop::sample::Index>(),
        edit in prop_oneof![Just(None), any::<u8>().prop_map(Some)],
        cut in any::<bool>(),
    ) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/runs/v1/small");
        let golden = files(&root);
        let mut bytes = golden[file % golden.len()].1.clone();
        let at = at.index(bytes.len());
        match edit {
            Some(byte) => bytes[at] = byte,
            None => drop(bytes.remove(at)),
        }
        if cut {
            bytes.truncate(at);
        }
        read_as_everything(&bytes);
    }
}
