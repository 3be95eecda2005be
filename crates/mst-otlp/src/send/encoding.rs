//! A request as bytes: protobuf or JSON, compressed or not.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde::Serialize;

use super::resource::request;

/// How requests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `http/protobuf`.
    Protobuf,
    /// `http/json`.
    Json,
}

impl Encoding {
    /// Returns the content type.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }

    /// Writes a request.
    pub(super) fn encode(self, request: &ExportTraceServiceRequest) -> Vec<u8> {
        match self {
            Self::Protobuf => request.encode_to_vec(),
            Self::Json => serde_json::to_vec(request).expect("messages of OTLP have a JSON form"),
        }
    }
}

/// Compresses some bytes.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes what is written")
}

/// Returns spans as a line of an OTLP/JSON file (`TracesData`).
///
/// The service is called `mst`; a file carries no setting of the machine that wrote it.
pub fn traces_data(spans: Vec<Span>) -> impl Serialize {
    request(spans, &[("service.name".to_owned(), "mst".to_owned())])
}
