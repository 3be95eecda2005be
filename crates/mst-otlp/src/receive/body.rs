//! A request's body: its form, decompressed within a limit, decoded.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use mst_model::HostItem;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;

use super::inbox::Signal;
use super::items::{logs, spans};
use super::metrics::metrics;
use crate::send::Encoding;

/// Why a body is not read.
pub(super) type Refusal = (StatusCode, &'static str);

/// Returns the form that a request says it has.
pub(super) fn encoding(headers: &HeaderMap) -> Result<Encoding, Refusal> {
    let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match text.split(';').next().unwrap_or_default().trim() {
        "application/x-protobuf" => Ok(Encoding::Protobuf),
        "application/json" => Ok(Encoding::Json),
        _ => Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "application/x-protobuf or application/json is read")),
    }
}

/// Returns a body as it was before compression, when it is no longer than the limit.
pub(super) fn plain(headers: &HeaderMap, body: &[u8], limit: usize) -> Result<Vec<u8>, Refusal> {
    let too_large = (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large");
    let coding = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("identity");
    let bytes = match coding.trim() {
        "identity" | "" => body.to_vec(),
        "gzip" => {
            let mut bytes = Vec::new();
            let mut reader = MultiGzDecoder::new(body).take(limit as u64 + 1);
            reader.read_to_end(&mut bytes).map_err(|_| (StatusCode::BAD_REQUEST, "the body is not gzip"))?;
            bytes
        }
        _ => return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "gzip is the one compression that is read")),
    };
    if bytes.len() > limit { Err(too_large) } else { Ok(bytes) }
}

/// Decodes the items of a request, each with what it counts for.
pub(super) fn items(signal: Signal, encoding: Encoding, bytes: &[u8]) -> Result<Vec<(HostItem, usize)>, Refusal> {
    let one = |items: Vec<HostItem>| items.into_iter().map(|item| (item, 1)).collect();
    Ok(match signal {
        Signal::Traces => one(spans(decode::<ExportTraceServiceRequest>(encoding, bytes)?)),
        Signal::Logs => one(logs(decode::<ExportLogsServiceRequest>(encoding, bytes)?)),
        Signal::Metrics => metrics(decode::<ExportMetricsServiceRequest>(encoding, bytes)?),
    })
}

fn decode<T>(encoding: Encoding, bytes: &[u8]) -> Result<T, Refusal>
where
    T: Message + Default + serde::de::DeserializeOwned,
{
    let decoded = match encoding {
        Encoding::Protobuf => T::decode(bytes).ok(),
        Encoding::Json => serde_json::from_slice(bytes).ok(),
    };
    decoded.ok_or((StatusCode::BAD_REQUEST, "the body is no OTLP request of this kind"))
}
