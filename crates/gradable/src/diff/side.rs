//! What stands on one side of a comparison.

use std::collections::HashSet;
use std::path::Path;

use mst_cli::{CliError, Env, ExitClass, usage};
use mst_config::read_document;
use mst_mcp::ListedTool;
use mst_model::{ScanReport, TokenSource};
use tokio_util::sync::CancellationToken;

use crate::args::TargetArgs;
use crate::commands::surface_of;
use crate::definition::estimated_tokens;
use crate::destructive::is_destructive;
use crate::ingest::Target;
use crate::report_file;
use crate::surface::Surface;
use crate::surface_copy::SURFACE;

/// A surface, or a report with or without the surface that it is of.
#[derive(Clone, Debug)]
pub(crate) enum Side {
    /// A report alone: names, sizes, what may destroy something; no schemas.
    Report(Box<ScanReport>),
    /// A surface, whole, with its report where there is one.
    Surface(Box<Surface>, Option<Box<ScanReport>>),
}

impl Side {
    /// Reads a file or a scan's folder: a report by its `format`, else a surface. The copy of the surface that a scan leaves
    /// beside its report is taken in when it is exactly the report's.
    ///
    /// # Errors
    /// The file is neither.
    pub(crate) async fn read(path: &Path, env: &Env, cancel: &CancellationToken) -> Result<Self, CliError> {
        if !path.is_dir() {
            let document = read_document(path).map_err(CliError::diagnostics)?;
            if document.root().get("format").is_none() {
                if document.root().get("tools").or_else(|| document.root().pointer("/result/tools")).is_none() {
                    let shown = path.display();
                    let message =
                        format!("{shown} is neither a report nor a surface: it has no \"format\" and no \"tools\"");
                    return Err(usage(message));
                }
                return surface(path, env, cancel).await.map(|surface| Self::Surface(Box::new(surface), None));
            }
        }
        let report = Box::new(report_file::read(path)?);
        let copy = report_file::place(path).with_file_name(SURFACE);
        match surface(&copy, env, cancel).await {
            Ok(surface) if surface.hash == report.target.surface_hash => {
                Ok(Self::Surface(Box::new(surface), Some(report)))
            }
            _ => Ok(Self::Report(report)),
        }
    }

    /// Returns the report, where there is one.
    pub(crate) fn report(&self) -> Option<&ScanReport> {
        match self {
            Self::Report(report) | Self::Surface(_, Some(report)) => Some(report),
            Self::Surface(_, None) => None,
        }
    }

    /// Returns the server's name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Report(report) | Self::Surface(_, Some(report)) => &report.target.name,
            Self::Surface(surface, None) => &surface.name,
        }
    }

    /// Returns the hash of the surface.
    pub(crate) fn hash(&self) -> &str {
        match self {
            Self::Report(report) => &report.target.surface_hash,
            Self::Surface(surface, _) => &surface.hash,
        }
    }

    /// Returns the tools with the tokens of their definitions, in the server's order.
    pub(crate) fn sizes(&self) -> Vec<(&str, f64)> {
        match self {
            Self::Report(report) => {
                report.tools.iter().map(|tool| (tool.name.as_str(), tool.definition_tokens)).collect()
            }
            Self::Surface(surface, _) => {
                surface.tools.iter().map(|tool| (tool.name(), estimated_tokens(tool))).collect()
            }
        }
    }

    /// Returns the tools that may destroy something.
    pub(crate) fn destructive(&self) -> HashSet<&str> {
        match self {
            Self::Report(report) => {
                report.tools.iter().filter(|tool| tool.destructive).map(|tool| tool.name.as_str()).collect()
            }
            Self::Surface(surface, _) => {
                surface.tools.iter().filter(|tool| is_destructive(tool)).map(ListedTool::name).collect()
            }
        }
    }

    /// Returns the tokens of all definitions together.
    pub(crate) fn tokens(&self) -> f64 {
        match self {
            Self::Report(report) => report.economics.definition_tokens,
            Self::Surface(surface, _) => surface.tools.iter().map(estimated_tokens).sum(),
        }
    }

    /// Returns how the tokens were counted.
    pub(crate) fn source(&self) -> TokenSource {
        match self {
            Self::Report(report) => report.economics.definition_tokens_source,
            Self::Surface(..) => TokenSource::Estimated,
        }
    }
}

async fn surface(path: &Path, env: &Env, cancel: &CancellationToken) -> Result<Surface, CliError> {
    let args = TargetArgs { surface: Some(path.to_owned()), ..TargetArgs::default() };
    let target = Target::resolve(&args, None, env)?;
    surface_of(&target, cancel).await.map_err(|error| CliError { class: ExitClass::Usage, ..error })
}
