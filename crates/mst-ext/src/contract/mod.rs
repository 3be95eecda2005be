//! One trait per kind of extension.

mod client;
mod judge;
mod one_shot;
mod pairwise;
mod run_store;
mod signals;
mod store_key;

pub use client::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSession, ClientSessionOptions, ClientTrial,
    Continuation, NamedServer, SessionResult,
};
pub use judge::{Judge, JudgeContext, JudgeDefinition, JudgeFault};
pub use one_shot::{OneShot, RunOnlyClient};
pub use pairwise::PairwiseJudge;
pub use run_store::{Depth, ResultStore, ResultStoreDefinition, RunStore, RunStoreError};
pub use signals::{ClientSignal, Listener, RunSignals};
pub use store_key::{KeyError, StoreKey};
