//! Spans with what they are of: the resource and the instrumentation's name around them.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};

use crate::spans::Attributes;

/// Returns the request that exports some spans.
pub(super) fn request(spans: Vec<Span>, resource: &[(String, String)]) -> ExportTraceServiceRequest {
    let mut attributes = Attributes::default();
    for (name, value) in resource {
        attributes.text(name, value);
    }
    let scope = InstrumentationScope {
        name: "mst".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    };
    ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(Resource { attributes: attributes.into_vec(), ..Resource::default() }),
            scope_spans: vec![ScopeSpans { scope: Some(scope), spans, schema_url: String::new() }],
            schema_url: String::new(),
        }],
    }
}
