//! Server-sent events, as far as providers use them: the data of each event, however the bytes are cut.

use std::convert::Infallible;

/// Collects bytes and gives out each event's data.
#[derive(Debug, Default)]
pub(crate) struct SseReader {
    pending: Vec<u8>,
    searched: usize,
    data: Vec<u8>,
    has_data: bool,
}

impl SseReader {
    /// Takes bytes and hands the data of every event that they complete to `take`.
    pub(crate) fn feed<E>(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.pending.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(end) = self.pending[self.searched..].iter().position(|byte| *byte == b'\n') {
            let end = self.searched + end;
            let line = &self.pending[start..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() {
                if std::mem::take(&mut self.has_data) {
                    take(&self.data)?;
                    self.data.clear();
                }
            } else if let Some(rest) = line.strip_prefix(b"data:") {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(rest.strip_prefix(b" ").unwrap_or(rest));
                self.has_data = true;
            }
            start = end + 1;
            self.searched = start;
        }
        self.pending.drain(..start);
        self.searched = self.pending.len();
        Ok(())
    }

    /// Returns the data of an event that the stream's end left without its empty line; it may be half of one.
    pub(crate) fn into_rest(mut self) -> Option<Vec<u8>> {
        self.pending.extend_from_slice(b"\n\n");
        let mut rest = None;
        let fed: Result<(), Infallible> = self.feed(b"", |data| {
            rest = Some(data.to_vec());
            Ok(())
        });
        fed.map_or_else(|never| match never {}, |()| rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str, piece: usize) -> Vec<String> {
        let mut reader = SseReader::default();
        let mut all = Vec::new();
        for bytes in text.as_bytes().chunks(piece) {
            let fed: Result<(), ()> = reader.feed(bytes, |data| {
                all.push(String::from_utf8_lossy(data).into_owned());
                Ok(())
            });
            fed.expect("nothing fails");
        }
        all
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let text = ": hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: 1}\r\n\r\n\nid: 4\ndata:héé\n\ndata: half";
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(events(text, piece), ["{\"x\":\n1}", "héé"], "{piece}");
        }
        for (text, want) in
            [("data: a\n\ndata: half", Some("half")), ("data: a\ndata: b\n", Some("a\nb")), ("data: a\n\n", None)]
        {
            let mut reader = SseReader::default();
            let fed: Result<(), ()> = reader.feed(text.as_bytes(), |_| Ok(()));
            fed.expect("nothing fails");
            assert_eq!(reader.into_rest().as_deref(), want.map(str::as_bytes));
        }
    }
}
