//! Puts an answer on the wire, and lets go wrong what a fault says.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::stream::{self, StreamExt};
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::Value;

use super::reply::Fault;
use crate::connection::ResetSwitch;

/// A pause in which the server's writes reach the socket before the connection is cut.
const FLUSH: Duration = Duration::from_millis(20);

/// An answer that is ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) content_type: &'static str,
    pub(crate) pieces: Vec<Bytes>,
    pub(crate) fault: Option<Fault>,
}

impl Answer {
    /// Makes an answer with a JSON body.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: Vec::new(),
            content_type: "application/json",
            pieces: vec![Bytes::from(body.to_string())],
            fault: None,
        }
    }

    /// Sends the answer; resets the connection through the switch when the fault says so.
    pub(crate) async fn send(self, switch: &ResetSwitch) -> Response {
        let total: usize = self.pieces.iter().map(Bytes::len).sum();
        let body = match &self.fault {
            Some(Fault::Reset) => {
                switch.throw();
                Body::empty()
            }
            Some(Fault::Hang { after_bytes: None }) => std::future::pending().await,
            Some(Fault::Hang { after_bytes: Some(bytes) }) => {
                let begun = stream::iter(first(&self.pieces, *bytes).into_iter().map(Ok::<_, Infallible>));
                Body::from_stream(begun.chain(stream::pending()))
            }
            Some(Fault::Cut { after_bytes }) => {
                let begun = stream::iter(first(&self.pieces, after_bytes.unwrap_or(total / 2)).into_iter().map(Ok));
                let end = stream::once(async {
                    tokio::time::sleep(FLUSH).await;
                    Err(io::Error::from(io::ErrorKind::ConnectionAborted))
                });
                Body::from_stream(begun.chain(end))
            }
            Some(Fault::Status { .. }) | None if self.pieces.len() == 1 => Body::from(self.pieces[0].clone()),
            Some(Fault::Status { .. }) | None => {
                Body::from_stream(stream::iter(self.pieces.into_iter().map(Ok::<_, Infallible>)))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        for (name, value) in &self.headers {
            // A header that HTTP cannot carry is a mistake of the script; the server shows it as a missing header.
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

/// Returns the first bytes of a body, in its pieces.
fn first(pieces: &[Bytes], mut bytes: usize) -> Vec<Bytes> {
    let mut begun = Vec::new();
    for piece in pieces {
        let length = piece.len().min(bytes);
        begun.push(piece.slice(..length));
        bytes -= length;
        if bytes == 0 {
            break;
        }
    }
    begun
}
