//! Spans and log records as they are stored with a trial.

use mst_model::{HostItem, Timestamp};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use serde_json::{Map, Value};

use super::quoting::{LONGEST_NAME, Parted, json};

/// Returns the spans of a request.
pub(super) fn spans(request: ExportTraceServiceRequest) -> Vec<HostItem> {
    let mut items = Vec::new();
    for group in request.resource_spans {
        let service = service(group.resource.as_ref());
        for span in group.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            items.push(span_item(span, service.as_deref()));
        }
    }
    items
}

/// Returns the log records of a request.
pub(super) fn logs(request: ExportLogsServiceRequest) -> Vec<HostItem> {
    let mut items = Vec::new();
    for group in request.resource_logs {
        let service = service(group.resource.as_ref());
        for record in group.scope_logs.into_iter().flat_map(|scope| scope.log_records) {
            items.push(log_item(record, service.as_deref()));
        }
    }
    items
}

fn span_item(span: Span, service: Option<&str>) -> HostItem {
    let kind = SpanKind::try_from(span.kind).unwrap_or(SpanKind::Unspecified);
    let mut item = HostItem::default();
    put_name(&mut item, &span.name);
    put(&mut item.kept, "service", service);
    put(&mut item.kept, "traceId", id_text(&span.trace_id).as_deref());
    put(&mut item.kept, "spanId", id_text(&span.span_id).as_deref());
    put(&mut item.kept, "parentSpanId", id_text(&span.parent_span_id).as_deref());
    put(&mut item.kept, "kind", kind.as_str_name().strip_prefix("SPAN_KIND_").map(str::to_lowercase).as_deref());
    put_time(&mut item.kept, "startedAt", span.start_time_unix_nano);
    put_time(&mut item.kept, "completedAt", span.end_time_unix_nano);
    if let Some(status) = span.status {
        let code = StatusCode::try_from(status.code).unwrap_or(StatusCode::Unset);
        let word = code.as_str_name().strip_prefix("STATUS_CODE_").map(str::to_lowercase);
        put(&mut item.kept, "status", word.as_deref().filter(|word| *word != "unset"));
        put(&mut item.content, "statusMessage", Some(status.message.as_str()).filter(|text| !text.is_empty()));
    }
    put_attributes(&mut item, span.attributes);
    if !span.events.is_empty() {
        // An event's name is its own, its attributes tell what happened: an exception's message, a prompt.
        let events: Vec<HostItem> = span
            .events
            .into_iter()
            .map(|event| {
                let mut item = HostItem::default();
                put_name(&mut item, &event.name);
                put_time(&mut item.kept, "at", event.time_unix_nano);
                put_attributes(&mut item, event.attributes);
                item
            })
            .collect();
        put_list(&mut item, "events", events);
    }
    item
}

fn log_item(record: LogRecord, service: Option<&str>) -> HostItem {
    let mut item = HostItem::default();
    let named = record.attributes.iter().find(|pair| pair.key == "event.name").and_then(text_of);
    let name = Some(record.event_name.as_str()).filter(|name| !name.is_empty()).or(named);
    if let Some(name) = name.map(str::to_owned) {
        put_name(&mut item, &name);
    }
    put(&mut item.kept, "service", service);
    let at = if record.time_unix_nano > 0 { record.time_unix_nano } else { record.observed_time_unix_nano };
    put_time(&mut item.kept, "at", at);
    put(&mut item.kept, "severity", Some(record.severity_text.as_str()).filter(|text| is_word(text)));
    put(&mut item.kept, "traceId", id_text(&record.trace_id).as_deref());
    put(&mut item.kept, "spanId", id_text(&record.span_id).as_deref());
    if let body @ (Value::String(_) | Value::Array(_) | Value::Object(_)) = json(record.body) {
        item.content.insert("body".to_owned(), body);
    }
    put_attributes(&mut item, record.attributes);
    item
}

/// Adds what has a name: one that is too long for one is content.
pub(super) fn put_name(item: &mut HostItem, name: &str) {
    let part = if name.chars().count() > LONGEST_NAME { &mut item.content } else { &mut item.kept };
    put(part, "name", Some(name).filter(|name| !name.is_empty()));
}

/// Adds attributes, each to its part.
pub(super) fn put_attributes(item: &mut HostItem, attributes: Vec<KeyValue>) {
    let Parted { kept, content } = Parted::of(attributes);
    for (part, attributes) in [(&mut item.kept, kept), (&mut item.content, content)] {
        if !attributes.is_empty() {
            part.insert("attributes".to_owned(), Value::Object(attributes));
        }
    }
}

/// Adds a list of items below an item: what is kept as a list, content by index.
pub(super) fn put_list(item: &mut HostItem, key: &str, list: Vec<HostItem>) {
    let (mut kept, mut content) = (Vec::new(), Map::new());
    for (index, below) in list.into_iter().enumerate() {
        kept.push(Value::Object(below.kept));
        if !below.content.is_empty() {
            content.insert(index.to_string(), Value::Object(below.content));
        }
    }
    item.kept.insert(key.to_owned(), Value::Array(kept));
    if !content.is_empty() {
        item.content.insert(key.to_owned(), Value::Object(content));
    }
}

/// Adds a text that is known.
pub(super) fn put(part: &mut Map<String, Value>, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        part.insert(key.to_owned(), text.into());
    }
}

/// Adds a time, as every stored time is written; nothing of one that is not set.
pub(super) fn put_time(part: &mut Map<String, Value>, key: &str, nanos: u64) {
    let millis = i64::try_from(nanos / 1_000_000).ok().filter(|millis| *millis > 0);
    put(part, key, millis.and_then(Timestamp::from_millis).map(|time| time.to_string()).as_deref());
}

/// Returns the name of the service that a resource is, when it is a name.
pub(super) fn service(resource: Option<&Resource>) -> Option<String> {
    let found = resource?.attributes.iter().find(|pair| pair.key == "service.name").and_then(text_of)?;
    (found.chars().count() <= LONGEST_NAME).then(|| found.to_owned())
}

fn text_of(pair: &KeyValue) -> Option<&str> {
    match pair.value.as_ref()?.value.as_ref()? {
        Any::StringValue(text) => Some(text),
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn id_text(id: &[u8]) -> Option<String> {
    (!id.is_empty() && id.len() <= 16).then(|| crate::hex::hex(id))
}
