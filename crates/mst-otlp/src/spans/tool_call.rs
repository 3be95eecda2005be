//! What a client did as a span: a call of an MCP server's tool by the MCP conventions (`mcp.*`), anything else by those of
//! a tool's execution (`gen_ai.tool.*`).

use mst_model::{Event, EventKind, RecordedServer, TrialRecord, VariantRecord};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::Value;
use url::Url;

use super::attributes::Attributes;
use super::span::{Period, Place, fail, span};

/// The conventions' `error.type` of a tool that answered with an error.
const TOOL_ERROR: &str = "tool_error";

/// Makes the span. With `content`, it says what the tool was given and answered.
pub(super) fn event_span(
    place: Place,
    event: &Event,
    period: Period,
    trial: &TrialRecord,
    variant: Option<&VariantRecord>,
    content: bool,
) -> Span {
    let is_mcp = event.is_mcp_call();
    let mut attributes = Attributes::default();
    attributes.text("gen_ai.operation.name", "execute_tool").text("gen_ai.tool.name", &event.name);
    attributes.text_of("gen_ai.tool.call.id", event.id.as_deref());
    if is_mcp {
        attributes.text("mcp.method.name", "tools/call");
    }
    if event.kind != EventKind::ToolCall {
        attributes.text_of("mst.event.kind", kind_name(event.kind));
    }
    attributes.text_of("mst.tool.presented_name", event.raw_name.as_deref());
    if let Some(label) = event.server.as_ref().map(mst_model::ServerLabel::as_str) {
        attributes.text("mst.server", label);
        let diagnostics = trial.client_diagnostics.iter().flat_map(|diagnostics| &diagnostics.servers);
        let seen = diagnostics.filter(|server| server.label == label).find_map(|seen| seen.protocol_version.as_deref());
        attributes.text_of("mcp.protocol.version", seen);
        let servers = variant.and_then(|variant| variant.servers.as_deref()).unwrap_or_default();
        if let Some(server) = servers.iter().find(|server| server.label == label) {
            add_transport(&mut attributes, server);
        }
    }
    if content {
        if let Some(arguments) = &event.arguments {
            attributes.content("gen_ai.tool.call.arguments", &Value::Object(arguments.clone()));
        } else if let Some(text) = &event.raw_arguments {
            attributes.content("gen_ai.tool.call.arguments", &Value::String(text.clone()));
        }
        if let Some(output) = &event.output {
            attributes.content("gen_ai.tool.call.result", &Value::String(output.clone()));
        }
    }
    let failed = event.is_error == Some(true);
    if failed {
        attributes.text("error.type", TOOL_ERROR);
    }
    let operation = if is_mcp { "tools/call" } else { "execute_tool" };
    let kind = if is_mcp { SpanKind::Client } else { SpanKind::Internal };
    let mut made = span(place, format!("{operation} {}", event.name), kind, period, attributes);
    if failed {
        fail(&mut made, String::new());
    }
    made
}

/// Adds how a server is reached.
fn add_transport(attributes: &mut Attributes, server: &RecordedServer) {
    match server.url.as_deref().and_then(|url| Url::parse(url).ok()) {
        Some(url) => {
            attributes
                .text("network.transport", "tcp")
                .text_of("server.address", url.host_str())
                .count("server.port", url.port_or_known_default().map(u64::from));
        }
        None if server.transport == "stdio" => {
            attributes.text("network.transport", "pipe");
        }
        None => {}
    }
}

/// Returns a kind as transcripts write it.
fn kind_name(kind: EventKind) -> Option<String> {
    serde_json::to_value(kind).ok()?.as_str().map(str::to_owned)
}
