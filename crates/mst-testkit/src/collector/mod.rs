//! A collector of OpenTelemetry traces on 127.0.0.1 that reads what it is sent, as protobuf or JSON.

mod server;
mod span;

pub use server::{Collected, CollectorAnswer, FakeCollector};
pub use span::CollectedSpan;
