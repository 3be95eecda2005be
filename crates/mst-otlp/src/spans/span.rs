//! What every span has: ids, times, a kind, a status.

use mst_model::Timestamp;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{Span, Status};

use super::attributes::Attributes;
use super::ids::{SpanId, TraceId};

/// When something began and ended. It never ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
}

impl Period {
    /// Returns a moment.
    pub(super) fn at(time: Timestamp) -> Self {
        Self { start: time, end: time }
    }

    /// Puts together what is known; `None` when it is not enough to say when it was.
    pub(super) fn of(start: Option<Timestamp>, end: Option<Timestamp>, duration_ms: Option<f64>) -> Option<Self> {
        let duration = duration_ms.filter(|duration| duration.is_finite()).map(|duration| duration.round() as i64);
        let moved = |time: Timestamp, by: i64| Timestamp::from_millis(time.as_millis().saturating_add(by));
        let (start, end) = match (start, end, duration) {
            (Some(start), Some(end), _) => (start, end),
            (Some(start), None, duration) => (start, moved(start, duration.unwrap_or(0)).unwrap_or(start)),
            (None, Some(end), Some(duration)) => (moved(end, duration.saturating_neg())?, end),
            (None, _, _) => return None,
        };
        Some(Self { start, end: end.max(start) })
    }

    /// Returns the shortest period that holds both.
    pub(super) fn with(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Where a span belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) trace: TraceId,
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
}

/// Makes a span.
pub(super) fn span(place: Place, name: String, kind: SpanKind, period: Period, attributes: Attributes) -> Span {
    Span {
        trace_id: place.trace.to_vec(),
        span_id: place.id.to_vec(),
        parent_span_id: place.parent.map(|parent| parent.to_vec()).unwrap_or_default(),
        // W3C trace flags: sampled.
        flags: 1,
        name,
        kind: kind as i32,
        start_time_unix_nano: nanos(period.start),
        end_time_unix_nano: nanos(period.end),
        attributes: attributes.into_vec(),
        ..Span::default()
    }
}

/// Marks a span as failed. `message` is for people and may be empty.
pub(super) fn fail(span: &mut Span, message: String) {
    span.status = Some(Status { message, code: StatusCode::Error as i32 });
}

/// Returns a time in nanoseconds since 1970; 0 for one before.
pub(super) fn nanos(time: Timestamp) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(0).saturating_mul(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_put_together_from_what_is_known() {
        let time = |millis| Timestamp::from_millis(millis);
        let period = |start, end| Some(Period { start: time(start)?, end: time(end)? });
        for (start, end, duration, want) in [
            (time(10), time(30), Some(5.0), period(10, 30)),
            (time(10), None, Some(5.4), period(10, 15)),
            (time(10), None, None, period(10, 10)),
            (None, time(30), Some(5.0), period(25, 30)),
            (None, time(30), None, None),
            (None, None, Some(5.0), None),
            // A clock that was set back.
            (time(30), time(10), None, period(30, 30)),
            (time(10), None, Some(f64::NAN), period(10, 10)),
        ] {
            assert_eq!(Period::of(start, end, duration), want, "{start:?} {end:?} {duration:?}");
        }
    }
}
