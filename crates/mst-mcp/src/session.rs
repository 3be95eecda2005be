//! A session with one server.

use std::collections::HashSet;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use http::HeaderMap;
use mst_model::{ServerLabel, ServerObservation, TapeScope};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::{McpError, Phase};
use crate::failure::CallFailure;
use crate::handshake::{Agreed, Greeted, Greeting};
use crate::host::Host;
use crate::link::{Delivery, Link, Request, Wait, parameter_headers};
use crate::listing;
use crate::notes::Mark;
use crate::options::Limits;
use crate::outcome::CallOutcome;
use crate::rounds::{self, Inputs};
use crate::skills::Served;
use crate::surface::ToolSurface;

/// How many times a session that the server ended (HTTP 404) is begun again.
const MOST_RENEWALS: u64 = 1;

/// A connection that was agreed on and listed. Calls may be made at the same time.
///
/// Dropping it ends a stdio server's process group at once; [`Session::close`] does so politely.
#[derive(Debug)]
pub struct Session {
    pub(crate) parts: SessionParts,
    /// What was listed when the session began.
    surface: Arc<ToolSurface>,
    /// What was listed beside its tools.
    pub(crate) served: Served,
    /// What was listed last.
    listed: StdMutex<Arc<Listed>>,
    /// Held while listing again, so that users of one session list once for one change.
    listing: Mutex<()>,
    /// Held while a lost session is begun again.
    renewing: Mutex<()>,
}

/// What a session is made of.
#[derive(Debug)]
pub(crate) struct SessionParts {
    pub(crate) link: Link,
    pub(crate) agreed: Agreed,
    pub(crate) greeting: Greeting,
    pub(crate) limits: Limits,
    pub(crate) host: Arc<Host>,
}

/// A listing, and what calls need of it.
#[derive(Debug)]
struct Listed {
    surface: Arc<ToolSurface>,
    /// The tools with an output schema, which promise structured content.
    promised: HashSet<String>,
    /// How often the tools had changed when the listing began.
    changes: u64,
}

impl Listed {
    fn new(surface: Arc<ToolSurface>, changes: u64) -> Arc<Self> {
        let promising = surface.tools.iter().filter(|tool| tool.output_schema().is_some());
        let promised = promising.map(|tool| tool.name().to_owned()).collect();
        Arc::new(Self { surface, promised, changes })
    }
}

#[derive(Serialize)]
struct CallParams<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a Map<String, Value>>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
    #[serde(flatten)]
    inputs: Inputs,
}

impl Session {
    pub(crate) fn new(parts: SessionParts, surface: ToolSurface, changes: u64) -> Self {
        let surface = Arc::new(surface);
        let listed = StdMutex::new(Listed::new(Arc::clone(&surface), changes));
        Self {
            parts,
            surface,
            listed,
            served: Served::default(),
            listing: Mutex::default(),
            renewing: Mutex::default(),
        }
    }

    /// Returns the server's label.
    pub fn label(&self) -> &ServerLabel {
        self.parts.host.notes.label()
    }

    /// Returns what the server listed when it was connected to: one value as long as the session lives.
    pub fn surface(&self) -> &Arc<ToolSurface> {
        &self.surface
    }

    /// Returns the protocol revision that was agreed on.
    pub fn protocol_version(&self) -> &str {
        &self.parts.agreed.revision
    }

    /// Returns the present point in the session's life, for [`Session::observation_since`].
    pub fn mark(&self) -> Mark {
        self.parts.host.notes.mark()
    }

    /// Returns what the session has shown of the server so far; its warnings include those of the listing.
    pub fn observation(&self) -> ServerObservation {
        self.observation_since(&Mark::default())
    }

