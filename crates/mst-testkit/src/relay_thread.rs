//! A listener on a thread of its own, so that a test may block while it serves; it stops on drop.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::thread::JoinHandle;

use tokio_util::sync::CancellationToken;

/// A running listener on a loopback port.
#[derive(Debug)]
pub(crate) struct RelayThread {
    port: u16,
    stop: CancellationToken,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl RelayThread {
    /// Serves at a free port until it is dropped.
    pub(crate) fn start<F: Future<Output = io::Result<()>>>(
        serve: impl FnOnce(tokio::net::TcpListener, CancellationToken) -> F + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let (port, stop) = (listener.local_addr()?.port(), CancellationToken::new());
        let thread = std::thread::Builder::new().name("fake-relay".to_owned()).spawn({
            let stop = stop.clone();
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(async { serve(tokio::net::TcpListener::from_std(listener)?, stop).await })
            }
        })?;
        Ok(Self { port, stop, thread: Some(thread) })
    }

    /// Returns the port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for RelayThread {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has shown itself to the client; a second one in drop would abort the test.
            thread.join().ok();
        }
    }
}
