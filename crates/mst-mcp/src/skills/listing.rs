//! What a server lists beside its tools: skills and resources, page by page.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::entry::SkillEntry;
use crate::error::Fault;
use crate::failure::CallFailure;
use crate::link::{Request, Wait};
use crate::listing::MOST_PAGES;
use crate::session::Session;
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

/// The parameters of a listing.
#[derive(Serialize)]
struct PageParams<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
}

/// Reads every page of a listing: all of it or a fault, never a part.
pub(super) async fn pages(
    session: &Session,
    method: &'static str,
    cancel: &CancellationToken,
) -> Result<Vec<Value>, Fault> {
    // `skills/list` lists `skills`, `resources/list` lists `resources`.
    let member = method.split('/').next().unwrap_or_default();
    let malformed = |what: &str| Fault::Request(CallFailure::Malformed { detail: format!("a result {what}") });
    let meta = session.parts.agreed.meta.as_ref();
    let mut entries = Vec::new();
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let wait = Wait::from_now(session.parts.limits.request, cancel);
        let make = |_| Request::new(method, PageParams { cursor: cursor.as_deref(), meta });
        let mut page = session.deliver(wait, make).await.map_err(Fault::Request)?;
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
