//! Stored runs as traces: sent to a collector after a run, or by `mst export`.

mod sending;
mod trials;

pub(crate) use sending::{Sent, send_run};
pub(crate) use trials::StoredTrials;
