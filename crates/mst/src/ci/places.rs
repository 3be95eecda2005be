//! Where cases stand, as those who show findings look for files.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use mst_cli::{CliError, Env};
use mst_config::{LoadRequest, SelectionFlags, case_lines, load};
use mst_model::{CaseId, VariantName};
use mst_report::CasePlace;

use crate::error;

/// Finds every case. A file's path starts at the job's workspace (`GITHUB_WORKSPACE`), else at the current directory.
pub(super) fn find(request: &LoadRequest, env: &Env) -> Result<IndexMap<CaseId, CasePlace>, CliError> {
    let lines = case_lines(request).map_err(error::diagnostics)?;
    let start = PathBuf::from(env.get("GITHUB_WORKSPACE").unwrap_or("."));
    let start = fs_err::canonicalize(&start).unwrap_or(start);
    let mut names: IndexMap<PathBuf, String> = IndexMap::new();
    let places = lines.into_iter().map(|(id, place)| {
        let file = names.entry(place.file).or_insert_with_key(|file| name(file, &start)).clone();
        (id, CasePlace { file, line: place.line })
    });
    Ok(places.collect())
}

/// Returns every variant of the eval, also those that a selection leaves out.
pub(super) fn variants(request: &LoadRequest) -> Result<Vec<VariantName>, CliError> {
    let whole = LoadRequest { selection: SelectionFlags::default(), ..request.clone() };
    let plan = load(&whole).map_err(error::diagnostics)?.plan;
    Ok(plan.variants.into_iter().map(|variant| variant.name).collect())
}

fn name(file: &Path, start: &Path) -> String {
    let whole = fs_err::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let below = whole.strip_prefix(start).unwrap_or(&whole);
    below.to_string_lossy().replace('\\', "/")
}
