//! The extension contracts (one trait per kind) and the registry that binds names to code.
//!
//! A built-in and a plugin implement the same trait, and the engine gets both from the [`Registry`] alone, so that a
//! built-in has no privilege a plugin lacks.

mod contract;
mod registry;

pub use contract::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSession, ClientSessionOptions, ClientSignal,
    ClientTrial, Continuation, Depth, Judge, JudgeContext, JudgeDefinition, JudgeFault, KeyError, Listener,
    NamedServer, OneShot, PairwiseJudge, ResultStore, ResultStoreDefinition, RunOnlyClient, RunSignals, RunStore,
    RunStoreError, SessionResult, StoreKey,
};
pub use mst_model::Requirements;
pub use registry::Registry;
