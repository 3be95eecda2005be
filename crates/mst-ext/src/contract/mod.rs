//! One trait per kind of extension.

mod client;
mod one_shot;
mod signals;

pub use client::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSession, ClientSessionOptions, ClientTrial,
    Continuation, NamedServer, SessionResult,
};
pub use one_shot::{OneShot, RunOnlyClient};
pub use signals::{ClientSignal, Listener, RunSignals};
