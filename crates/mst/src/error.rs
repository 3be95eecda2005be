//! The one place that turns a library's error into what a person reads: a class, a message, and what can be done.

use mst_cli::{CliError, ExitClass};
use mst_config::Diagnostics;
use mst_engine::RunError;
use mst_mcp::{CallFailure, Fault, McpError};
use mst_model::Scrubber;
use mst_store::StoreError;

/// Translates mistakes in files and flags.
pub(crate) fn diagnostics(diagnostics: Diagnostics) -> CliError {
    CliError::diagnostics(diagnostics)
}

/// Translates why a run did not start, or stopped.
pub(crate) fn run(error: RunError) -> CliError {
    let message = error.to_string();
    match error {
        RunError::WriteTools { servers } => {
            let lines =
                servers.iter().map(|(label, _)| format!("{:?}: \"unguarded\"", label.as_str())).collect::<Vec<_>>();
            CliError::new(ExitClass::Usage, message).with_hint(format!(
                "no trial was started; if these tools may run for real, add to the eval config: \"writes\": {{ {} }}",
                lines.join(", ")
            ))
        }
        RunError::Resume { changed: true, .. } => CliError::new(ExitClass::Usage, message)
            .with_hint("a run is resumed with the config and datasets it was started with; otherwise start a new run"),
        RunError::ResumeGrading { changed: true, .. } => CliError::new(ExitClass::Usage, message)
            .with_hint("without --resume the trials are graded anew, as a run of its own"),
        RunError::JudgeNotReady { is_credential, .. } => {
            let error = CliError::new(ExitClass::Provider, message);
            let error = if is_credential {
                error.with_hint("set it in the environment or in a file given with --secrets-file")
            } else {
                error
            };
            error.with_hint("`mst run --no-grade` collects trials and asks no judge")
        }
        RunError::UnknownClient(_)
        | RunError::UnknownJudge(_)
        | RunError::JudgeSetup(_)
        | RunError::PairwiseJudgeSetup(_)
        | RunError::ClientSetup { .. }
        | RunError::Budget(_)
        | RunError::Usage(_)
        | RunError::Resume { .. }
        | RunError::Regrade { .. }
        | RunError::ResumeGrading { .. }
        | RunError::Store { source: StoreError::OptionKey { .. }, .. } => CliError::new(ExitClass::Usage, message),
        RunError::ToolMetadata { key, known, .. } => {
            let error = CliError::new(ExitClass::Usage, message);
            match mst_cli::nearest(&key, known.iter().map(String::as_str)) {
                Some(near) if near != key => error.with_hint(format!("did you mean {near:?}?")),
                Some(_) => error,
                None => error.with_hint(format!("listed: {}", known.join(", "))),
            }
        }
        RunError::Credentials { .. } | RunError::ServerCredential { .. } => {
            CliError::new(ExitClass::Authentication, message)
                .with_hint("set it in the environment or in a file given with --secrets-file".to_owned())
        }
        RunError::Store { .. } | RunError::Internal(_) => CliError::new(ExitClass::Machine, message),
    }
}

/// Translates why a server could not be connected to or listed. A server may print what it was given, so what is known to
/// be secret is taken out.
pub(crate) fn server(fault: &McpError, secrets: &Scrubber) -> CliError {
    if fault.is_cancelled() {
        return CliError::new(ExitClass::Interrupted, "interrupted");
    }
    if fault.is_authentication() {
        return CliError::new(ExitClass::Authentication, secrets.text(&fault.to_string()))
            .with_hint("set the server's token in the environment or in a file given with --secrets-file");
    }
    let error = CliError::new(ExitClass::Server, secrets.text(&fault.to_string()));
    match &fault.fault {
        Fault::Spawn { .. } => error.with_hint("`mst doctor` says which programs are installed"),
        Fault::Request(CallFailure::Timeout { .. }) => error.with_hint(
            "a stdio server speaks JSON-RPC on its stdout, and only that; a program that is none never answers",
        ),
        _ => error,
    }
}
