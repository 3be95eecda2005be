//! The end of what a server writes to stderr.

use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much of stderr is kept, in bytes.
const KEPT: usize = 4_096;

/// The last bytes of a stream.
#[derive(Debug, Default)]
pub(super) struct Tail(Mutex<Vec<u8>>);

impl Tail {
    /// Reads a stream to its end, keeping the last of it. Never stops early: a full pipe would stop the server.
    pub(super) async fn drain(&self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = [0; 2_048];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            self.push(&buffer[..read]);
        }
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }

    /// Returns the last lines as text; a first line that lost its beginning is left out when others follow.
    pub(super) fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let whole = if kept.len() < KEPT { &*text } else { text.split_once('\n').map_or(&*text, |(_, rest)| rest) };
        whole.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept() {
        let tail = Tail::default();
        for line in 0..1_000 {
            tail.push(format!("line {line}\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.len() <= KEPT && text.ends_with("line 999") && text.starts_with("line "), "{text}");
    }
}
