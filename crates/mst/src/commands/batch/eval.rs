//! One eval of a batch, read and checked, with the directory that is its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mst_cli::{CliError, ExitClass, plural};
use mst_config::{Diagnostic, Diagnostics, LoadRequest, Loaded, SelectionFlags, load};
use mst_model::{Clock, sha256_hex};
use mst_store::{EvalLayout, StoredEval};
use serde_json::{Value, json};

use super::existing::{self, Existing};
use crate::{builtins, error, result_store};

/// How many digits of its path's hash stand in a directory's name.
const HASH_DIGITS: usize = 8;

/// What all evals of a batch are read with.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) root_dir: &'a Path,
    pub(super) output_root: Option<&'a Path>,
    pub(super) skip_existing: bool,
    /// `--results`, as typed.
    pub(super) results: Option<&'a str>,
    pub(super) allow_live_writes: bool,
    pub(super) clock: &'a Arc<dyn Clock>,
}

/// An eval that can be run.
pub(super) struct Eval {
    /// Its config, as named.
    pub(super) config: PathBuf,
    pub(super) loaded: Loaded,
    /// The eval in the result store that its runs are kept in too.
    pub(super) stored: Option<StoredEval>,
    /// The run that makes another one needless.
    pub(super) existing: Option<Existing>,
}

/// Reads every eval, so that a mistake in the last is told before the first is paid for.
pub(super) fn load_all(paths: &[PathBuf], request: &Request<'_>) -> Result<Vec<Eval>, CliError> {
    let catalog = builtins::catalog(Arc::clone(request.clock));
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    let mut loads = Vec::new();
    for path in paths {
        let loaded = load(&LoadRequest {
            config_path: path.clone(),
            root_dir: request.root_dir.to_owned(),
            output_dir: request.output_root.map(|root| root.join(directory_name(path, request.root_dir))),
            selection: SelectionFlags::default(),
            allow_live_writes: request.allow_live_writes,
            catalog: catalog.clone(),
        });
        match loaded {
            Ok(loaded) => loads.push((path.clone(), loaded)),
            Err(diagnostics) => mistakes.extend(diagnostics.as_slice().iter().cloned()),
        }
    }
    if !mistakes.is_empty() {
        return Err(error::diagnostics(Diagnostics::from_iter(mistakes)));
    }
    check_apart(&loads)?;
    let eval = |(config, loaded): (PathBuf, Loaded)| {
        let stored = result_store::of_eval(request.results, &loaded)?;
        let existing = if request.skip_existing {
            let local = existing::find(&EvalLayout::new(&loaded.output_dir), &loaded.plan);
            match (local, &stored) {
                (None, Some(stored)) => existing::find_stored(stored, &loaded.plan)?,
                (local, _) => local,
            }
        } else {
            None
        };
        Ok(Eval { config, loaded, stored, existing })
    };
    loads.into_iter().map(eval).collect()
}

/// Names an eval's directory after its config's file and where that stands, so that two configs of one name stay apart
/// and an edited config keeps its history.
///
/// The place is seen from the root directory where the config lies below it: another machine's checkout gives the same.
fn directory_name(config: &Path, root_dir: &Path) -> String {
    let absolute = |path: &Path| fs_err::canonicalize(path).or_else(|_| std::path::absolute(path));
    let place = absolute(config).unwrap_or_else(|_| config.to_owned());
    let root = absolute(root_dir).unwrap_or_else(|_| root_dir.to_owned());
    let place = place.strip_prefix(&root).unwrap_or(&place);
    let parts: Vec<_> = place.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let hash = sha256_hex(parts.join("/").as_bytes());
    let stem = config.file_stem().map_or_else(|| "eval".into(), |stem| stem.to_string_lossy());
    format!("{stem}-{}", &hash[..HASH_DIGITS])
}

/// Refuses two evals that would write into one directory. Names that differ by letter case alone are one on some systems.
fn check_apart(loads: &[(PathBuf, Loaded)]) -> Result<(), CliError> {
    let mut seen: BTreeMap<String, &Path> = BTreeMap::new();
    for (config, loaded) in loads {
        let place = std::path::absolute(&loaded.output_dir).unwrap_or_else(|_| loaded.output_dir.clone());
        let Some(other) = seen.insert(place.to_string_lossy().to_lowercase(), config) else { continue };
        if fs_err::canonicalize(other).ok() == fs_err::canonicalize(config).ok() {
            let message = format!("{} is in the batch twice", config.display());
            return Err(CliError::new(ExitClass::Usage, message));
        }
        let message = format!(
            "{} and {} would share the directory {}",
            other.display(),
            config.display(),
            loaded.output_dir.display()
        );
        return Err(CliError::new(ExitClass::Usage, message)
            .with_hint("give the evals names of their own, or a directory each with --output-root"));
    }
    Ok(())
}

impl Eval {
    /// Returns how many trials the eval has.
    pub(super) fn trials(&self) -> usize {
        let batches = self.loaded.plan.variants.iter().flat_map(|variant| &variant.batches);
        batches.flat_map(|batch| &batch.cases).map(|case| case.trials as usize).sum()
    }

    /// Says what would run.
    pub(super) fn words(&self) -> String {
        let cases: usize = self.loaded.plan.datasets.iter().map(|dataset| dataset.cases.len()).sum();
        let what = match &self.existing {
            Some(existing) => format!("skipped; {}", existing.words()),
            None => format!(
                "{} of {} in {}, into {}",
                plural(self.trials(), "trial"),
                plural(cases, "case"),
                plural(self.loaded.plan.variants.len(), "variant"),
                self.loaded.output_dir.display()
            ),
        };
        format!("{}: {what}", self.config.display())
    }

    /// Returns what would run, as `mst run --dry-run` prints it, beside the config.
    pub(super) fn to_json(&self) -> Value {
        let mut shown = json!({ "config": self.config.display().to_string() });
        let planned = result_store::planned(self.loaded.dry_run.clone(), self.stored.as_ref());
        for (key, value) in planned.as_object().into_iter().flatten() {
            shown[key.as_str()] = value.clone();
        }
        if let Some(existing) = &self.existing {
            shown["skipped"] = json!(true);
            shown["runId"] = json!(existing.run_id);
        }
        shown
    }
}
