//! Text to meaning: JSON with positions, eval configs and datasets, up to a [`Plan`] that is plain data.

mod plan;

pub use plan::{Plan, PlannedBatch, PlannedCase, PlannedClient, PlannedDataset, PlannedMetric, PlannedVariant};
