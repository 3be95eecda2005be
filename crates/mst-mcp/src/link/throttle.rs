//! How long a server that answered 429 wants to be left alone.

use std::time::Duration;

use http::HeaderMap;
use http::header::{DATE, RETRY_AFTER};
use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// How often a request that was answered 429 is sent again.
pub(super) const MOST_WAITS: u32 = 5;
/// The wait when the server does not say; it doubles from one to the next.
const UNTOLD: Duration = Duration::from_secs(1);
/// The shortest first wait, for a server that says 0; it doubles too.
const SHORTEST: Duration = Duration::from_millis(50);

/// Returns how long to wait before a request is sent again for the (n+1)th time.
pub(super) fn pause(told: Option<Duration>, n: u32) -> Duration {
    let growth = 1 << n.min(MOST_WAITS);
    told.map_or(UNTOLD * growth, |told| told.max(SHORTEST * growth))
}

/// Reads `Retry-After`: seconds, or a date, which is held against the answer's own `Date`.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let told = text(RETRY_AFTER)?;
    if let Ok(seconds) = told.parse::<u32>() {
        return Some(Duration::from_secs(u64::from(seconds)));
    }
    let at = |text: &str| rfc2822::parse(text).ok().map(|time| Timestamp::from(&time));
    let seconds = at(told)?.as_second() - text(DATE).and_then(at)?.as_second();
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn seconds_and_dates_are_read() {
        let date = "Mon, 30 Nov 2026 10:00:00 GMT";
        for (pairs, want) in [
            (&[(RETRY_AFTER, "7")][..], Some(7)),
            (&[(RETRY_AFTER, " 0 ")], Some(0)),
            (&[(RETRY_AFTER, "Mon, 30 Nov 2026 10:01:30 GMT"), (DATE, date)], Some(90)),
            (&[(RETRY_AFTER, "Mon, 30 Nov 2026 09:00:00 GMT"), (DATE, date)], Some(0)),
            (&[(RETRY_AFTER, "Mon, 30 Nov 2026 10:01:30 GMT")], None),
            (&[(RETRY_AFTER, "-1")], None),
            (&[(RETRY_AFTER, "soon"), (DATE, date)], None),
            (&[], None),
        ] {
            assert_eq!(retry_after(&headers(pairs)), want.map(Duration::from_secs), "{pairs:?}");
        }
    }

    #[test]
    fn waits_grow() {
        assert_eq!([pause(None, 0), pause(None, 2)], [Duration::from_secs(1), Duration::from_secs(4)]);
        assert_eq!(pause(Some(Duration::from_secs(3)), 4), Duration::from_secs(3));
        assert_eq!(pause(Some(Duration::ZERO), 3), Duration::from_millis(400));
    }
}
