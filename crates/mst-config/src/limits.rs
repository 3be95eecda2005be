//! Caps on trials that run at once: the names in `limits` bound to providers and servers.

use mst_model::{Provider, ServerLabel};

use crate::diagnostic::Code;
use crate::draft::EvalDraft;
use crate::issue::{Issue, Place, join};
use crate::plan::Limits;
use crate::suggest;

/// Returns the config's limits; reports names of no provider and of no server.
pub(crate) fn resolve(draft: &EvalDraft, issues: &mut Vec<Issue>) -> Limits {
    let mut limits = Limits::default();
    let Some(written) = &draft.limits else { return limits };
    for (name, most) in written.providers.iter().flatten() {
        let place = || Place::key(0, join("/limits/providers", name));
        let Ok(provider) = name.parse::<Provider>() else {
            let message = format!("there is no provider {name:?}");
            let help = suggest::help(name, Provider::ALL.map(Provider::as_str).to_vec());
            issues.push(Issue::error(place(), Code::UnknownName, message).with_help_if(help));
            continue;
        };
        if limits.providers.insert(provider, most.get()).is_some() {
            let message = format!("the provider {:?} has two limits", provider.as_str());
            issues.push(Issue::error(place(), Code::DuplicateName, message));
        }
    }
    for (label, most) in written.servers.iter().flatten() {
        if !draft.servers.contains_key(label) {
            let place = Place::key(0, join("/limits/servers", label.as_str()));
            let known: Vec<&str> = draft.servers.keys().map(ServerLabel::as_str).collect();
            let message = format!("there is no server {:?}", label.as_str());
            let issue = Issue::error(place, Code::UnknownName, message);
            issues.push(issue.with_help_if(suggest::help(label.as_str(), known)));
        }
        limits.servers.insert(label.clone(), most.get());
    }
    limits
}
