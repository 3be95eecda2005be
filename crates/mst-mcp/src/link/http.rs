//! A connection over Streamable HTTP.
//!
//! The official SDK's transport hands on typed messages; here bodies are read as raw JSON instead (see
//! [`crate::message`]), a failed status keeps the server's words, and every wait has an end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Method};
use reqwest::Client;
use rmcp::transport::common::http_header::{HEADER_MCP_METHOD, HEADER_MCP_NAME, HEADER_SESSION_ID};
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::exchanges::{self, Exchanges, Post, Unreadable, is_event_stream};
use super::header;
use super::http_client::Endpoint;
use super::pending::Delivery;
use super::sse::Decoder;
use super::{CancelledParams, Request, Wait};
use crate::failure::CallFailure;
use crate::host::Host;
use crate::message;

/// How long ending a session, or telling the server something by the way, may take.
pub(super) const FAREWELL: Duration = Duration::from_secs(1);

/// How long the opening of a subscription may be put off by a server that answers 429.
const SUBSCRIBING: Duration = Duration::from_secs(30);

/// The connection.
#[derive(Debug)]
pub(crate) struct HttpLink {
    shared: Arc<Exchanges>,
    tasks: Mutex<JoinSet<()>>,
    last_id: AtomicU64,
    retries: u32,
}

impl HttpLink {
    /// Prepares a connection. Nothing is sent yet.
    pub(crate) fn new(client: Client, endpoint: Endpoint, retries: u32, host: Arc<Host>) -> Self {
        let shared = Arc::new(Exchanges::new(client, endpoint, host));
        Self { shared, tasks: Mutex::default(), last_id: AtomicU64::new(0), retries }
    }

    /// Sends a request and waits for its answer, the deadline or the caller.
    pub(crate) async fn request<P: Serialize>(&self, request: Request<'_, P>, wait: Wait<'_>) -> Delivery {
        if let Some(gone) = self.gone() {
            return Err(gone);
        }
        let is_cancellable = request.cancellable;
        let (id, post) = self.prepare(request, wait.deadline);
        let unreadable = Unreadable::default();
        let failure = tokio::select! {
            biased;
            answer = self.shared.exchange(id, post, &unreadable) => return answer,
            () = wait.cancel.cancelled() => CallFailure::Cancelled,
            () = tokio::time::sleep_until(wait.deadline) => {
                CallFailure::Timeout { after: wait.after, unreadable: exchanges::take(&unreadable) }
            }
        };
        if is_cancellable && !self.shared.state().stateless {
            let body = message::outgoing(None, "notifications/cancelled", Some(CancelledParams { request_id: id }));
            let shared = Arc::clone(&self.shared);
            let tell =
                async move { tokio::time::timeout(FAREWELL, shared.post(body, HeaderMap::new()).send()).await.ok() };
            let mut tasks = self.tasks.lock().await;
            while tasks.try_join_next().is_some() {}
            tasks.spawn(async move { drop(tell.await) });
        }
        Err(failure)
    }

    /// Writes a request, under the next id.
    fn prepare<P: Serialize>(&self, request: Request<'_, P>, deadline: Instant) -> (u64, Post) {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let mut headers = request.headers;
        if self.shared.state().stateless {
            headers.insert(HEADER_MCP_METHOD, header::value(request.method));
            if let Some(name) = request.name {
                headers.insert(HEADER_MCP_NAME, header::value(name));
            }
        }
        let post = Post {
            body: message::outgoing(Some(id), request.method, Some(request.params)),
            headers,
            retries: self.retries,
            // Only a call changes anything where it runs twice.
            repeatable: request.name.is_none(),
            deadline,
        };
        (id, post)
    }

    /// Tells the server that the handshake is over.
    pub(crate) async fn initialized(&self, wait: Wait<'_>) -> Result<(), CallFailure> {
        let post = Post {
            body: message::outgoing(None, "notifications/initialized", None::<()>),
            headers: HeaderMap::new(),
            retries: self.retries,
            repeatable: true,
            deadline: wait.deadline,
        };
        let sending = async {
            let has_session = self.shared.has_session();
            let response = self.shared.send(&post).await?;
            if response.status().is_success() { Ok(()) } else { Err(self.shared.refusal(response, has_session).await) }
        };
        tokio::select! {
            biased;
            sent = sending => sent,
            () = wait.cancel.cancelled() => Err(CallFailure::Cancelled),
            () = tokio::time::sleep_until(wait.deadline) => {
                Err(CallFailure::Timeout { after: wait.after, unreadable: None })
            }
        }
    }

    /// Sets the revision that every later request names.
    pub(crate) fn agree(&self, revision: &str, stateless: bool) {
        let mut state = self.shared.state();
        state.revision = HeaderValue::from_str(revision).ok();
        state.stateless = stateless;
    }

    /// Opens the stream of what the server sends by itself. A server that has none (405) is left alone.
    pub(crate) async fn listen(&self) {
        let shared = Arc::clone(&self.shared);
        self.tasks.lock().await.spawn(async move { shared.listen().await });
    }

    /// Subscribes to changes of the tools, in the revision without a standing stream.
    pub(crate) async fn subscribe<P: Serialize>(&self, request: Request<'_, P>) {
        // The stream stays open: no deadline is its own.
        let (_, post) = self.prepare(request, Instant::now() + SUBSCRIBING);
        let shared = Arc::clone(&self.shared);
        self.tasks.lock().await.spawn(async move { shared.subscribe(&post).await });
    }

    /// Returns how many sessions there were before the present one.
    pub(crate) fn epoch(&self) -> u64 {
        self.shared.state().epoch
    }

    /// Forgets the session, so that another can be begun.
    pub(crate) fn forget(&self) {
        let mut state = self.shared.state();
        (state.session, state.revision) = (None, None);
        state.epoch += 1;
    }

    /// Gives the connection up: every later request fails with this.
    pub(crate) fn give_up(&self, failure: CallFailure) {
        self.shared.state().gone.get_or_insert(failure);
    }

    /// Returns whether the endpoint is one of the HTTP+SSE transport of 2024-11-05: a GET brings an `endpoint` event.
    pub(crate) async fn is_old_transport(&self) -> bool {
        let looking = async {
            let mut response = self.shared.get(None).send().await.ok()?;
            if !is_event_stream(&response) {
                return None;
            }
            let mut decoder = Decoder::default();
            while let Some(bytes) = response.chunk().await.ok()? {
                if let Some(event) = decoder.push(&bytes).ok()?.first() {
                    return Some(event.name == "endpoint");
                }
            }
            None
        };
        tokio::time::timeout(2 * FAREWELL, looking).await.ok().flatten().unwrap_or(false)
    }

    /// Returns how the session ended, when it has.
    pub(crate) fn gone(&self) -> Option<CallFailure> {
        self.shared.state().gone.clone()
    }

    /// Ends the session: with a DELETE that may take a second, or at once.
    pub(crate) async fn close(&self, at_once: bool) {
        let session = {
            let mut state = self.shared.state();
            let open = state.gone.is_none();
            state.gone.get_or_insert(CallFailure::NotSent { detail: "the connection was closed".to_owned() });
            state.session.take().filter(|_| open)
        };
        self.tasks.lock().await.shutdown().await;
        if let Some(session) = session.filter(|_| !at_once) {
            let request = self.shared.base(Method::DELETE).header(HEADER_SESSION_ID, session);
            // A server may refuse to have its sessions ended; there is nobody to tell.
            drop(tokio::time::timeout(FAREWELL, request.send()).await);
        }
    }
}
