//! One trait per kind of extension.

mod client;
mod one_shot;

pub use client::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSession, ClientSessionOptions, ClientTrial,
    Continuation, NamedServer, SessionResult,
};
pub use one_shot::{OneShot, RunOnlyClient};
