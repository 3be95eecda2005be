//! What a server lists beside its tools: skills and resources, page by page.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::entry::SkillEntry;
use crate::error::Fault;
use crate::failure::CallFailure;
use crate::link::{Link, Request, Wait};
use crate::listing::MOST_PAGES;
use crate::text::cut;

/// The most skills or resources that are kept of one server.
const MOST: usize = 10_000;

/// What was listed of a session so far.
#[derive(Debug, Default)]
pub(crate) struct Served {
    pub(super) skills: OnceCell<Arc<SkillListing>>,
    pub(super) resources: OnceCell<Arc<ResourceListing>>,
}

/// The skills that a server lists. It may serve more: see [`crate::Session::skill`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkillListing {
    /// The skills, in the server's order, each once.
    pub skills: Vec<SkillEntry>,
    /// The entries that were left out, and why.
    pub warnings: Vec<String>,
}

/// The URIs of the resources that a server lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceListing(HashSet<String>);

impl SkillListing {
    pub(super) fn of(label: &str, entries: Vec<Value>) -> Self {
        let mut listing = Self::default();
        let mut known = HashSet::with_capacity(entries.len());
        for entry in entries {
            let uri = entry.get("uri").and_then(Value::as_str).unwrap_or("(no URI)").to_owned();
            let left_out = match SkillEntry::read(entry) {
                Ok(_) if !known.insert(uri.clone()) => "it is listed twice; the first counts".to_owned(),
                Ok(skill) => {
                    listing.skills.push(skill);
                    continue;
                }
                Err(error) => error.to_string(),
            };
            let warning = format!("{label} lists the skill {:?}, which is left out: {left_out}", cut(&uri, 200));
            if listing.warnings.len() < MOST_WARNINGS && !listing.warnings.contains(&warning) {
                listing.warnings.push(warning);
            }
        }
        listing
    }
}

/// The most entries whose fault is told.
const MOST_WARNINGS: usize = 20;

impl ResourceListing {
    pub(super) fn of(entries: &[Value]) -> Self {
        Self(entries.iter().filter_map(|entry| entry.get("uri")?.as_str().map(str::to_owned)).collect())
    }

    /// Returns whether a URI is listed.
    pub fn contains(&self, uri: &str) -> bool {
        self.0.contains(uri)
    }
}

/// Reads every page of a listing: all of it or a fault, never a part.
pub(super) async fn pages<'a>(
    link: &Link,
    method: &'static str,
    meta: Option<&Value>,
    wait: impl Fn() -> Wait<'a>,
) -> Result<Vec<Value>, Fault> {
    // `skills/list` lists `skills`, `resources/list` lists `resources`.
    let member = method.split('/').next().unwrap_or_default();
    let malformed = |what: &str| Fault::Request(CallFailure::Malformed { detail: format!("a result {what}") });
    let mut entries = Vec::new();
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let mut params = json!({});
        if let Some(cursor) = &cursor {
            params["cursor"] = json!(cursor);
        }
        if let Some(meta) = meta {
            params["_meta"] = meta.clone();
        }
        let mut page = link.request(Request::new(method, params), wait()).await.map_err(Fault::Request)?;
        let Some(Value::Array(more)) = page.get_mut(member).map(Value::take) else {
            return Err(malformed(&format!("without a list of {member}")));
        };
        entries.extend(more);
        if entries.len() > MOST {
            return Err(malformed(&format!("with more than {MOST} {member}")));
        }
        match page.get_mut("nextCursor").map(Value::take) {
            None | Some(Value::Null) => return Ok(entries),
            Some(Value::String(next)) if next.is_empty() => return Ok(entries),
            Some(Value::String(next)) => {
                if !cursors.insert(next.clone()) {
                    return Err(Fault::RepeatedCursor { cursor: cut(&next, 100) });
                }
                cursor = Some(next);
            }
            Some(_) => return Err(malformed("with a cursor that is no text")),
        }
    }
    Err(Fault::TooManyPages { limit: MOST_PAGES })
}
