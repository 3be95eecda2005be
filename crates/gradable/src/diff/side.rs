//! What stands on one side of a comparison.

use std::path::Path;

use mst_cli::{CliError, Env, ExitClass, usage};
use mst_config::{load_scan_report, read_document};
use mst_model::{ScanReport, TokenSource};
use tokio_util::sync::CancellationToken;

use crate::args::TargetArgs;
use crate::commands::surface_of;
use crate::definition::estimated_tokens;
use crate::ingest::Target;
use crate::surface::Surface;

/// A report, or a surface.
#[derive(Clone, Debug)]
pub(crate) enum Side {
    /// A report: names, sizes, what may destroy something; no schemas.
    Report(Box<ScanReport>),
    /// A surface, whole.
    Surface(Box<Surface>),
}

impl Side {
    /// Reads a file: a report by its `format`, else a surface.
    ///
    /// # Errors
    /// The file is neither.
    pub(crate) async fn read(path: &Path, env: &Env, cancel: &CancellationToken) -> Result<Self, CliError> {
        let document = read_document(path).map_err(CliError::diagnostics)?;
        if document.root().get("format").is_some() {
            return load_scan_report(path).map(|report| Self::Report(Box::new(report))).map_err(CliError::diagnostics);
        }
        if document.root().get("tools").or_else(|| document.root().pointer("/result/tools")).is_none() {
            let message =
                format!("{} is neither a report nor a surface: it has no \"format\" and no \"tools\"", path.display());
            return Err(usage(message));
        }
        let args = TargetArgs { surface: Some(path.to_owned()), ..TargetArgs::default() };
        let target = Target::resolve(&args, None, env)?;
        let surface =
            surface_of(&target, cancel).await.map_err(|error| CliError { class: ExitClass::Usage, ..error })?;
        Ok(Self::Surface(Box::new(surface)))
    }

    /// Returns the server's name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Report(report) => &report.target.name,
            Self::Surface(surface) => &surface.name,
        }
    }

    /// Returns the hash of the surface.
    pub(crate) fn hash(&self) -> &str {
        match self {
            Self::Report(report) => &report.target.surface_hash,
            Self::Surface(surface) => &surface.hash,
        }
    }

    /// Returns the tools with the tokens of their definitions, in the server's order.
    pub(crate) fn sizes(&self) -> Vec<(&str, f64)> {
        match self {
            Self::Report(report) => {
                report.tools.iter().map(|tool| (tool.name.as_str(), tool.definition_tokens)).collect()
            }
            Self::Surface(surface) => surface.tools.iter().map(|tool| (tool.name(), estimated_tokens(tool))).collect(),
        }
    }

    /// Returns the tokens of all definitions together.
    pub(crate) fn tokens(&self) -> f64 {
        match self {
            Self::Report(report) => report.economics.definition_tokens,
            Self::Surface(surface) => surface.tools.iter().map(estimated_tokens).sum(),
        }
    }

    /// Returns how the tokens were counted.
    pub(crate) fn source(&self) -> TokenSource {
        match self {
            Self::Report(report) => report.economics.definition_tokens_source,
            Self::Surface(_) => TokenSource::Estimated,
        }
    }
}
