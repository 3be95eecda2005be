//! Tool metadata applied to what servers list: the tools as a model is to see them.

use std::collections::{BTreeMap, BTreeSet};

use mst_mcp::ListedTool;
use mst_model::{ServerLabel, ToolMetadata, ToolPatch};
use serde_json::{Value, json};

/// A server with the tools it lists.
#[derive(Clone, Copy, Debug)]
pub struct ListedServer<'a> {
    /// The server's label.
    pub label: &'a ServerLabel,
    /// Its tools, each name once.
    pub tools: &'a [ListedTool],
}

/// A tool as presented, with where its calls go.
#[derive(Clone, Debug, PartialEq)]
pub struct PresentedTool {
    /// The label of the server that lists it.
    pub server: ServerLabel,
    /// The name that the server lists, which calls and transcripts use.
    pub original_name: String,
    /// The name to present: the listed one unless the metadata renames the tool.
    pub name: String,
    /// The description to present.
    pub description: Option<String>,
    /// The input schema to present; an empty object's when the server lists none.
    pub input_schema: Value,
}

/// What a variant presents: every listed tool, patched, in the order of servers and listings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolPresentation {
    /// The tools.
    pub tools: Vec<PresentedTool>,
}

impl ToolPresentation {
    /// Returns the tool that a server presents under a name.
    pub fn resolve(&self, name: &str, server: &ServerLabel) -> Option<&PresentedTool> {
        self.tools.iter().find(|tool| tool.server == *server && tool.name == name)
    }
}

/// Tool metadata that does not fit what the servers list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// A key that no listed tool has.
    #[error("tool metadata names {key:?}, which no server lists")]
    Unmatched {
        /// The key.
        key: String,
    },
    /// A key that several listed tools have.
    #[error("tool metadata names {key:?}, which could mean {}", tools.join(" or "))]
    Ambiguous {
        /// The key.
        key: String,
        /// The tools, as `server.tool`.
        tools: Vec<String>,
    },
    /// A rename to a name that another tool of the server is listed under.
    #[error("tool metadata renames {server}.{tool} to {name:?}, which {server} lists already")]
    TakenName {
        /// The server.
        server: ServerLabel,
        /// The renamed tool.
        tool: String,
        /// The new name.
        name: String,
    },
    /// Two renames of one server's tools to one name.
    #[error("tool metadata renames {} of {server} to {name:?}", tools.join(" and "))]
    SameName {
        /// The server.
        server: ServerLabel,
        /// The renamed tools.
        tools: Vec<String>,
        /// The new name.
        name: String,
    },
}

/// Applies a variant's tool metadata to what its servers list.
///
/// A key is read as `server.tool` where a listed tool has that qualified name, else as the bare name of one tool. For a
/// tool with both keys the qualified one counts and the bare one is left aside. Every other reading is an error, so that
/// a patch never lands on another tool than its author meant, or on none.
pub fn build_tool_surface(
    listed: &[ListedServer<'_>],
    metadata: &ToolMetadata,
) -> Result<ToolPresentation, SurfaceError> {
    let patches = if metadata.is_empty() { BTreeMap::new() } else { assign(listed, metadata)? };
    let tools: Vec<PresentedTool> = listed
        .iter()
        .enumerate()
        .flat_map(|(server, listed)| listed.tools.iter().enumerate().map(move |(tool, raw)| ((server, tool), raw)))
        .map(|(at, raw)| present(listed[at.0].label, raw, patches.get(&at).copied()))
        .collect();
    check_names(listed, &tools)?;
    Ok(ToolPresentation { tools })
}

/// A listed tool by the index of its server and its own.
type Position = (usize, usize);

/// Finds the tool of every key; at most one patch a tool.
fn assign<'m>(
    listed: &[ListedServer<'_>],
    metadata: &'m ToolMetadata,
) -> Result<BTreeMap<Position, &'m ToolPatch>, SurfaceError> {
    let mut bare: BTreeMap<&str, Vec<Position>> = BTreeMap::new();
    let mut qualified: BTreeMap<String, Vec<Position>> = BTreeMap::new();
    for (server, listed) in listed.iter().enumerate() {
        for (tool, raw) in listed.tools.iter().enumerate() {
            bare.entry(raw.name()).or_default().push((server, tool));
            qualified.entry(format!("{}.{}", listed.label, raw.name())).or_default().push((server, tool));
        }
    }
    let mut by_name = BTreeMap::new();
    let mut by_qualified_name = BTreeMap::new();
    for (key, patch) in metadata {
        let (found, target) = match (qualified.get(key), bare.get(key.as_str())) {
            (Some(found), _) => (found, &mut by_qualified_name),
            (None, Some(found)) => (found, &mut by_name),
            (None, None) => return Err(SurfaceError::Unmatched { key: key.clone() }),
        };
        let [one] = found.as_slice() else {
            let tools = found.iter().map(|(server, tool)| qualified_name(&listed[*server], *tool)).collect();
            return Err(SurfaceError::Ambiguous { key: key.clone(), tools });
        };
        target.insert(*one, patch);
    }
    by_name.append(&mut by_qualified_name);
    Ok(by_name)
}

fn qualified_name(listed: &ListedServer<'_>, tool: usize) -> String {
    format!("{}.{}", listed.label, listed.tools[tool].name())
}

fn present(server: &ServerLabel, raw: &ListedTool, patch: Option<&ToolPatch>) -> PresentedTool {
    let name = patch.and_then(|patch| patch.name.clone());
    let description = patch.and_then(|patch| patch.description.clone());
    let schema = patch.and_then(|patch| patch.input_schema.clone()).map(Value::Object);
    PresentedTool {
        server: server.clone(),
        original_name: raw.name().to_owned(),
        name: name.unwrap_or_else(|| raw.name().to_owned()),
        description: description.or_else(|| raw.description().map(str::to_owned)),
        input_schema: schema
            .or_else(|| raw.input_schema().cloned())
            .unwrap_or_else(|| json!({ "type": "object", "properties": {} })),
    }
}

