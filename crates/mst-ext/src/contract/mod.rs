//! One trait per kind of extension.

mod client;
mod judge;
mod one_shot;
mod pairwise;
mod signals;

pub use client::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSession, ClientSessionOptions, ClientTrial,
    Continuation, NamedServer, SessionResult,
};
pub use judge::{Judge, JudgeContext, JudgeDefinition, JudgeFault};
pub use one_shot::{OneShot, RunOnlyClient};
pub use pairwise::PairwiseJudge;
pub use signals::{ClientSignal, Listener, RunSignals};
