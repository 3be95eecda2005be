//! The surface that flags mean, for commands that need nothing more.

use mst_cli::{CliError, ExitClass};
use tokio_util::sync::CancellationToken;

use crate::ingest::{IngestFault, Target};
use crate::surface::Surface;

/// Reads a surface.
///
/// # Errors
/// The server did not start, did not answer or lists nothing, with the exit class of a scan that fails so.
pub(crate) async fn surface_of(target: &Target, cancel: &CancellationToken) -> Result<Surface, CliError> {
    target.read(None, cancel).await.map_err(|IngestFault { class, reason, hints, .. }| {
        if class == ExitClass::Interrupted {
            return CliError::new(class, "interrupted");
        }
        hints
            .into_iter()
            .fold(CliError::new(class, format!("the tools cannot be listed: {reason}")), CliError::with_hint)
    })
}
