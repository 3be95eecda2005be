//! Names for a model: a reversible map from presented tools to names that every provider takes.

use std::collections::{BTreeMap, BTreeSet};

use mst_model::{ServerLabel, sha256_hex};

use crate::surface::PresentedTool;

/// The longest name that every provider takes, in characters.
const LONGEST: usize = 64;

/// How many hex digits of a tool's hash its name gets; more only where fewer leave two names alike.
const HASH_LENGTHS: [usize; 3] = [8, 16, 32];

/// Returns a name for each presented tool, in the tools' order, that matches `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$` and that
/// no other tool has.
///
/// With one server a tool keeps its presented name, with several it is `label.tool`; `.` becomes `__` and any other
/// character outside the pattern `_`. A name that is too long, that has nothing of the tool's own name left, or that two
/// tools share gets a hash of the server's label and the listed name; of tools that share a name, the only one whose
/// name was not changed beyond its dots keeps it. The result depends on the set of tools alone, never on their order, so
/// a name is the same whichever server connects first.
pub fn unique_names(tools: &[PresentedTool]) -> Vec<String> {
    let several = tools.iter().map(|tool| &tool.server).collect::<BTreeSet<&ServerLabel>>().len() > 1;
    let wishes: Vec<Wish<'_>> = tools.iter().map(|tool| Wish::of(tool, several)).collect();
    let hashed = needs_hash(&wishes);
    for digits in HASH_LENGTHS {
        let names: Vec<String> = wishes
            .iter()
            .zip(&hashed)
            .map(|(wish, hashed)| if *hashed { wish.with_hash(digits) } else { wish.text.clone() })
            .collect();
        if names.iter().collect::<BTreeSet<_>>().len() == names.len() {
            return names;
        }
    }
    // Only a server that lists another tool's hashed name gets here; whole hashes cannot be made to meet.
    wishes.iter().map(|wish| format!("t{}", &wish.hash()[1..])).collect()
}

/// The name that a tool would have alone.
struct Wish<'a> {
    /// Whose name it is.
    tool: &'a PresentedTool,
    /// The cleaned text.
    text: String,
    /// Whether nothing but dots was replaced.
    faithful: bool,
    /// Whether the text cannot stand even when no other tool wants it.
    unfit: bool,
}

impl<'a> Wish<'a> {
    fn of(tool: &'a PresentedTool, several: bool) -> Self {
        let wanted = if several { format!("{}.{}", tool.server, tool.name) } else { tool.name.clone() };
        let mut text = String::with_capacity(wanted.len() + 2);
        let mut faithful = true;
        if wanted.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            // Google takes no name that begins with a digit or a hyphen.
            faithful = false;
            text.push('_');
        }
        for c in wanted.chars() {
            match c {
                '.' => text.push_str("__"),
                c if c.is_ascii_alphanumeric() || c == '_' || c == '-' => text.push(c),
                _ => {
                    faithful = false;
                    text.push('_');
                }
            }
        }
        let nothing_left = !tool.name.contains(|c: char| c.is_ascii_alphanumeric());
        let unfit = text.len() > LONGEST || nothing_left;
        Self { tool, text, faithful, unfit }
    }

    /// Returns the hash of what the name stands for.
    fn hash(&self) -> String {
        sha256_hex(format!("{}\0{}", self.tool.server, self.tool.original_name).as_bytes())
    }

    fn with_hash(&self, digits: usize) -> String {
        // The text is ASCII: it can be cut anywhere.
        let head = &self.text[..self.text.len().min(LONGEST - 1 - digits)];
        format!("{}_{}", head.trim_end_matches('_'), &self.hash()[..digits])
    }
}

/// Returns, for each wish, whether its name needs a hash.
fn needs_hash(wishes: &[Wish<'_>]) -> Vec<bool> {
    let mut sharing: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut hashed: Vec<bool> = wishes.iter().map(|wish| wish.unfit).collect();
    for (at, wish) in wishes.iter().enumerate().filter(|(_, wish)| !wish.unfit) {
        sharing.entry(&wish.text).or_default().push(at);
    }
    for group in sharing.into_values().filter(|group| group.len() > 1) {
        let mut faithful = group.iter().filter(|at| wishes[**at].faithful);
        let keeper = match (faithful.next(), faithful.next()) {
            (Some(only), None) => Some(*only),
            _ => None,
        };
        for at in group {
            hashed[at] = Some(at) != keeper;
        }
    }
    hashed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn tool(server: &str, name: &str) -> PresentedTool {
        PresentedTool {
            server: ServerLabel::from(server),
            original_name: name.to_owned(),
            name: name.to_owned(),
            description: None,
            input_schema: Value::Null,
        }
    }

    fn taken_by_every_provider(name: &str) -> bool {
        (1..=LONGEST).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    }

    #[test]
    fn fc14_names_are_clean_unique_and_readable() {
        let long = "x".repeat(70);
        let tools: Vec<_> = ["search", "docs.search", "docs/search", "docs_search", "検索", &long]
            .into_iter()
            .map(|name| tool("docs", name))
            .chain([tool("wiki", "search")])
            .collect();
        insta::assert_debug_snapshot!(unique_names(&tools), @r#"
        [
            "docs__search",
            "docs__docs__search",
            "docs__docs_search_39dd347a",
            "docs__docs_search",
            "docs_6d38c0b2",
            "docs__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_b384a454",
            "wiki__search",
        ]
        "#);
    }

    #[test]
    fn one_servers_tools_keep_their_names() {
        let tools = [tool("docs", "search"), tool("docs", "notes.save"), tool("docs", "3d-render"), tool("docs", "")];
        insta::assert_debug_snapshot!(unique_names(&tools), @r#"
        [
            "search",
            "notes__save",
            "_3d-render",
            "_2d180f83",
        ]
        "#);
    }

    #[test]
    fn a_tool_listed_under_anothers_hashed_name_takes_nothing_from_it() {
        let first = unique_names(&[tool("s", "a/b"), tool("s", "a b")]);
        let tools = [tool("s", "a/b"), tool("s", "a b"), tool("s", &first[0])];
        let names = unique_names(&tools);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 3, "{names:?}");
        assert_eq!(names[2], first[0]);
    }

    fn some_tools() -> impl Strategy<Value = Vec<PresentedTool>> {
        let name = prop_oneof!["[ab./_ -]{0,4}", "[a-c]{62,68}", "\\PC{0,6}", "[0-9a-f]{64}"];
        proptest::collection::btree_set((prop_oneof!["[ab.]{1,3}", Just("docs".to_owned())], name), 1..12)
            .prop_map(|set| set.into_iter().map(|(server, name)| tool(&server, &name)).collect())
    }

    proptest! {
        #[test]
        fn names_are_taken_by_every_provider_and_unique(tools in some_tools()) {
            let names = unique_names(&tools);
            prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), tools.len(), "{:?}", names);
            for name in &names {
                prop_assert!(taken_by_every_provider(name), "{:?}", name);
            }
        }

        #[test]
        fn names_do_not_depend_on_order((tools, shuffled) in some_tools().prop_flat_map(|tools| {
            (Just(tools.clone()), Just(tools).prop_shuffle())
        })) {
            let map = |tools: &[PresentedTool]| -> BTreeMap<(String, String), String> {
                let names = unique_names(tools);
                tools.iter().zip(names).map(|(tool, name)| ((tool.server.to_string(), tool.original_name.clone()), name)).collect()
            };
            prop_assert_eq!(map(&tools), map(&shuffled));
        }
    }
}
