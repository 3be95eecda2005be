//! Bodies of the HTTP transport: one JSON body, or a stream of events.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::Response;
use futures::stream::{self, StreamExt as _};
use http::{HeaderValue, StatusCode};
use tokio::sync::mpsc::UnboundedReceiver;

use super::session::Piece;

/// Waits for the answer and sends it as one body, with what came before it in front. A refused version of the stateless
/// protocol is a 400.
pub(super) async fn answer_as_json(mut pieces: UnboundedReceiver<Piece>) -> Response {
    let mut body = String::new();
    while let Some(piece) = pieces.recv().await {
        let (Piece::Message(text) | Piece::Raw(text)) = piece;
        body.push_str(&text);
    }
    let status = if body.contains("\"code\":-32022") { 400 } else { 200 };
    with_type(status, "application/json", Body::from(body))
}

/// Sends each message as an event as it comes. Text without a line end is glued to the next message.
pub(super) fn answer_as_stream(pieces: UnboundedReceiver<Piece>) -> Response {
    let events = stream::unfold((pieces, String::new(), 0_u32), |(mut pieces, mut glue, number)| async move {
        let text = match pieces.recv().await? {
            Piece::Message(text) => {
                format!("event: message\nid: {number}\ndata: {}{text}\n\n", std::mem::take(&mut glue))
            }
            Piece::Raw(text) if text.ends_with('\n') => text,
            Piece::Raw(text) => {
                glue.push_str(&text);
                String::new()
            }
        };
        Some((text, (pieces, glue, number + 1)))
    });
    with_type(200, "text/event-stream", Body::from_stream(events.map(Ok::<_, Infallible>)))
}

/// Answers with a text.
pub(super) fn text(status: u16, body: &'static str) -> Response {
    with_type(status, "text/plain", Body::from(body))
}

/// Answers with a body of a type.
pub(super) fn with_type(status: u16, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).expect("the transport's statuses are written in its code");
    response.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
