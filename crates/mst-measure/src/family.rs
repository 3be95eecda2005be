//! Whether a judge's model is of the family whose answers it rates.

use mst_model::ModelFamily;

/// Returns whether a judge's model is of the same family as the client's: it then tends to rate its answers higher.
///
/// A model whose name does not tell its family is of none, and the offline baseline, which is no language model, favours
/// nobody.
pub fn is_same_family(client_model: &str, judge_model: &str) -> bool {
    let family = ModelFamily::of(client_model);
    family.is_some() && family != Some(ModelFamily::Lexical) && family == ModelFamily::of(judge_model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fc24_a_judge_of_the_clients_own_family_is_told() {
        for (client, judge, want) in [
            ("claude-x", "claude-y", true),
            ("claude-x", "claude-y@20250514", true),
            ("openrouter/openai/gpt-5", "o3-mini", true),
            ("claude-x", "gpt-y", false),
            ("mystery-1", "mystery-1", false),
            ("lexical-1", "lexical-1", false),
        ] {
            assert_eq!(is_same_family(client, judge), want, "{client} judged by {judge}");
        }
    }
}
