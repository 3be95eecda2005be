//! A fake HTTP proxy: tunnels `CONNECT`, forwards requests for whole URLs, and remembers what it was asked.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::relay_thread::RelayThread;

/// The longest head that is read, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// A proxy on 127.0.0.1. It stops when it is dropped.
#[derive(Debug)]
pub struct FakeProxy {
    relay: RelayThread,
    heads: Heads,
}

/// The heads of requests so far.
type Heads = Arc<Mutex<Vec<String>>>;

impl FakeProxy {
    /// Starts a proxy at a free port. With `authorization` it answers 407 to who does not send that value of
    /// `Proxy-Authorization`.
    ///
    /// # Panics
    /// When no loopback port can be had.
    pub fn start(authorization: Option<&str>) -> Self {
        let heads = Heads::default();
        let (kept, wanted) = (Arc::clone(&heads), authorization.map(str::to_owned));
        let relay = RelayThread::start(move |listener, stop| serve(listener, stop, kept, wanted))
            .expect("a loopback port can be bound and a thread started");
        Self { relay, heads }
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.relay.port()
    }

    /// Returns the first line of each request so far; on a forwarded connection only of the first.
    pub fn asked(&self) -> Vec<String> {
        let heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        heads.iter().map(|head| head.lines().next().unwrap_or_default().to_owned()).collect()
    }
}

async fn serve(listener: TcpListener, stop: CancellationToken, heads: Heads, wanted: Option<String>) -> io::Result<()> {
    let mut relays = tokio::task::JoinSet::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, heads, wanted) = (accepted?.0, Arc::clone(&heads), wanted.clone());
        // A client that breaks off is no fault of the fake.
        relays.spawn(async move { drop(relay(stream, &heads, wanted.as_deref()).await) });
    }
    Ok(())
}

async fn relay(mut client: TcpStream, heads: &Heads, wanted: Option<&str>) -> io::Result<()> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if bytes.len() > LONGEST_HEAD || client.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    heads.lock().unwrap_or_else(PoisonError::into_inner).push(head.clone());
    let sent = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("proxy-authorization").then(|| value.trim())
    });
    if wanted.is_some() && sent != wanted {
        return client.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n").await;
    }
    let mut words = head.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if method == "CONNECT" {
        let mut server = TcpStream::connect(target).await?;
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        copy_bidirectional(&mut client, &mut server).await?;
        return Ok(());
    }
    let authority = target.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let mut server = TcpStream::connect(authority).await?;
    // The server takes a whole URL as the target, as RFC 9112 has it; this connection goes on to the same server.
    server.write_all(&bytes).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
