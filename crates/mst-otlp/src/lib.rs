//! OpenTelemetry over OTLP/HTTP, both ways.
//!
//! Out: a stored run becomes a trace. [`RunTrace`] makes spans of records, purely and from stored times alone, so that the
//! same records always give the same spans with the same ids; [`TraceSender`] sends them in batches to the collector that
//! [`ExportSettings`] read from the standard `OTEL_*` variables.
//!
//! In: a [`Receiver`] listens on 127.0.0.1 for what a client under test reports of itself, one [`Inbox`] a trial.

mod hex;
mod receive;
mod send;
mod spans;

pub use receive::{Inbox, Limits, Receiver};
pub use send::{Accepted, Batches, Encoding, ExportSettings, SendError, SettingError, TraceSender, traces_data};
pub use spans::{GradedTrial, RunTrace};

/// One span, as OTLP has it.
pub use opentelemetry_proto::tonic::trace::v1::Span;
