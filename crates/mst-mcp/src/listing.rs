//! Reads `tools/list`, page by page, with a stop rule for every way a server may go on for ever.

use std::collections::HashSet;

use mst_model::ServerLabel;
use rmcp::model::ErrorCode;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Fault;
use crate::failure::CallFailure;
use crate::host::Host;
use crate::link::{Link, Request, Wait, parameter_header_fault};
use crate::rounds::{self, Inputs};
use crate::surface::{ListedTool, ToolSurface};
use crate::text::cut;

/// The most pages that are read.
pub(crate) const MOST_PAGES: usize = 64;
/// The most tools that are kept.
pub(crate) const MOST_TOOLS: usize = 10_000;

#[derive(Serialize)]
struct ListParams<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
    #[serde(flatten)]
    inputs: Inputs,
}

/// Lists a server's tools: all of them or a fault, never a part.
pub(crate) async fn list<'a>(
    link: &Link,
    host: &Host,
    meta: Option<&Value>,
    wait: impl Fn() -> Wait<'a>,
) -> Result<ToolSurface, Fault> {
    let mut pages = Pages::new(host.notes.label());
    pages.checks_headers = meta.is_some() && matches!(link, Link::Http(_));
    let mut cursor: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let make = |inputs| Request::new("tools/list", ListParams { cursor: cursor.as_deref(), meta, inputs });
        let answer = match meta {
            Some(_) => rounds::request(link, host, wait(), make).await,
            None => link.request(make(Inputs::default()), wait()).await,
        };
        let page = match answer {
            Ok(page) => page,
            Err(CallFailure::Protocol { code, .. })
                if code == i64::from(ErrorCode::METHOD_NOT_FOUND.0) && cursor.is_none() =>
            {
                pages.warn("has no tools/list");
                break;
            }
            Err(failure) => return Err(Fault::Request(failure)),
        };
        cursor = pages.add(page)?;
        if cursor.is_none() {
            return Ok(pages.surface);
        }
    }
    if cursor.is_some() { Err(Fault::TooManyPages { limit: MOST_PAGES }) } else { Ok(pages.surface) }
}

/// The pages read so far.
struct Pages<'a> {
    label: &'a ServerLabel,
    surface: ToolSurface,
    names: HashSet<String>,
    cursors: HashSet<String>,
    /// Whether the protocol wants a tool left out whose arguments cannot become headers as it declares.
    checks_headers: bool,
}

impl<'a> Pages<'a> {
    fn new(label: &'a ServerLabel) -> Self {
        Self {
            label,
            surface: ToolSurface::default(),
            names: HashSet::new(),
            cursors: HashSet::new(),
            checks_headers: false,
        }
    }

    /// Adds a page and returns the cursor of the next one.
    fn add(&mut self, page: Value) -> Result<Option<String>, Fault> {
        let malformed = |detail: &str| Fault::Request(CallFailure::Malformed { detail: detail.to_owned() });
        let Value::Object(mut page) = page else { return Err(malformed("a result that is no object")) };
        let Some(Value::Array(tools)) = page.swap_remove("tools") else {
            return Err(malformed("a result without a list of tools"));
        };
        for tool in tools {
            self.add_tool(tool)?;
        }
        match page.swap_remove("nextCursor") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(cursor)) if cursor.is_empty() => {
                self.warn("gave an empty cursor in tools/list, which was taken for the end of the list");
                Ok(None)
            }
            Some(Value::String(cursor)) => {
                if !self.cursors.insert(cursor.clone()) {
                    return Err(Fault::RepeatedCursor { cursor: cut(&cursor, 100) });
                }
                Ok(Some(cursor))
            }
            Some(_) => Err(malformed("a cursor that is no text")),
        }
    }

    /// Keeps a listed entry. One without a usable name cannot be called or shown: it is left out with a warning.
    fn add_tool(&mut self, tool: Value) -> Result<(), Fault> {
        let named = match tool {
            Value::Object(raw) => named(raw),
            _ => None,
        };
        let Some(tool) = named else {
            self.warn("lists an entry without a name in tools/list, which is left out");
            return Ok(());
        };
        if self.checks_headers
            && let Some(fault) = parameter_header_fault(tool.input_schema())
        {
            self.warn(&format!("lists the tool {:?} with {fault}, so that it is left out", cut(tool.name(), 100)));
            return Ok(());
        }
        if !self.names.insert(tool.name().to_owned()) {
            self.warn(&format!("lists the tool {:?} more than once; the first counts", cut(tool.name(), 100)));
            if !self.surface.listed_twice.iter().any(|name| name == tool.name()) {
                self.surface.listed_twice.push(tool.name().to_owned());
            }
            return Ok(());
        }
        if self.names.len() > MOST_TOOLS {
            return Err(Fault::TooManyTools { limit: MOST_TOOLS });
        }
        self.surface.tools.push(tool);
        Ok(())
    }

    fn warn(&mut self, what: &str) {
        let warning = format!("{} {what}", self.label);
        if !self.surface.warnings.contains(&warning) {
            self.surface.warnings.push(warning);
        }
    }
}

fn named(raw: Map<String, Value>) -> Option<ListedTool> {
    ListedTool::new(raw).filter(|tool| !tool.name().is_empty())
}

/// Reads the tools of a listing that stands in a file, by the rules that hold for a server's.
///
/// # Errors
/// When it holds more tools than are kept.
pub fn surface_of_list(label: &ServerLabel, tools: Vec<Value>) -> Result<ToolSurface, Fault> {
    let mut pages = Pages::new(label);
    tools.into_iter().try_for_each(|tool| pages.add_tool(tool))?;
    Ok(pages.surface)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pages(pages: &[Value]) -> (Vec<String>, Vec<String>, Option<Fault>) {
        let label = ServerLabel::new("parts");
        let mut reader = Pages::new(&label);
        let mut fault = None;
        for page in pages {
            match reader.add(page.clone()) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    fault = Some(error);
                    break;
                }
            }
        }
        let names = reader.surface.tools.iter().map(|tool| tool.name().to_owned()).collect();
        (names, reader.surface.warnings, fault)
    }

    #[test]
    fn fc04_pages_end_by_rule() {
        let lookup = json!({ "name": "lookup", "new": [1] });
        let (names, warnings, fault) = pages(&[json!({ "tools": [lookup], "nextCursor": "" })]);
        assert_eq!((names.len(), warnings.len(), fault), (1, 1, None));
        let again = json!({ "tools": [lookup], "nextCursor": "c1" });
        let (_, _, fault) = pages(&[again.clone(), again]);
        assert_eq!(fault, Some(Fault::RepeatedCursor { cursor: "c1".to_owned() }));
    }

    #[test]
    fn entries_that_cannot_be_used_are_named_and_left_out() {
        let (names, warnings, fault) =
            pages(&[json!({ "tools": [{ "name": "a" }, { "name": "a" }, { "title": "b" }, 7, { "name": "" }] })]);
        assert_eq!((names, fault), (vec!["a".to_owned()], None));
        assert_eq!(
            warnings,
            [
                r#"parts lists the tool "a" more than once; the first counts"#,
                "parts lists an entry without a name in tools/list, which is left out",
            ]
        );
    }

    #[test]
    fn a_page_that_is_none_is_a_fault() {
        for page in [json!([]), json!({}), json!({ "tools": {} }), json!({ "tools": [], "nextCursor": 7 })] {
            assert!(pages(std::slice::from_ref(&page)).2.is_some(), "{page}");
        }
    }
}
