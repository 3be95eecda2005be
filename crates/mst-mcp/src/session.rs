//! A session with one server.

use std::collections::HashSet;
use std::sync::Arc;

use http::HeaderMap;
use mst_model::{ServerLabel, ServerObservation, TapeScope};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::{Fault, McpError, Phase};
use crate::handshake::Agreed;
use crate::link::{Link, Request, Wait, parameter_headers};
use crate::listing;
use crate::notes::Notes;
use crate::options::Limits;
use crate::outcome::CallOutcome;
use crate::skills::Served;
use crate::surface::ToolSurface;

/// A connection that was agreed on and listed. Calls may be made at the same time.
///
/// Dropping it ends a stdio server's process group at once; [`Session::close`] does so politely.
#[derive(Debug)]
pub struct Session {
    pub(crate) link: Link,
    pub(crate) agreed: Agreed,
    surface: Arc<ToolSurface>,
    /// What was listed of it beside its tools.
    pub(crate) served: Served,
    /// The tools with an output schema, which promise structured content.
    promised: HashSet<String>,
    pub(crate) limits: Limits,
    notes: Arc<Notes>,
}

#[derive(Serialize)]
struct CallParams<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Map<String, Value>>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
}

impl Session {
    pub(crate) fn new(link: Link, agreed: Agreed, surface: ToolSurface, limits: Limits, notes: Arc<Notes>) -> Self {
        let promising = surface.tools.iter().filter(|tool| tool.output_schema().is_some());
        let promised = promising.map(|tool| tool.name().to_owned()).collect();
        Self { link, agreed, surface: Arc::new(surface), served: Served::default(), promised, limits, notes }
    }

    /// Returns the server's label.
    pub fn label(&self) -> &ServerLabel {
        self.notes.label()
    }

    /// Returns what the server listed when it was connected to: one value as long as the session lives.
    pub fn surface(&self) -> &Arc<ToolSurface> {
        &self.surface
    }

    /// Returns the protocol revision that was agreed on.
    pub fn protocol_version(&self) -> &str {
        &self.agreed.revision
    }

    /// Returns what the session has shown of the server so far; its warnings include those of the listing.
    pub fn observation(&self) -> ServerObservation {
        let (stray_lines, first_stray_line) = self.notes.stray_lines();
        let mut warnings = self.surface.warnings.clone();
        if stray_lines > 0 {
            let lines = if stray_lines == 1 { "1 line".to_owned() } else { format!("{stray_lines} lines") };
            let first = first_stray_line.as_deref().unwrap_or("(blank)");
            let label = self.label();
            warnings.push(format!("{label} wrote {lines} to stdout that are no protocol messages, the first: {first}"));
        }
        warnings.extend(self.notes.warnings());
        ServerObservation {
            protocol_version: Some(self.agreed.revision.clone()),
            server_info: self.agreed.server_info.clone(),
            stray_lines: (stray_lines > 0).then_some(stray_lines),
            first_stray_line,
            warnings,
            ..ServerObservation::new(self.label())
        }
    }

    /// Calls a tool. What went wrong is part of the outcome: the call's deadline (`callTimeoutMs`, else
    /// `requestTimeoutMs`, else 30 s), the server's end, an answer that cannot be read, or `cancel`.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Option<&Map<String, Value>>,
        cancel: &CancellationToken,
    ) -> CallOutcome {
        let begun = Instant::now();
        let params = CallParams { name: tool, arguments, meta: self.agreed.meta.as_ref() };
        let headers = self.parameter_headers(tool, arguments);
        let request = Request { name: Some(tool), headers, ..Request::new("tools/call", params) };
        let answer = self.link.request(request, Wait::from_now(self.limits.call, cancel)).await;
        let duration = begun.elapsed();
        let outcome = match answer {
            Ok(result) => CallOutcome::from_result(tool, self.promised.contains(tool), result, duration),
            Err(failure) => CallOutcome::from_failure(failure, duration),
        };
        tracing::debug!(server = %self.label(), tool, is_error = outcome.is_error, ?duration, "tool_call");
        outcome
    }

    fn parameter_headers(&self, tool: &str, arguments: Option<&Map<String, Value>>) -> HeaderMap {
        if self.agreed.meta.is_none() || !self.link.is_http() {
            return HeaderMap::new();
        }
        let listed = self.surface.tools.iter().find(|listed| listed.name() == tool);
        parameter_headers(listed.and_then(|listed| listed.input_schema()), arguments)
    }

    /// Lists the tools again, within `requestTimeoutMs` a page (30 s when absent).
    pub async fn list(&self, cancel: &CancellationToken) -> Result<ToolSurface, McpError> {
        self.notes.listed_again();
        let wait = || Wait::from_now(self.limits.request, cancel);
        let listed = listing::list(&self.link, self.label(), self.agreed.meta.as_ref(), wait).await;
        let mut surface =
            listed.map_err(|fault: Fault| McpError { server: self.label().clone(), phase: Phase::List, fault })?;
        surface.instructions.clone_from(&self.agreed.instructions);
        Ok(surface)
    }

    /// Returns whether the server has said, since the last listing, that its tools changed.
    pub fn list_changed(&self) -> bool {
        let next = self.link.taped().and_then(|taped| taped.has_next("tools/list"));
        next.unwrap_or_else(|| self.notes.list_changed())
    }

    /// Returns the session as one of those who share it sees it, when it is on a tape: what it asks belongs to its own scope.
    pub(crate) fn seen_by(&self, scope: &TapeScope) -> Option<Self> {
        let taped = self.link.taped()?;
        let notes = if taped.is_replay() { Arc::new(Notes::new(self.label())) } else { Arc::clone(&self.notes) };
        let link = Link::Taped(Box::new(taped.seen_by(scope, Arc::clone(&notes))));
        Some(Self {
            link,
            agreed: self.agreed.clone(),
            surface: Arc::clone(&self.surface),
            served: Served::default(),
            promised: self.promised.clone(),
            limits: self.limits,
            notes,
        })
    }

    /// Returns whether the connection has ended, so that every further call fails.
    pub fn is_gone(&self) -> bool {
        self.link.gone().is_some()
    }

    pub(crate) async fn listen(&self) {
        if self.agreed.meta.is_none() {
            self.link.listen().await;
        }
    }

    /// Ends the session: a stdio server gets its stdin closed, then SIGTERM, then SIGKILL with its group, within a
    /// second or so; an HTTP session is deleted within a second. Calling it again does nothing.
    pub async fn close(&self) {
        self.link.close(false).await;
    }

    /// Ends the session without any grace.
    pub async fn close_at_once(&self) {
        self.link.close(true).await;
    }
}
