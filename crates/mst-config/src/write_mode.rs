//! The write modes that a config gives its servers.

use indexmap::IndexMap;
use mst_model::{ServerLabel, WriteMode};

use crate::diagnostic::Code;
use crate::draft::{EvalDraft, WriteSetting};
use crate::issue::{Issue, Place, join};
use crate::request::SelectionFlags;
use crate::suggest;
use crate::variant::ResolvedVariant;

/// Returns the mode of each server that the config gives one.
pub(crate) fn of_config(draft: &EvalDraft) -> IndexMap<ServerLabel, WriteMode> {
    draft.writes.iter().flatten().map(|(label, setting)| (label.clone(), (*setting).into())).collect()
}

/// Reports modes of servers that no variant has, and live servers of the variants that run when writes may not reach a
/// service.
pub(crate) fn check(
    draft: &EvalDraft,
    variants: &[ResolvedVariant],
    flags: &SelectionFlags,
    allow_live_writes: bool,
) -> Vec<Issue> {
    let mut issues = Vec::new();
    let runs = |variant: &&ResolvedVariant| flags.variants.is_empty() || flags.variants.contains(&variant.name);
    for (label, setting) in draft.writes.iter().flatten() {
        let pointer = join("/writes", label.as_str());
        let has = |variant: &ResolvedVariant| variant.servers.contains_key(label);
        if !variants.iter().any(has) {
            let known: Vec<&str> = draft.servers.keys().map(ServerLabel::as_str).collect();
            let message = format!("no variant has a server {:?}", label.as_str());
            let issue = Issue::error(Place::key(0, pointer), Code::UnknownName, message);
            issues.push(issue.with_help_if(suggest::help(label.as_str(), known)));
        } else if *setting == WriteSetting::Live && !allow_live_writes && variants.iter().filter(runs).any(has) {
            let message =
                format!("the server {:?} is live: what a model writes would reach the service", label.as_str());
            let issue = Issue::error(Place::value(0, pointer), Code::Unsafe, message);
            issues.push(issue.with_help("if it may, run with --allow-live-writes"));
        }
    }
    issues
}
