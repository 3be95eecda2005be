//! The signals that ask a program to end.

#[cfg(unix)]
use std::task::Poll;

/// Ctrl-C, and on Unix the other ways of being asked to end: a closed terminal too must not leave servers behind.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    others: Vec<tokio::signal::unix::Signal>,
}

impl Default for Signals {
    fn default() -> Self {
        Self::new()
    }
}

impl Signals {
    /// Starts to listen. Needs a runtime.
    pub fn new() -> Self {
        #[cfg(unix)]
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            #[cfg(unix)]
            others: [SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()]
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        }
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        let interrupt = async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        #[cfg(unix)]
        {
            let others = std::future::poll_fn(|context| {
                let mut others = self.others.iter_mut();
                if others.any(|signal| signal.poll_recv(context).is_ready()) { Poll::Ready(()) } else { Poll::Pending }
            });
            tokio::select! {
                () = interrupt => {}
                () = others => {}
            }
        }
        #[cfg(not(unix))]
        interrupt.await;
    }
}
