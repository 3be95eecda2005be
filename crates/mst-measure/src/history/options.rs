//! Client options against those of an earlier run, as far as hashes can tell.

use mst_model::HistorySetup;

/// Returns what changed of the client options; `None` when nothing did.
///
/// A hashed value can be told to be the same only under one key. Runs that recorded no key hashed each under its own, so that
/// between them an option's name alone counts, which is part of the plain hash.
pub(super) fn changed(before: &HistorySetup, now: &HistorySetup) -> Option<&'static str> {
    if before.options != now.options {
        return Some("client options");
    }
    if before.hashed_options.is_empty() || (before.option_key.is_none() && now.option_key.is_none()) {
        return None;
    }
    if before.option_key != now.option_key {
        return Some("client options hashed under another option key");
    }
    (before.hashed_options != now.hashed_options).then_some("client options")
}
