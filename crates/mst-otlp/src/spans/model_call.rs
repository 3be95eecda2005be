//! A request to a model as a span of the GenAI conventions (`gen_ai.*`).

use mst_model::{ModelCall, Provider, Usage, VariantRecord};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::{Value, json};

use super::attributes::Attributes;
use super::span::{Period, Place, span};

/// Makes the span. With `content`, it says what the model answered.
pub(super) fn model_span(
    place: Place,
    call: &ModelCall,
    period: Period,
    variant: Option<&VariantRecord>,
    content: bool,
) -> Span {
    let requested = variant.and_then(|variant| variant.model.as_deref());
    let model = requested.unwrap_or(&call.model);
    let mut attributes = Attributes::default();
    attributes
        .text("gen_ai.operation.name", "chat")
        .text_of("gen_ai.provider.name", provider(variant, &call.model))
        .text_of("gen_ai.request.model", requested)
        .text("gen_ai.response.model", &call.model)
        .text("gen_ai.response.id", &call.id)
        .texts("gen_ai.response.finish_reasons", call.finish_reason.clone());
    if let Some(usage) = &call.usage {
        add_usage(&mut attributes, usage);
    }
    if content {
        attributes.content("gen_ai.output.messages", &json!([answer(call)]));
    }
    span(place, format!("chat {model}"), SpanKind::Client, period, attributes)
}

/// Adds a usage. The conventions count tokens read from and written to a cache as input.
pub(super) fn add_usage(attributes: &mut Attributes, usage: &Usage) {
    attributes
        .count("gen_ai.usage.input_tokens", usage.total_input_tokens())
        .count("gen_ai.usage.cache_read.input_tokens", usage.cache_read_input_tokens)
        .count("gen_ai.usage.cache_write.input_tokens", usage.cache_creation_input_tokens)
        .count("gen_ai.usage.output_tokens", usage.output_tokens)
        .count("gen_ai.usage.reasoning.output_tokens", usage.reasoning_output_tokens);
}

/// Returns the answer as a message of the conventions. The arguments of its calls are on the calls' own spans.
fn answer(call: &ModelCall) -> Value {
    let text = call.text.iter().map(|text| json!({ "type": "text", "content": text }));
    json!({ "role": "assistant", "parts": text.collect::<Vec<_>>() })
}

/// Returns the conventions' name of the API that answered, as far as the record tells.
fn provider(variant: Option<&VariantRecord>, model: &str) -> Option<&'static str> {
    let written = variant.and_then(|variant| variant.client_options.as_ref()?.get("provider")?.as_str());
    let requested = variant.and_then(|variant| variant.model.as_deref());
    let inferred = || requested.and_then(Provider::infer).or_else(|| Provider::infer(model));
    written.map_or_else(inferred, |name| name.parse().ok()).map(|provider| match provider {
        Provider::Anthropic => "anthropic",
        Provider::OpenAi => "openai",
        Provider::Google => "gcp.gemini",
        Provider::VertexAnthropic => "gcp.vertex_ai",
        Provider::Azure => "azure.ai.openai",
        Provider::Mistral => "mistral_ai",
        Provider::DeepSeek => "deepseek",
        Provider::XAi => "x_ai",
        // The conventions name no others.
        Provider::OpenRouter | Provider::Ollama | Provider::OpenAiCompatible | Provider::Offline => provider.as_str(),
    })
}
