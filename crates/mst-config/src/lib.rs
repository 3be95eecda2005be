//! Text to meaning: JSON with positions, eval configs and datasets, up to a [`Plan`] that is plain data.

mod diagnostic;
mod plan;
mod request;

pub use diagnostic::{Code, Diagnostic, Diagnostics, Position, Severity, SourceLine};
pub use plan::{Plan, PlannedBatch, PlannedCase, PlannedClient, PlannedDataset, PlannedMetric, PlannedVariant};
pub use request::{LoadRequest, Loaded, SelectionFlags};
