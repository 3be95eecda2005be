//! Reads an event stream (the `text/event-stream` format of the HTML standard).

use crate::message::LONGEST_MESSAGE;

/// One event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name; empty for a plain message.
    pub(super) name: String,
    /// Its data, lines joined with line feeds.
    pub(super) data: Vec<u8>,
}

/// Splits bytes into events, however they are cut.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    started: bool,
    after_cr: bool,
    /// The last id that the stream gave; kept from event to event.
    pub(super) last_id: Option<String>,
    /// How long to wait before connecting again, in milliseconds.
    pub(super) retry: Option<u64>,
}

/// An event longer than is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Decoder {
    /// Takes the next bytes and returns the events that they complete.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        if self.after_cr {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.after_cr = bytes.is_empty();
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.extend_from_slice(&bytes[..end]);
            let step = if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
            self.after_cr = bytes[end] == b'\r' && end + 1 == bytes.len();
            bytes = &bytes[end + step..];
            events.extend(self.end_line());
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() + self.event.data.len() > LONGEST_MESSAGE {
            return Err(TooLong);
        }
        Ok(events)
    }

    /// Returns a decoder for the continuation of a stream that was cut.
    pub(super) fn resumed(self) -> Self {
        Self { last_id: self.last_id, retry: self.retry, ..Self::default() }
    }

    fn end_line(&mut self) -> Option<Event> {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.started, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.drain(..3);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..])),
            None => (&line[..], &[][..]),
        };
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.name = String::from_utf8_lossy(value).into_owned(),
            b"id" if !value.contains(&0) => self.last_id = Some(String::from_utf8_lossy(value).into_owned()),
            b"retry" => self.retry = number(value).or(self.retry),
            _ => {}
        }
        None
    }
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"\xEF\xBB\xBF: hello\r\nid: 7\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nevent: endpoint\ndata:/x\n\nretry: 50\nid\n\nrest";

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        for size in 1..STREAM.len() {
            let mut decoder = Decoder::default();
            let events: Vec<Event> = STREAM.chunks(size).flat_map(|chunk| decoder.push(chunk).unwrap()).collect();
            let want = [
                Event { name: String::new(), data: b"{\"a\":\n1}".to_vec() },
                Event { name: "endpoint".to_owned(), data: b"/x".to_vec() },
            ];
            assert_eq!(events, want, "in pieces of {size}");
            assert_eq!((decoder.last_id.as_deref(), decoder.retry), (Some(""), Some(50)));
        }
    }
}
