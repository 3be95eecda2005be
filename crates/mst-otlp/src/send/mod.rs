//! Sending spans to a collector over OTLP/HTTP.

mod batches;
mod encoding;
mod resource;
mod sender;
mod settings;

pub use batches::Batches;
pub use encoding::{Encoding, traces_data};
pub use sender::{Accepted, SendError, TraceSender};
pub use settings::{ExportSettings, SettingError};
