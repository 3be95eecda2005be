//! Usage with one meaning for each field: input leaves caches out, output includes reasoning, absent stays absent.

use mst_model::Usage;
use serde_json::Value;

/// Reads Anthropic's usage: its input leaves both caches out already.
pub(super) fn anthropic(usage: Option<&Value>) -> Option<Usage> {
    let usage = usage?;
    reported(Usage {
        input_tokens: number(usage, "/input_tokens"),
        output_tokens: number(usage, "/output_tokens"),
        cache_read_input_tokens: number(usage, "/cache_read_input_tokens"),
        cache_creation_input_tokens: number(usage, "/cache_creation_input_tokens"),
        ..Usage::default()
    })
}

/// Reads the usage of OpenAI's Responses: its input includes the caches, its output the reasoning.
pub(super) fn responses(usage: Option<&Value>) -> Option<Usage> {
    let usage = usage?;
    let read = number(usage, "/input_tokens_details/cached_tokens");
    let written = number(usage, "/input_tokens_details/cache_write_tokens");
    reported(Usage {
        input_tokens: uncached(number(usage, "/input_tokens"), read, written),
        output_tokens: number(usage, "/output_tokens"),
        reasoning_output_tokens: number(usage, "/output_tokens_details/reasoning_tokens"),
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        ..Usage::default()
    })
}

/// Reads the usage of Chat Completions. Some of its speakers leave reasoning out of the completion's tokens; their total
/// shows it (prompt + completion + reasoning), and then it is added.
pub(super) fn chat(usage: Option<&Value>) -> Option<Usage> {
    let usage = usage?;
    let prompt = number(usage, "/prompt_tokens");
    let read = number(usage, "/prompt_tokens_details/cached_tokens").or(number(usage, "/prompt_cache_hit_tokens"));
    let written = number(usage, "/prompt_tokens_details/cache_write_tokens");
    let reasoning = number(usage, "/completion_tokens_details/reasoning_tokens");
    let output = number(usage, "/completion_tokens").map(|completion| {
        let beside = reasoning.unwrap_or(0);
        let with_reasoning = prompt.unwrap_or(0).saturating_add(completion).saturating_add(beside);
        let is_beside = number(usage, "/total_tokens") == Some(with_reasoning);
        if is_beside { completion.saturating_add(beside) } else { completion }
    });
    reported(Usage {
        input_tokens: uncached(prompt, read, written),
        output_tokens: output,
        reasoning_output_tokens: reasoning,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        ..Usage::default()
    })
}

/// Reads Gemini's usage: its prompt includes the cache, its thoughts stand beside the candidates.
pub(super) fn gemini(usage: Option<&Value>) -> Option<Usage> {
    let usage = usage?;
    let read = number(usage, "/cachedContentTokenCount");
    let thoughts = number(usage, "/thoughtsTokenCount");
    let answer = number(usage, "/candidatesTokenCount");
    reported(Usage {
        input_tokens: uncached(number(usage, "/promptTokenCount"), read, None),
        output_tokens: [answer, thoughts].into_iter().flatten().reduce(u64::saturating_add),
        reasoning_output_tokens: thoughts,
        cache_read_input_tokens: read,
        ..Usage::default()
    })
}

fn number(usage: &Value, pointer: &str) -> Option<u64> {
    usage.pointer(pointer).and_then(Value::as_u64)
}

fn uncached(input: Option<u64>, read: Option<u64>, written: Option<u64>) -> Option<u64> {
    Some(input?.saturating_sub(read.unwrap_or(0)).saturating_sub(written.unwrap_or(0)))
}

fn reported(usage: Usage) -> Option<Usage> {
    (!usage.is_empty()).then_some(usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    type Reader = fn(Option<&Value>) -> Option<Usage>;

    #[test]
    fn fc37_each_field_has_one_meaning_whatever_the_provider() {
        let openai_input = json!({"cached_tokens": 1568});
        let rows: [(Reader, Value, [Option<u64>; 5]); 6] = [
            (
                anthropic,
                json!({"input_tokens": 4, "cache_read_input_tokens": 1568, "cache_creation_input_tokens": 200, "output_tokens": 50}),
                [Some(4), Some(1568), Some(200), Some(50), None],
            ),
            (
                responses,
                json!({"input_tokens": 1768, "input_tokens_details": openai_input, "output_tokens": 50, "output_tokens_details": {"reasoning_tokens": 30}}),
                [Some(200), Some(1568), None, Some(50), Some(30)],
            ),
            (
                chat,
                json!({"prompt_tokens": 1768, "prompt_tokens_details": openai_input, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 30}, "total_tokens": 1818}),
                [Some(200), Some(1568), None, Some(50), Some(30)],
            ),
            (
                chat,
                json!({"prompt_tokens": 1768, "prompt_cache_hit_tokens": 1568, "completion_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 30}, "total_tokens": 1818}),
                [Some(200), Some(1568), None, Some(50), Some(30)],
            ),
            (
                gemini,
                json!({"promptTokenCount": 1768, "cachedContentTokenCount": 1568, "candidatesTokenCount": 20, "thoughtsTokenCount": 30}),
                [Some(200), Some(1568), None, Some(50), Some(30)],
            ),
            (gemini, json!({"promptTokenCount": 0}), [Some(0), None, None, None, None]),
        ];
        for (read, usage, want) in rows {
            let got = read(Some(&usage)).expect("usage");
            let fields = [
                got.input_tokens,
                got.cache_read_input_tokens,
                got.cache_creation_input_tokens,
                got.output_tokens,
                got.reasoning_output_tokens,
            ];
            assert_eq!(fields, want, "{usage}");
        }
        for read in [anthropic as Reader, responses, chat, gemini] {
            for usage in
                [None, Some(json!(null)), Some(json!({})), Some(json!({"input_tokens": "x", "prompt_tokens": -1}))]
            {
                assert_eq!(read(usage.as_ref()), None);
            }
        }
    }
}
