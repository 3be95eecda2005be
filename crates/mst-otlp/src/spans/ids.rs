//! Ids that follow from what a span is about: the same record has the same ids, whenever and by whom it is exported.

use mst_model::{CaseId, RunId, VariantName};
use sha2::{Digest as _, Sha256};

use crate::hex::hex;

/// A trace's id, 16 bytes.
pub(super) type TraceId = [u8; 16];

/// A span's id, 8 bytes.
pub(super) type SpanId = [u8; 8];

/// Returns the id of a run's trace.
pub(super) fn trace_of(run: &RunId) -> TraceId {
    cut(&digest("trace", &[run.as_str()]))
}

/// Returns the id of a run's own span.
pub(super) fn run_span(run: &RunId) -> SpanId {
    cut(&digest("run", &[run.as_str()]))
}

/// Returns the id of a case's span.
pub(super) fn case_span(run: &RunId, variant: &VariantName, case: &CaseId) -> SpanId {
    cut(&digest("case", &[run.as_str(), variant.as_str(), case.as_str()]))
}

/// Returns the id of a trial's span.
pub(super) fn trial_span(run: &RunId, variant: &VariantName, case: &CaseId, trial: u32) -> SpanId {
    cut(&digest("trial", &[run.as_str(), variant.as_str(), case.as_str(), &trial.to_string()]))
}

/// Returns the id of a span below a trial's, by its kind and place there.
pub(super) fn below(trial: SpanId, kind: &str, place: usize) -> SpanId {
    cut(&digest(kind, &[&hex(&trial), &place.to_string()]))
}

/// Hashes what a span is about. Each part is told from the next by its length, whatever it holds.
fn digest(kind: &str, parts: &[&str]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in std::iter::once(&kind).chain(parts) {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// Takes the first bytes of a hash. All zeros would be no id.
fn cut<const N: usize>(digest: &[u8; 32]) -> [u8; N] {
    let mut id = [0; N];
    id.copy_from_slice(&digest[..N]);
    if id == [0; N] {
        id[N - 1] = 1;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_the_names_alone_and_tell_them_apart() {
        let run: RunId = "20261007T182504Z-7f3c2a".parse().expect("an id");
        let other: RunId = "20261007T182504Z-7f3c2b".parse().expect("an id");
        assert_eq!(trace_of(&run), trace_of(&run.clone()));
        assert_ne!(trace_of(&run), trace_of(&other));
        let span = |variant: &str, case: &str, trial| trial_span(&run, &variant.into(), &case.into(), trial);
        let spans = [span("a", "b", 0), span("ab", "", 0), span("", "ab", 0), span("a", "b", 1), run_span(&run)];
        for (at, one) in spans.iter().enumerate() {
            assert!(!spans[at + 1..].contains(one), "{at}");
        }
        assert_ne!(below(spans[0], "model", 0), below(spans[0], "event", 0));
        assert_ne!(cut::<8>(&[0; 32]), [0; 8], "no id is all zeros");
    }
}