    /// Returns what the session has shown of the server, with what the server asked, logged and sent by itself only since
    /// a point: the trials of a shared session each tell of their own time.
    pub fn observation_since(&self, mark: &Mark) -> ServerObservation {
        let notes = &self.parts.host.notes;
        let (stray_lines, first_stray_line) = notes.stray_lines();
        let mut warnings = self.surface.warnings.clone();
        if stray_lines > 0 {
            let lines = if stray_lines == 1 { "1 line".to_owned() } else { format!("{stray_lines} lines") };
            let first = first_stray_line.as_deref().unwrap_or("(blank)");
            let label = self.label();
            warnings.push(format!("{label} wrote {lines} to stdout that are no protocol messages, the first: {first}"));
        }
        warnings.extend(notes.warnings());
        let mut observation = ServerObservation {
            protocol_version: Some(self.parts.agreed.revision.clone()),
            server_info: self.parts.agreed.server_info.clone(),
            stray_lines: (stray_lines > 0).then_some(stray_lines),
            first_stray_line,
            warnings,
            ..ServerObservation::new(self.label())
        };
        notes.tell_since(mark, &mut observation);
        observation
    }

    /// Calls a tool. What went wrong is part of the outcome: the call's deadline (`callTimeoutMs`, else
    /// `requestTimeoutMs`, else 30 s), the server's end, an answer that cannot be read, or `cancel`.
    ///
    /// A result that asks for input is answered from the entry's `answers` and the call is made again with it. A call that
    /// found its HTTP session gone (404), or that was answered 429, was not run and is sent again; no other call is.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Option<&Map<String, Value>>,
        cancel: &CancellationToken,
    ) -> CallOutcome {
        let begun = Instant::now();
        let meta = self.parts.agreed.meta.as_ref();
        let listed = self.listed();
        let headers = self.parameter_headers(&listed.surface, tool, arguments);
        let make = |inputs| {
            let params = CallParams { name: tool, arguments, meta, inputs };
            Request { name: Some(tool), headers: headers.clone(), ..Request::new("tools/call", params) }
        };
        let answer = self.deliver(Wait::from_now(self.parts.limits.call, cancel), make).await;
        let duration = begun.elapsed();
        let outcome = match answer {
            Ok(result) => CallOutcome::from_result(tool, listed.promised.contains(tool), result, duration),
            Err(failure) => CallOutcome::from_failure(self.label(), failure, duration),
        };
        tracing::debug!(server = %self.label(), tool, is_error = outcome.is_error, ?duration, "tool_call");
        outcome
    }

    /// Sends a call, on a new session where the server has ended the present one.
    pub(crate) async fn deliver<'a, P: Serialize>(
        &self,
        wait: Wait<'_>,
        make: impl Fn(Inputs) -> Request<'a, P>,
    ) -> Delivery {
        let SessionParts { link, agreed, host, .. } = &self.parts;
        loop {
            let epoch = {
                let _renewed = self.renewing.lock().await;
                link.epoch()
            };
            let answer = match agreed.meta {
                Some(_) => rounds::request(link, host, wait, &make).await,
                None => link.request(make(Inputs::default()), wait).await,
            };
            match answer {
                Err(CallFailure::SessionLost) if link.gone().is_none() => self.renew(epoch, wait).await?,
                answer => return answer,
            }
        }
    }

    /// Begins a new session in place of one that the server ended. Where that is no use, the connection is given up.
    async fn renew(&self, epoch: u64, wait: Wait<'_>) -> Result<(), CallFailure> {
        let SessionParts { link, agreed, greeting, host, .. } = &self.parts;
        let _renewing = self.renewing.lock().await;
        if link.epoch() != epoch {
            // Another call has seen to it.
            return link.gone().map_or(Ok(()), Err);
        }
        if epoch >= MOST_RENEWALS {
            link.give_up(CallFailure::SessionLost);
            return Err(CallFailure::SessionLost);
        }
        link.forget();
        // Another revision than before would change the rules in the middle of a trial.
        let greeted = greeting.initialize(link, Some(&agreed.revision), wait).await;
        let begun = matches!(greeted, Ok(Greeted::Agreed(_)));
        link.agree(&agreed.revision, false);
        if !begun || link.initialized(wait).await.is_err() {
            link.give_up(CallFailure::SessionLost);
            return Err(CallFailure::SessionLost);
        }
        host.notes.warn(format!("{} ended its session (HTTP 404); a new one was begun", self.label()));
        // The new session may list something else.
        host.notes.tools_changed();
        link.listen().await;
        Ok(())
    }

    fn listed(&self) -> Arc<Listed> {
        Arc::clone(&self.listed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn parameter_headers(
        &self,
        surface: &ToolSurface,
        tool: &str,
        arguments: Option<&Map<String, Value>>,
    ) -> HeaderMap {
        if self.parts.agreed.meta.is_none() || !self.parts.link.is_http() {
            return HeaderMap::new();
        }
        let listed = surface.tools.iter().find(|listed| listed.name() == tool);
        parameter_headers(listed.and_then(|listed| listed.input_schema()), arguments)
    }

    /// Lists the tools again if they changed since the last listing, within `requestTimeoutMs` a page (30 s when absent),
    /// and returns what is listed now and how often it had changed: one value for one change, whoever asks.
    pub async fn current(&self, cancel: &CancellationToken) -> Result<(u64, Arc<ToolSurface>), McpError> {
        let _listing = self.listing.lock().await;
        let changes = self.list_changes();
        let listed = self.listed();
        if !self.changed_since(listed.changes) {
            return Ok((changes, Arc::clone(&listed.surface)));
        }
        let SessionParts { link, agreed, host, limits, .. } = &self.parts;
        let wait = || Wait::from_now(limits.request, cancel);
        let again = listing::list(link, host, agreed.meta.as_ref(), wait).await;
        let mut surface =
            again.map_err(|fault| McpError { server: self.label().clone(), phase: Phase::List, fault })?;
        surface.instructions.clone_from(&agreed.instructions);
        let surface = Arc::new(surface);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Listed::new(Arc::clone(&surface), changes);
        Ok((changes, surface))
    }

    /// Returns the session as one of those who share it sees it, when it is on a tape: what it asks belongs to its own scope.
    pub(crate) fn seen_by(&self, scope: &TapeScope) -> Option<Self> {
        let SessionParts { link, agreed, greeting, limits, host } = &self.parts;
        let taped = link.taped()?;
        let host = if taped.is_replay() { Arc::new(host.elsewhere()) } else { Arc::clone(host) };
        let link = Link::Taped(Box::new(taped.seen_by(scope, Arc::clone(&host.notes))));
        let greeting = Greeting { client_version: greeting.client_version.clone(), host: Arc::clone(&host) };
        let parts = SessionParts { link, agreed: agreed.clone(), greeting, limits: *limits, host };
        Some(Self {
            parts,
            surface: Arc::clone(&self.surface),
            served: Served::default(),
            listed: StdMutex::new(self.listed()),
            listing: Mutex::default(),
            renewing: Mutex::default(),
        })
    }

    /// Returns what was listed last, and how often the tools had changed then.
    pub fn latest(&self) -> (u64, Arc<ToolSurface>) {
        let listed = self.listed();
        (listed.changes, Arc::clone(&listed.surface))
    }

    /// Returns whether the tools have changed since they had changed so often. A tape that stands in the server's place
    /// knows best when they were listed again.
    pub fn changed_since(&self, changes: u64) -> bool {
        let next = self.parts.link.taped().and_then(|taped| taped.has_next("tools/list"));
        next.unwrap_or_else(|| self.list_changes() != changes)
    }

    /// Returns how often the server's tools have changed, as far as it said so.
    pub fn list_changes(&self) -> u64 {
        self.parts.host.notes.list_changes()
    }

    /// Returns whether the connection has ended, so that every further call fails.
    pub fn is_gone(&self) -> bool {
        self.parts.link.gone().is_some()
    }

    /// Starts to listen for what the server sends by itself.
    pub(crate) async fn listen(&self) {
        let SessionParts { link, agreed, .. } = &self.parts;
        match &agreed.meta {
            None => link.listen().await,
            Some(meta) if agreed.tells_changes => {
                let params = json!({ "_meta": meta, "notifications": { "toolsListChanged": true } });
                link.subscribe(Request::new("subscriptions/listen", params)).await;
            }
            Some(_) => {}
        }
    }

    /// Ends the session: a stdio server gets its stdin closed, then SIGTERM, then SIGKILL with its group, within a
    /// second or so; an HTTP session is deleted within a second. Calling it again does nothing.
    pub async fn close(&self) {
        self.parts.link.close(false).await;
    }

    /// Ends the session without any grace.
    pub async fn close_at_once(&self) {
        self.parts.link.close(true).await;
    }
}
