//! Requests that no tool of a surface fits.

use std::collections::HashSet;

use crate::surface::Surface;

use super::vocabulary::stems;

/// Requests of everyday life, each with the words that would have to stand in a tool that fits.
const REQUESTS: [(&str, &str); 14] = [
    ("How long should sourdough rest before it goes into the oven?", "sourdough oven baking bread"),
    ("Recommend a first piece for somebody who learns the trombone.", "trombone instrument music"),
    ("How often does a cactus want water in winter?", "cactus plant gardening"),
    ("Think of a name for a grey kitten.", "kitten cat pet"),
    ("Which knot holds a hammock best?", "knot hammock rope"),
    ("Teach me to juggle three oranges.", "juggle juggling orange"),
    ("Why do my knees hurt after jogging?", "knee jogging health"),
    ("What should I wear to a wedding in July?", "wedding clothes wear"),
    ("Settle a bet: can penguins sneeze?", "penguin sneeze animal"),
    ("Write me a limerick about an umbrella.", "limerick umbrella poem"),
    ("Which stretches help before a long swim?", "stretch swim sport"),
    ("How do I get red wine out of a carpet?", "wine carpet stain"),
    ("Invent a bedtime story about a shy dragon.", "bedtime story dragon"),
    ("Is it rude to arrive early for dinner?", "dinner rude etiquette"),
];

/// Returns so many requests whose words stand in no tool's name or description; fewer when there are not so many.
pub(super) fn strangers(surface: &Surface, wanted: usize) -> Vec<&'static str> {
    let texts = surface.tools.iter().flat_map(|tool| [tool.name(), tool.description().unwrap_or_default()]);
    let known: HashSet<String> = texts.flat_map(stems).collect();
    let fits = |words: &str| stems(words).iter().any(|stem| known.contains(stem));
    REQUESTS.iter().filter(|(_, words)| !fits(words)).map(|(request, _)| *request).take(wanted).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_that_some_tool_may_fit_is_left_out() {
        let surface = Surface::of(json!([{ "name": "bake", "description": "Plans the baking of bread." }]));
        let found = strangers(&surface, 3);
        assert_eq!(found.len(), 3);
        assert!(!found.iter().any(|request| request.contains("sourdough")), "{found:?}");
    }
}
