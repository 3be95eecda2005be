//! `tools/list`: which tools, and how they are paged.

use serde_json::{Value, json};

use super::action::Action;
use super::mode::Mode;
use super::server::McpServer;
use super::{names, schemas, tools};

/// Answers `tools/list`.
pub(super) fn list(server: &mut McpServer, id: &Value, params: &Value) -> Vec<Action> {
    server.lists += 1;
    let cursor = params.get("cursor").and_then(Value::as_str);
    let result = match server.mode() {
        Mode::MalformedList => json!({"tools": {"lookup": "not a list"}}),
        Mode::PagesTwo if cursor == Some("p2") => json!({"tools": [tools::lookup()]}),
        Mode::PagesTwo => {
            json!({"tools": [tools::one_string("other", "Do something else.", "what")], "nextCursor": "p2"})
        }
        Mode::PagesLoop => json!({"tools": [tools::lookup()], "nextCursor": "c1"}),
        Mode::PagesEmptyCursor => json!({"tools": [tools::lookup()], "nextCursor": ""}),
        Mode::PagesEndless => {
            let page: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
            let tool = tools::one_string(&format!("tool_{page}"), "One of very many.", "id");
            json!({"tools": [tool], "nextCursor": (page + 1).to_string()})
        }
        _ => match paged(server, cursor) {
            Some(page) => page,
            None => return vec![Action::error(id, -32602, "Invalid cursor", None)],
        },
    };
    vec![Action::reply(id, complete(server, result))]
}

/// Adds what results of the stateless protocol must hold.
pub(super) fn complete(server: &McpServer, mut result: Value) -> Value {
    if let (true, Some(object)) = (server.mode().is_modern(), result.as_object_mut()) {
        object.insert("resultType".to_owned(), json!("complete"));
        object.insert("ttlMs".to_owned(), json!(60_000));
        object.insert("cacheScope".to_owned(), json!("private"));
    }
    result
}

/// Returns the page at a cursor, which is the number of tools before it; `None` when the cursor is none of ours.
fn paged(server: &McpServer, cursor: Option<&str>) -> Option<Value> {
    let all = declared(server);
    let start: usize = cursor.map_or(Some(0), |cursor| cursor.parse().ok())?;
    let end = server.options.page_size.map_or(all.len(), |size| all.len().min(start + size.max(1)));
    let mut page = json!({"tools": all.get(start..end)?});
    if let (true, Some(object)) = (end < all.len(), page.as_object_mut()) {
        object.insert("nextCursor".to_owned(), json!(end.to_string()));
    }
    Some(page)
}

/// Returns the tools that the server lists now.
pub(super) fn declared(server: &McpServer) -> Vec<Value> {
    if let Some(path) = &server.options.surface {
        let text = fs_err::read_to_string(path).unwrap_or_default();
        let surface: Value = serde_json::from_str(&text).unwrap_or_default();
        return surface["tools"].as_array().cloned().unwrap_or_default();
    }
    match server.mode() {
        Mode::NoTools => Vec::new(),
        Mode::ManyTools => {
            let more = (1..=server.options.tools.unwrap_or(200)).map(|number| {
                tools::one_string(&format!("tool_{number:04}"), &format!("Does the thing with number {number}."), "id")
            });
            std::iter::once(tools::lookup()).chain(more).collect()
        }
        Mode::NoArguments => vec![tools::lookup(), tools::echo(), tools::ping()],
        Mode::ResultForms
        | Mode::ResultErrorCoded
        | Mode::ResultStructured
        | Mode::ResultErrorStructured
        | Mode::ResultImage
        | Mode::ResultUnstructured
        | Mode::ResultLink => vec![tools::lookup_with_output()],
        Mode::WriteHints => tools::write_hints(),
        Mode::ListChanged | Mode::ListChangedQuietly | Mode::ModernListChanged if server.calls > 0 => {
            vec![tools::list_notes(), tools::purge()]
        }
        Mode::ListChanged | Mode::ListChangedQuietly | Mode::ModernListChanged => vec![tools::list_notes()],
        Mode::Vanishing if server.lists > 1 => vec![tools::echo()],
        Mode::Schemas => schemas::tools(),
        Mode::Names => names::tools(),
        Mode::OtherNames => names::other_tools(),
        Mode::ModernHeaders => vec![tools::lookup_with_header("Part"), tools::echo_with_header("not a name")],
        Mode::SkillsClash => {
            let own = |name| tools::one_string(name, "Has the name of a tool of the client.", "uri");
            vec![tools::lookup(), own("read_skill"), own("read_resource")]
        }
        Mode::ExtraFields => vec![tools::lookup_with_extras(), tools::echo()],
        _ => vec![tools::lookup(), tools::echo()],
    }
}
