//! The eval config's `toolMap`: one name for a tool that servers call differently.

use std::collections::HashMap;

use indexmap::IndexMap;
use mst_model::ServerLabel;

/// Native names to canonical ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolMap {
    canonical: HashMap<String, String>,
}

impl ToolMap {
    /// Reads the config's form: a canonical name with its native names, bare or as `server.tool`.
    pub(crate) fn new(config: &IndexMap<String, Vec<String>>) -> Self {
        let pairs = config
            .iter()
            .flat_map(|(canonical, natives)| natives.iter().map(move |native| (native.clone(), canonical.clone())));
        Self { canonical: pairs.collect() }
    }

    /// Returns the canonical name of a tool; an entry for `server.name` wins over one for the bare name.
    pub(crate) fn canonical(&self, server: Option<&ServerLabel>, name: &str) -> Option<&str> {
        if self.canonical.is_empty() {
            return None;
        }
        server
            .and_then(|server| self.canonical.get(&format!("{server}.{name}")))
            .or_else(|| self.canonical.get(name))
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qualified_entry_wins_over_a_bare_one() {
        let config = IndexMap::from([
            ("find".to_owned(), vec!["docs.search".to_owned(), "lookup".to_owned()]),
            ("query".to_owned(), vec!["search".to_owned()]),
        ]);
        let map = ToolMap::new(&config);
        let docs = ServerLabel::from("docs");
        let wiki = ServerLabel::from("wiki");
        assert_eq!(map.canonical(Some(&docs), "search"), Some("find"));
        assert_eq!(map.canonical(Some(&wiki), "search"), Some("query"));
        assert_eq!(map.canonical(None, "lookup"), Some("find"));
        assert_eq!(map.canonical(Some(&docs), "other"), None);
    }
}
