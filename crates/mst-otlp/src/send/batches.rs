//! Spans on their way, in requests of a size that collectors take.

use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

/// The most spans of one request: the standard's default for a batch.
const MOST: usize = 512;

/// The most bytes of one request, before compression. Collectors refuse what is over a few megabytes.
const MOST_BYTES: usize = 1 << 20;

/// Spans that are not sent yet.
#[derive(Debug, Default)]
pub struct Batches {
    spans: Vec<Span>,
    bytes: usize,
}

impl Batches {
    /// Adds spans and returns the batches that are full.
    pub fn add(&mut self, spans: Vec<Span>) -> Vec<Vec<Span>> {
        let mut full = Vec::new();
        for span in spans {
            let bytes = span.encoded_len();
            let has_room = self.spans.len() < MOST && self.bytes + bytes <= MOST_BYTES;
            if !has_room && !self.spans.is_empty() {
                self.bytes = 0;
                full.push(std::mem::take(&mut self.spans));
            }
            self.bytes += bytes;
            self.spans.push(span);
        }
        full
    }

    /// Returns the last batch, when there is one.
    pub fn rest(self) -> Option<Vec<Span>> {
        Some(self.spans).filter(|spans| !spans.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_full_by_spans_or_by_bytes() {
        let span = |length: usize| Span { name: "x".repeat(length), ..Span::default() };
        for (lengths, want) in [
            (vec![1; 3], vec![3]),
            (vec![1; MOST], vec![MOST]),
            (vec![1; MOST + 1], vec![MOST, 1]),
            (vec![MOST_BYTES / 2; 3], vec![1, 1, 1]),
            (vec![MOST_BYTES / 3; 4], vec![2, 2]),
            // One that is too large by itself is sent all the same: the collector says what it makes of it.
            (vec![2 * MOST_BYTES, 1], vec![1, 1]),
            (vec![], vec![]),
        ] {
            let mut batches = Batches::default();
            let mut sizes: Vec<usize> = Vec::new();
            for length in &lengths {
                sizes.extend(batches.add(vec![span(*length)]).iter().map(Vec::len));
            }
            sizes.extend(batches.rest().iter().map(Vec::len));
            assert_eq!(sizes, want, "{} spans of {:?} bytes", lengths.len(), lengths.first());
        }
    }
}