/// Checks that every rename leaves the names of its server apart.
fn check_names(listed: &[ListedServer<'_>], tools: &[PresentedTool]) -> Result<(), SurfaceError> {
    if tools.iter().all(|tool| tool.name == tool.original_name) {
        return Ok(());
    }
    for server in listed {
        let originals: BTreeSet<&str> = server.tools.iter().map(ListedTool::name).collect();
        let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
        for tool in tools.iter().filter(|tool| tool.server == *server.label) {
            if tool.name != tool.original_name && originals.contains(tool.name.as_str()) {
                return Err(SurfaceError::TakenName {
                    server: tool.server.clone(),
                    tool: tool.original_name.clone(),
                    name: tool.name.clone(),
                });
            }
            if let Some(other) = taken.insert(&tool.name, &tool.original_name) {
                return Err(SurfaceError::SameName {
                    server: tool.server.clone(),
                    tools: vec![other.to_owned(), tool.original_name.clone()],
                    name: tool.name.clone(),
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(names: &[&str]) -> Vec<ListedTool> {
        names
            .iter()
            .map(|name| {
                let raw = json!({ "name": name, "description": format!("as listed: {name}"), "x": 1 });
                ListedTool::new(raw.as_object().expect("an object").clone()).expect("it has a name")
            })
            .collect()
    }

    fn metadata(json: Value) -> ToolMetadata {
        serde_json::from_value(json).expect("it is tool metadata")
    }

    /// Applies metadata to docs [search, docs.search, save] and wiki [search, edit].
    fn apply(patches: Value) -> Result<ToolPresentation, String> {
        let (docs, wiki) = (ServerLabel::from("docs"), ServerLabel::from("wiki"));
        let (docs_tools, wiki_tools) = (tools(&["search", "docs.search", "save"]), tools(&["search", "edit"]));
        let listed =
            [ListedServer { label: &docs, tools: &docs_tools }, ListedServer { label: &wiki, tools: &wiki_tools }];
        build_tool_surface(&listed, &metadata(patches)).map_err(|error| error.to_string())
    }

    fn names(presentation: &ToolPresentation) -> Vec<String> {
        presentation.tools.iter().map(|tool| format!("{}.{}", tool.server, tool.name)).collect()
    }

    #[test]
    fn keys_find_exactly_one_tool() {
        for (key, want) in [
            ("save", "docs.save"),
            ("docs.save", "docs.save"),
            ("docs.search", "docs.search"),
            ("docs.docs.search", "docs.docs.search"),
            ("wiki.search", "wiki.search"),
        ] {
            let shown = apply(json!({ key: { "description": "patched" } })).expect("the key matches");
            let patched: Vec<_> = shown
                .tools
                .iter()
                .filter(|tool| tool.description.as_deref() == Some("patched"))
                .map(|tool| format!("{}.{}", tool.server, tool.original_name))
                .collect();
            assert_eq!(patched, [want], "{key}");
        }
    }

    #[test]
    fn keys_that_fit_no_tool_or_several_are_errors() {
        for (patches, want) in [
            (json!({ "serch": {} }), "tool metadata names \"serch\", which no server lists"),
            (json!({ "wiki.save": {} }), "tool metadata names \"wiki.save\", which no server lists"),
            (json!({ "search": {} }), "tool metadata names \"search\", which could mean docs.search or wiki.search"),
        ] {
            assert_eq!(apply(patches).expect_err("it does not fit"), want);
        }
    }

    #[test]
    fn a_qualified_key_wins_over_a_bare_one() {
        for patches in [
            json!({ "save": { "name": "keep" }, "docs.save": { "name": "store" } }),
            json!({ "docs.save": { "name": "store" }, "save": { "name": "keep" } }),
        ] {
            let shown = apply(patches).expect("both keys match");
            assert!(names(&shown).contains(&"docs.store".to_owned()), "{:?}", names(&shown));
        }
    }

    #[test]
    fn renames_may_not_collide_on_a_server() {
        for (patches, want) in [
            (
                json!({ "docs.search": { "name": "save" } }),
                "tool metadata renames docs.search to \"save\", which docs lists already",
            ),
            (
                json!({ "save": { "name": "gone" }, "docs.search": { "name": "save" } }),
                "tool metadata renames docs.search to \"save\", which docs lists already",
            ),
            (
                json!({ "save": { "name": "x" }, "docs.search": { "name": "x" } }),
                "tool metadata renames search and save of docs to \"x\"",
            ),
        ] {
            assert_eq!(apply(patches).expect_err("the names collide"), want);
        }
        let shown = apply(json!({ "edit": { "name": "save" } })).expect("the other server's name is free");
        assert_eq!(names(&shown), ["docs.search", "docs.docs.search", "docs.save", "wiki.search", "wiki.save"]);
    }

    #[test]
    fn given_fields_replace_and_the_rest_stays() {
        let shown = apply(json!({ "save": { "name": "store", "inputSchema": { "type": "object", "title": "new" } } }))
            .expect("the key matches");
        let tool = shown.resolve("store", &ServerLabel::from("docs")).expect("it is presented");
        assert_eq!(
            (tool.original_name.as_str(), tool.description.as_deref(), &tool.input_schema["title"]),
            ("save", Some("as listed: save"), &json!("new"))
        );
        assert_eq!(shown.resolve("save", &ServerLabel::from("docs")), None);
        assert_eq!(shown.tools[0].input_schema, json!({ "type": "object", "properties": {} }));
    }
}
