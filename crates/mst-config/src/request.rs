//! What a load is asked for and what it gives.

use std::path::PathBuf;

use mst_model::Catalog;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::result_store::ResultStoreSetting;

/// Flags that narrow a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectionFlags {
    /// `--variant`: only these variants; all when empty.
    pub variants: Vec<String>,
    /// `--case`: only these cases, instead of the config's tags and cap; all when empty.
    pub cases: Vec<String>,
    /// `--filter-tag`: only cases with one of these tags, instead of the config's; no filter of its own when empty.
    pub filter_tags: Vec<String>,
    /// `--max-cases`: at most so many cases of each dataset, instead of the config's.
    pub max_cases: Option<u32>,
    /// `--trials`: so many trials of each case, instead of the config's and the cases'.
    pub trials: Option<u32>,
}

/// What to load.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    /// The eval config's path.
    pub config_path: PathBuf,
    /// Where relative dataset paths are looked up after the config's directory (`--root-dir`).
    pub root_dir: PathBuf,
    /// The eval's results directory, instead of `<root-dir>/.mcp-test-results/<eval name>` (`--output-dir`).
    pub output_dir: Option<PathBuf>,
    /// How the run is narrowed.
    pub selection: SelectionFlags,
    /// Whether servers may be `live`, so that a model's writes reach a service (`--allow-live-writes`).
    pub allow_live_writes: bool,
    /// Every client, metric and dataset source that is registered.
    pub catalog: Catalog,
}

/// An eval that has been read, checked and resolved.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What a run will do.
    pub plan: Plan,
    /// The eval's results directory.
    pub output_dir: PathBuf,
    /// Where the config keeps runs besides that directory.
    pub result_store: Option<ResultStoreSetting>,
    /// What `mst run --dry-run` prints.
    pub dry_run: Value,
    /// What the user should know before the run; [`Plan::warnings`] holds their texts.
    pub warnings: Vec<Diagnostic>,
}
