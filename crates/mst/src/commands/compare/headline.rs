//! The headline cases of one variant in two runs, counted: what a plan rests on.

use std::path::Path;

use indexmap::IndexMap;
use mst_cli::CliError;
use mst_measure::stats::PairedCase;
use mst_model::VariantName;

use super::stored::Named;

/// Returns the passes of each headline case (not tagged `regression`, or all when every case is) that is complete on both
/// sides.
///
/// # Errors
/// A run's results cannot be read.
pub(crate) fn headline_pairs(old: &Path, new: &Path, variant: &VariantName) -> Result<Vec<PairedCase>, CliError> {
    let mut identities = IndexMap::new();
    let (old, new) = (Named::at(old)?.read(&mut identities)?, Named::at(new)?.read(&mut identities)?);
    let (old, new) = (old.side(variant), new.side(variant));
    let guards_only = new.values().all(|case| case.is_regression);
    let both = new.iter().filter(|(_, case)| case.is_regression == guards_only);
    let both = both.filter_map(|(id, case)| Some((old.get(id)?, case)));
    let whole = both.filter(|(old, new)| old.pass.is_some() && new.pass.is_some());
    Ok(whole.map(|(old, new)| PairedCase { baseline: old.passes, candidate: new.passes }).collect())
}
