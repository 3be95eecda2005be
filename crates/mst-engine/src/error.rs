//! Why a run did not start, or stopped.

use std::path::PathBuf;

use mst_model::{ServerLabel, VariantName};

/// Why a run did not start, or stopped before its end. A trial that failed is not an error: it is a record.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Servers without a write mode list tools that are not read-only.
    #[error("{}", write_tools_text(.servers))]
    WriteTools {
        /// The servers and their tools.
        servers: Vec<(ServerLabel, Vec<String>)>,
    },
    /// Tool metadata does not fit the tools that the variant's servers list.
    #[error("variant {variant}: in \"tools\", {key:?} {problem}")]
    ToolMetadata {
        /// The variant.
        variant: VariantName,
        /// The key.
        key: String,
        /// What is wrong with it.
        problem: String,
        /// The tools that the servers list.
        known: Vec<String>,
    },
    /// A client of the plan is not registered.
    #[error("no client is named {0:?}")]
    UnknownClient(String),
    /// A judge of the plan is not registered.
    #[error("no judge is named {0:?}")]
    UnknownJudge(String),
    /// A judge does not take its options, or its jury is none.
    #[error("{0}")]
    JudgeSetup(#[from] mst_grading::judge::BindFault),
    /// A pairwise judge does not take its options.
    #[error("{0}")]
    PairwiseJudgeSetup(#[from] mst_grading::pairwise::PairwiseBindFault),
    /// A judge could not judge anything.
    #[error("judge {judge}: {reason}")]
    JudgeNotReady {
        /// The judge's name in results.
        judge: String,
        /// Why.
        reason: String,
        /// Whether a credential is missing.
        is_credential: bool,
    },
    /// A client cannot run with its options.
    #[error("client {client}: {reason}")]
    ClientSetup {
        /// The client.
        client: String,
        /// Why.
        reason: String,
    },
    /// A client has no usable credential.
    #[error("client {client}: {reason}")]
    Credentials {
        /// The client.
        client: String,
        /// What is missing.
        reason: String,
    },
    /// A server's credential is not set.
    #[error("server {server}: the variable {variable}, named by auth.accessTokenEnv, is not set")]
    ServerCredential {
        /// The server.
        server: ServerLabel,
        /// The variable.
        variable: String,
    },
    /// A run cannot be resumed.
    #[error("run {run} cannot be resumed: {reason}")]
    Resume {
        /// The run as named.
        run: String,
        /// Why.
        reason: String,
        /// Whether the eval is no longer the one that the run was started with.
        changed: bool,
    },
    /// A run's trials cannot be graded again.
    #[error("run {run} cannot be graded: {reason}")]
    Regrade {
        /// The run as named.
        run: String,
        /// Why.
        reason: String,
    },
    /// What has no verdict in a run cannot be graded there.
    #[error("the grading of run {run} cannot be resumed: {reason}")]
    ResumeGrading {
        /// The run as named.
        run: String,
        /// Why.
        reason: String,
        /// Whether the eval is no longer the one that the run was graded with.
        changed: bool,
    },
    /// The run cannot have its budget.
    #[error("{0}")]
    Budget(#[from] crate::budget_check::BudgetFault),
    /// The setting or flag cannot work with the others.
    #[error("{0}")]
    Usage(String),
    /// The run directory cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Store {
        /// What could not be read or written.
        path: PathBuf,
        /// Why.
        source: mst_store::StoreError,
    },
    /// A task of the run ended in a way it never should.
    #[error("internal error: {0}")]
    Internal(String),
}

fn write_tools_text(servers: &[(ServerLabel, Vec<String>)]) -> String {
    let list: Vec<String> =
        servers.iter().map(|(label, tools)| format!("{:?} lists {}", label.as_str(), tools.join(", "))).collect();
    format!("tools that aren't read-only, on servers whose writes nothing stops: {}", list.join("; "))
}
