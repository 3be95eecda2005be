//! Connections: what carries JSON-RPC messages to a server and back.

mod exchanges;
mod header;
mod http;
mod http_client;
mod pending;
mod process;
mod sse;
mod stdio;
mod tail;
mod taped;
mod throttle;

use std::time::Duration;

use ::http::HeaderMap;
use serde::Serialize;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use header::{parameter_header_fault, parameter_headers};
pub(crate) use http::HttpLink;
pub(crate) use http_client::{Endpoint, HttpSetting, http_client};
pub(crate) use pending::Delivery;
pub(crate) use stdio::StdioLink;
pub(crate) use taped::{Place, TapedLink};

use crate::failure::CallFailure;

/// One request.
#[derive(Debug)]
pub(crate) struct Request<'a, P> {
    /// The method.
    pub(crate) method: &'a str,
    /// Its parameters.
    pub(crate) params: P,
    /// The tool it names, for the `Mcp-Name` header.
    pub(crate) name: Option<&'a str>,
    /// Further headers, over HTTP.
    pub(crate) headers: HeaderMap,
    /// Whether the server is told when it is given up.
    pub(crate) cancellable: bool,
}

impl<'a, P> Request<'a, P> {
    /// Makes a request that names no tool.
    pub(crate) fn new(method: &'a str, params: P) -> Self {
        Self { method, params, name: None, headers: HeaderMap::new(), cancellable: true }
    }
}

/// How long a request is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait<'a> {
    /// Until when.
    pub(crate) deadline: Instant,
    /// The time it has in all, for messages.
    pub(crate) after: Duration,
    /// Or until the caller gives up.
    pub(crate) cancel: &'a CancellationToken,
}

impl<'a> Wait<'a> {
    /// Waits so long from now.
    pub(crate) fn from_now(after: Duration, cancel: &'a CancellationToken) -> Self {
        Self { deadline: Instant::now() + after, after, cancel }
    }

    /// Lets some time of the wait pass.
    pub(crate) async fn pause(&self, time: Duration) -> Result<(), CallFailure> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(CallFailure::Cancelled),
            () = tokio::time::sleep_until(self.deadline) => {
                Err(CallFailure::Timeout { after: self.after, unreadable: None })
            }
            () = tokio::time::sleep(time) => Ok(()),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams {
    request_id: u64,
}

/// A connection of either kind, or one on a tape.
#[derive(Debug)]
pub(crate) enum Link {
    Stdio(StdioLink),
    Http(Box<HttpLink>),
    Taped(Box<TapedLink>),
}

impl Link {
    /// Sends a request and waits for its result.
    pub(crate) async fn request<P: Serialize>(&self, request: Request<'_, P>, wait: Wait<'_>) -> Delivery {
        match self {
            Self::Stdio(link) => link.request(request, wait).await,
            Self::Http(link) => link.request(request, wait).await,
            Self::Taped(link) => link.request(request, wait).await,
        }
    }

    /// Tells the server that the handshake is over, over HTTP within the wait.
    pub(crate) async fn initialized(&self, wait: Wait<'_>) -> Result<(), CallFailure> {
        match self {
            Self::Stdio(link) => {
                link.notify("notifications/initialized", None::<()>);
                Ok(())
            }
            Self::Http(link) => link.initialized(wait).await,
            Self::Taped(link) => link.initialized(wait).await,
        }
    }

    /// Sets the revision that every later request names in its header.
    pub(crate) fn agree(&self, revision: &str, stateless: bool) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(link) => link.agree(revision, stateless),
            Self::Taped(link) => link.inner().into_iter().for_each(|inner| inner.agree(revision, stateless)),
        }
    }

    /// Starts to listen for what the server sends by itself, where that takes a request.
    pub(crate) async fn listen(&self) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(link) => link.listen().await,
            Self::Taped(link) => {
                if let Some(inner) = link.inner() {
                    Box::pin(inner.listen()).await;
                }
            }
        }
    }

    /// Subscribes to changes of the tools, in the revision where that takes a request.
    pub(crate) async fn subscribe<P: Serialize>(&self, request: Request<'_, P>) {
        match self {
            Self::Stdio(link) => link.begin(request),
            Self::Http(link) => link.subscribe(request).await,
            Self::Taped(link) => {
                if let Some(inner) = link.inner() {
                    Box::pin(inner.subscribe(request)).await;
                }
            }
        }
    }

    /// Returns how many sessions there were before the present one.
    pub(crate) fn epoch(&self) -> u64 {
        match self {
            Self::Stdio(_) => 0,
            Self::Http(link) => link.epoch(),
            Self::Taped(link) => link.epoch(),
        }
    }

    /// Forgets the session, so that another can be begun on the same connection.
    pub(crate) fn forget(&self) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(link) => link.forget(),
            Self::Taped(link) => link.forget(),
        }
    }

    /// Gives the connection up: every later request fails with this.
    pub(crate) fn give_up(&self, failure: CallFailure) {
        match self {
            Self::Stdio(_) => {}
            Self::Http(link) => link.give_up(failure),
            Self::Taped(link) => link.give_up(failure),
        }
    }

    /// Returns how the connection ended, when it has.
    pub(crate) fn gone(&self) -> Option<CallFailure> {
        match self {
            Self::Stdio(link) => link.gone(),
            Self::Http(link) => link.gone(),
            Self::Taped(link) => link.gone(),
        }
    }

    /// Ends the connection: politely within about a second, or at once.
    pub(crate) async fn close(&self, at_once: bool) {
        match self {
            Self::Stdio(link) => link.close(at_once).await,
            Self::Http(link) => link.close(at_once).await,
            Self::Taped(link) => link.close(at_once).await,
        }
    }

    /// Returns whether requests carry headers.
    pub(crate) fn is_http(&self) -> bool {
        match self {
            Self::Stdio(_) => false,
            Self::Http(_) => true,
            Self::Taped(link) => link.is_http(),
        }
    }

    /// Returns whether the endpoint is one of the HTTP+SSE transport of 2024-11-05.
    pub(crate) async fn is_old_transport(&self) -> bool {
        match self {
            Self::Stdio(_) => false,
            Self::Http(link) => link.is_old_transport().await,
            Self::Taped(link) => link.is_old_transport().await,
        }
    }

    /// Returns the connection on a tape.
    pub(crate) fn taped(&self) -> Option<&TapedLink> {
        if let Self::Taped(link) = self { Some(link) } else { None }
    }
}
