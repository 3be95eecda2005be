//! An HTTP server on a thread of its own, so that a test may block while it serves; it stops on drop.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use tokio_util::sync::CancellationToken;

use crate::connection::{ResetSwitch, ResettableListener};

/// A running server on a loopback port.
#[derive(Debug)]
pub(crate) struct ServerThread {
    address: SocketAddr,
    stop: CancellationToken,
    thread: Option<JoinHandle<io::Result<()>>>,
    task: Arc<OnceLock<PathBuf>>,
}

impl ServerThread {
    /// Serves a router on 127.0.0.1 at the given port, or at a free one for 0.
    pub(crate) fn start(port: u16, router: Router) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let task = Arc::new(OnceLock::new());
        let thread = std::thread::Builder::new().name("fake-server".to_owned()).spawn({
            let (stop, task) = (stop.clone(), Arc::clone(&task));
            move || {
                if let Ok(path) = fs_err::read_link("/proc/thread-self") {
                    task.get_or_init(|| PathBuf::from("/proc").join(path));
                }
                serve(listener, router, &stop)
            }
        })?;
        Ok(Self { address, stop, thread: Some(thread), task })
    }

    /// Returns the address that the server listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the cell that holds the server thread's folder under /proc once it runs.
    pub(crate) fn task(&self) -> Arc<OnceLock<PathBuf>> {
        Arc::clone(&self.task)
    }
}

/// Reads a thread's processor time from its folder under /proc.
pub(crate) fn cpu_time_of(task: &std::path::Path) -> Option<Duration> {
    let text = fs_err::read_to_string(task.join("schedstat")).ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

fn serve(listener: TcpListener, router: Router, stop: &CancellationToken) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = ResettableListener(tokio::net::TcpListener::from_std(listener)?);
        let service = router.into_make_service_with_connect_info::<ResetSwitch>();
        stop.run_until_cancelled(async { axum::serve(listener, service).await }).await.unwrap_or(Ok(()))
    })
}

impl Drop for ServerThread {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic of the server thread has shown itself to the client; a second one in drop would abort the test.
            thread.join().ok();
        }
    }
}
