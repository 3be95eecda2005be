//! The receiver: an HTTP server on 127.0.0.1 with a secret path for each trial.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use axum::routing::post;
use http::StatusCode;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::answer::{refused, taken};
use super::body::{Refusal, encoding, items, plain};
use super::inbox::{Inbox, Limits, Received, Signal};

/// A receiver of what clients report over OTLP/HTTP, protobuf or JSON, compressed with gzip or not. It listens on 127.0.0.1
/// alone until it is dropped.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    doors: Arc<Doors>,
    /// Ends with the receiver.
    _server: JoinSet<io::Result<()>>,
}

/// The open inboxes by their secret path.
#[derive(Debug)]
pub(super) struct Doors {
    open: Mutex<BTreeMap<String, Arc<Mutex<Received>>>>,
    limits: Limits,
}

impl Doors {
    fn find(&self, token: &str) -> Option<Arc<Mutex<Received>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    pub(super) fn shut(&self, token: &str) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(token);
    }
}

impl Receiver {
    /// Starts to listen at a free port.
    ///
    /// # Errors
    /// When no port of 127.0.0.1 can be had.
    pub async fn start(limits: Limits) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let doors = Arc::new(Doors { open: Mutex::default(), limits });
        let router = Router::new().route("/{token}/v1/{signal}", post(receive)).with_state(Arc::clone(&doors));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, doors, _server: server })
    }

    /// Opens an inbox whose path is `token`, which nobody must be able to guess.
    pub fn open(&self, token: String) -> Inbox {
        let received = Arc::new(Mutex::new(Received::default()));
        self.doors.open.lock().unwrap_or_else(PoisonError::into_inner).insert(token.clone(), Arc::clone(&received));
        let root = format!("http://{}/{token}", self.address);
        Inbox { doors: Arc::clone(&self.doors), token, root, received }
    }
}

async fn receive(
    State(doors): State<Arc<Doors>>,
    Path((token, signal)): Path<(String, String)>,
    request: Request,
) -> Response {
    match take(&doors, &token, &signal, request).await {
        Ok(response) => response,
        Err(refusal) => refused(refusal),
    }
}

async fn take(doors: &Doors, token: &str, signal: &str, request: Request) -> Result<Response, Refusal> {
    let received = doors.find(token).ok_or((StatusCode::NOT_FOUND, "nothing is received here"))?;
    let signal = match signal {
        "traces" => Signal::Traces,
        "logs" => Signal::Logs,
        "metrics" => Signal::Metrics,
        _ => return Err((StatusCode::NOT_FOUND, "traces, logs and metrics are received")),
    };
    let (head, body) = request.into_parts();
    let encoding = encoding(&head.headers)?;
    let limit = doors.limits.request_bytes;
    let body = to_bytes(body, limit).await.map_err(|_| (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"))?;
    let bytes = plain(&head.headers, &body, limit)?;
    let items = items(signal, encoding, &bytes)?;
    let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
    let refused = received.take(signal, items, bytes.len(), doors.limits);
    Ok(taken(signal, encoding, refused))
}
