//! What a run and its guardian say to each other: lengths and JSON over a Unix socket, with a program's pipes beside them.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::Interest;
use tokio::net::UnixStream;

use crate::program::Program;

/// The most file descriptors that come with one message: a program's three streams.
const MOST_FDS: usize = 3;
/// The longest message that is read, in bytes: no system starts a program with more than a few megabytes of arguments.
const LONGEST: usize = 64 << 20;

/// What a run asks for. `id` is the run's name for a program.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// Start a program with the pipes that come along: stdin, stdout and stderr, each where it is piped.
    Start { id: u64, program: Program },
    /// Send SIGTERM to its group.
    Terminate { id: u64 },
    /// Kill it and its descendants.
    Kill { id: u64 },
}

/// What a guardian reports.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The guardian looks after what it will start.
    Ready,
    /// A program runs.
    Started { id: u64, pid: u32 },
    /// A program could not be started: the system's error number where there is one, and its words.
    Failed { id: u64, code: Option<i32>, words: String },
    /// A program has ended: how, as `wait` tells it.
    Exited { id: u64, status: i32 },
    /// A program has ended, and nothing that descends from it is left.
    Over { id: u64 },
}

/// Sends a message. The descriptors stay open on this side.
pub(crate) async fn send(stream: &UnixStream, message: &impl Serialize, fds: &[OwnedFd]) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?.to_le_bytes();
    let borrowed: Vec<BorrowedFd<'_>> = fds.iter().map(AsFd::as_fd).collect();
    let header = || {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !borrowed.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&borrowed)) {
            return Err(io::Error::other("too many descriptors"));
        }
        Ok(rustix::net::sendmsg(stream, &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?)
    };
    // The length goes in one piece: so few bytes fit or do not fit.
    stream.async_io(Interest::WRITABLE, header).await?;
    let mut rest = &body[..];
    while !rest.is_empty() {
        stream.writable().await?;
        match stream.try_write(rest) {
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Receives a message with its descriptors; `None` when the other side is gone.
pub(crate) async fn receive<T: DeserializeOwned>(stream: &UnixStream) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut fds = Vec::new();
    let mut length = [0; 4];
    let mut filled = 0;
    while filled < length.len() {
        let read =
            stream.async_io(Interest::READABLE, || receive_some(stream, &mut length[filled..], &mut fds)).await?;
        if read == 0 {
            return Ok(None);
        }
        filled += read;
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::other("a message longer than is read"));
    }
    let mut body = vec![0; length];
    let mut filled = 0;
    while filled < length {
        stream.readable().await?;
        match stream.try_read(&mut body[filled..]) {
            Ok(0) => return Ok(None),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some((serde_json::from_slice(&body)?, fds)))
}

fn receive_some(stream: &UnixStream, bytes: &mut [u8], fds: &mut Vec<OwnedFd>) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::net::recvmsg(stream, &mut [IoSliceMut::new(bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            fds.extend(received);
        }
    }
    Ok(received.bytes)
}
