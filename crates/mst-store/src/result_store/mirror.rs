//! What a run in a store says of itself, in a folder that is gone afterwards: enough for its row and for a comparison, and
//! no transcript.

use mst_model::RunId;
use tempfile::TempDir;

use super::error::StoredRunError;
use super::stored_eval::StoredEval;
use crate::atomic::write_with;
use crate::error::StoreError;
use crate::layout::EvalLayout;

/// The files of a run that say what it came to.
const TOLD: [&str; 3] = ["run.json", "summary.json", "results.json"];

/// An eval's directory with one run, which has [`TOLD`] and nothing else.
pub(crate) struct Mirror {
    eval: EvalLayout,
    _folder: TempDir,
}

impl Mirror {
    /// Returns the directory.
    pub(crate) fn eval(&self) -> &EvalLayout {
        &self.eval
    }
}

impl StoredEval {
    /// Fetches what a run says of itself, checked against its manifest.
    ///
    /// # Errors
    /// When the run has no manifest, something of it is not as the manifest says, or it cannot be written here.
    pub(crate) fn mirror(&self, id: &RunId) -> Result<Mirror, StoredRunError> {
        let manifest = self.whole(id)?;
        let folder = tempfile::tempdir().map_err(StoreError::from)?;
        let eval = EvalLayout::new(folder.path());
        let run = eval.run(id);
        for path in TOLD.into_iter().filter(|path| manifest.files.contains_key(*path)) {
            let mut fault = None;
            write_with(&run.root().join(path), |file| {
                use std::io::Write as _;
                let copied =
                    self.copy(id, &manifest, path, &mut |chunk| Ok(file.write_all(chunk).map_err(StoreError::from)?));
                fault = copied.err();
                Ok(())
            })?;
            if let Some(fault) = fault {
                return Err(fault);
            }
        }
        Ok(Mirror { eval, _folder: folder })
    }
}
