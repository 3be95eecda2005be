//! A span as a test reads it.

use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::{Map, Value};

/// A span with its attributes as JSON and its ids in hex; no parent is an empty text.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectedSpan {
    /// The trace.
    pub trace: String,
    /// The span's own id.
    pub id: String,
    /// The parent's id.
    pub parent: String,
    /// The name.
    pub name: String,
    /// The kind, such as `client`.
    pub kind: String,
    /// When it began, in nanoseconds since 1970.
    pub start: u64,
    /// When it ended.
    pub end: u64,
    /// Whether its status is an error, and what it says.
    pub error: Option<String>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// Its events: names and attributes.
    pub events: Vec<(String, Map<String, Value>)>,
    /// The spans that it links to: trace and span.
    pub links: Vec<(String, String)>,
}

impl From<Span> for CollectedSpan {
    fn from(span: Span) -> Self {
        let kind = SpanKind::try_from(span.kind).unwrap_or(SpanKind::Unspecified).as_str_name();
        Self {
            trace: hex(&span.trace_id),
            id: hex(&span.span_id),
            parent: hex(&span.parent_span_id),
            name: span.name,
            kind: kind.strip_prefix("SPAN_KIND_").unwrap_or(kind).to_lowercase(),
            start: span.start_time_unix_nano,
            end: span.end_time_unix_nano,
            error: span.status.filter(|status| status.code == 2).map(|status| status.message),
            attributes: json_of(span.attributes),
            events: span.events.into_iter().map(|event| (event.name, json_of(event.attributes))).collect(),
            links: span.links.into_iter().map(|link| (hex(&link.trace_id), hex(&link.span_id))).collect(),
        }
    }
}

/// Returns attributes as JSON.
pub(super) fn json_of(attributes: Vec<KeyValue>) -> Map<String, Value> {
    attributes.into_iter().map(|pair| (pair.key, value_of(pair.value))).collect()
}

fn value_of(value: Option<AnyValue>) -> Value {
    match value.and_then(|value| value.value) {
        Some(Any::StringValue(text)) => text.into(),
        Some(Any::BoolValue(flag)) => flag.into(),
        Some(Any::IntValue(whole)) => whole.into(),
        Some(Any::DoubleValue(number)) => number.into(),
        Some(Any::ArrayValue(list)) => list.values.into_iter().map(|item| value_of(Some(item))).collect(),
        Some(Any::KvlistValue(list)) => json_of(list.values).into(),
        Some(Any::BytesValue(bytes)) => hex(&bytes).into(),
        Some(Any::StringValueStrindex(_)) | None => Value::Null,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
