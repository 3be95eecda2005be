//! Writes the page of an eval's history beside `history.json`.

use std::path::{Path, PathBuf};

use mst_model::{History, RunId};
use mst_report::history_html;
use mst_store::{EvalLayout, StoreError, build_history, write_atomic};

/// Builds the page of what `history.json` holds, with the runs that it lacks, and returns its path.
///
/// # Errors
/// When the runs cannot be listed or the page not be written.
pub(crate) fn build(eval: &EvalLayout) -> Result<PathBuf, StoreError> {
    let history = build_history(eval, false)?.history;
    let has_report = |run: &RunId| eval.run(run).report().is_file();
    write_atomic(&eval.history_page(), history_html(&history, &name(eval, &history), &has_report).as_bytes())?;
    Ok(eval.history_page())
}

/// Returns the eval's name: its newest run's, else its folder's.
fn name(eval: &EvalLayout, history: &History) -> String {
    let of_folder = || eval.root().file_name().unwrap_or(Path::new("eval").as_os_str()).to_string_lossy().into_owned();
    history.rows.first().map_or_else(of_folder, |row| row.config_id.clone())
}
