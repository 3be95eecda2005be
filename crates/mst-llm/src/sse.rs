//! Server-sent events, as far as providers use them: the data of each event, however the bytes are cut.

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
    }
}
