//! Someone who is told what a model's calls wait for.

use std::time::Duration;

use async_trait::async_trait;

/// Told what the calls of one model wait for, so that others need not wait along.
#[async_trait]
pub trait CallWatcher: Send + Sync {
    /// The provider refused a call for now. It is left alone for `closed_for`, and then gets `concurrency` calls at a
    /// time.
    fn refused(&self, closed_for: Duration, concurrency: u32);

    /// The provider gets so many calls at a time from now on; as many as come when absent.
    fn eased(&self, concurrency: Option<u32>);

    /// A call begins to wait for the provider.
    fn waits(&self);

    /// The provider would take the call that waited. Returns when it may be made.
    async fn goes_on(&self);
}
