//! What is known of particular models from their names.

/// Returns whether a model is known to refuse a temperature other than its own: OpenAI's reasoning models, and Claude
/// from Opus 4.7 and from the fifth generation on.
pub(crate) fn refuses_temperature(model: &str) -> bool {
    reasons(model) || claude_refuses_temperature(&base_name(model))
}

/// Returns whether a model is one of OpenAI's reasoning models: `o<digit>…`, `gpt-5…` without its chat variants, and
/// `codex-…`.
pub(crate) fn reasons(model: &str) -> bool {
    let name = base_name(model);
    let o_series = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let gpt = name.strip_prefix("gpt-").and_then(leading_number).is_some_and(|generation| generation >= 5);
    o_series || name.starts_with("codex-") || (gpt && !name.contains("-chat"))
}

/// Returns the output limit that is sent to Anthropic, whose API demands one, when the user sets none: the largest that
/// every model of the generation takes.
pub(crate) fn default_max_tokens(model: &str) -> u32 {
    let name = base_name(model);
    if ["claude-3-5", "claude-3-7"].iter().any(|known| name.starts_with(known)) {
        8_192
    } else if name.starts_with("claude-3-") || name.starts_with("claude-2") {
        4_096
    } else {
        32_000
    }
}

/// The model's own name in lower case, without a gateway's prefix.
fn base_name(model: &str) -> String {
    model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase()
}

fn claude_refuses_temperature(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("claude-") else { return false };
    let mut words = rest.split(['-', '.', '@']);
    let family = words.next().unwrap_or_default();
    match family {
        "fable" => return true,
        // The third generation's names begin with its number.
        _ if !family.starts_with(|c: char| c.is_ascii_alphabetic()) => return false,
        _ => {}
    }
    let version = |word: Option<&str>| word.filter(|word| word.len() <= 2).and_then(|word| word.parse::<u32>().ok());
    match (version(words.next()), version(words.next())) {
        (Some(major), _) if major >= 5 => true,
        (Some(4), Some(minor)) => family == "opus" && minor >= 7,
        _ => false,
    }
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_refuse_a_temperature_are_known_by_name() {
        for (model, want) in [
            ("o1", true),
            ("o3-mini", true),
            ("gpt-5", true),
            ("gpt-5.1-mini", true),
            ("openai/gpt-5", true),
            ("gpt-5-chat-latest", false),
            ("gpt-4o", false),
            ("gpt-x", false),
            ("claude-x", false),
            ("claude-sonnet-4-20250514", false),
            ("claude-sonnet-4@20250514", false),
            ("claude-opus-4-6", false),
            ("claude-opus-4-7", true),
            ("anthropic/claude-opus-4.8", true),
            ("claude-sonnet-5", true),
            ("claude-fable-5", true),
            ("claude-3-5-sonnet-latest", false),
            ("gemini-3-pro", false),
            ("ollama", false),
        ] {
            assert_eq!(refuses_temperature(model), want, "{model}");
        }
    }

    #[test]
    fn the_output_limit_fits_the_generation() {
        for (model, want) in [
            ("claude-3-haiku-20240307", 4_096),
            ("claude-3-5-sonnet-latest", 8_192),
            ("claude-sonnet-4-20250514", 32_000),
        ] {
            assert_eq!(default_max_tokens(model), want, "{model}");
        }
    }
}
