//! What a client's exporter is told.

use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTracePartialSuccess, ExportTraceServiceResponse};
use prost::Message as _;
use serde_json::json;

use super::body::Refusal;
use super::inbox::Signal;
use crate::send::Encoding;

/// Says that a request was taken, but for so many items.
pub(super) fn taken(signal: Signal, encoding: Encoding, refused: u64) -> Response {
    let message = "over the limit of what is kept of a trial";
    let body = match encoding {
        // The three signals' answers are the same on the wire.
        Encoding::Protobuf => {
            let partial = ExportTracePartialSuccess {
                rejected_spans: i64::try_from(refused).unwrap_or(i64::MAX),
                error_message: message.to_owned(),
            };
            ExportTraceServiceResponse { partial_success: (refused > 0).then_some(partial) }.encode_to_vec()
        }
        Encoding::Json if refused == 0 => b"{}".to_vec(),
        Encoding::Json => {
            let key = match signal {
                Signal::Traces => "rejectedSpans",
                Signal::Logs => "rejectedLogRecords",
                Signal::Metrics => "rejectedDataPoints",
            };
            // JSON writes 64-bit numbers as texts.
            json!({ "partialSuccess": { key: refused.to_string(), "errorMessage": message } }).to_string().into_bytes()
        }
    };
    (StatusCode::OK, [(CONTENT_TYPE, encoding.content_type())], body).into_response()
}

/// Says why a request was refused.
pub(super) fn refused((status, message): Refusal) -> Response {
    (status, axum::Json(json!({ "message": message }))).into_response()
}
