//! What a caller can find out before it acts: what the server can do, who it is there, what it may, how much is left.

use mst_model::{CapabilityFinding, CapabilityState};

use super::facts::Facts;
use super::finding;

/// A tool that lists what the server can do; a help text alone is part of it.
pub(super) fn introspection(facts: &Facts<'_>) -> CapabilityFinding {
    let name = "capability_introspection";
    let manifest = facts.named(|tool| {
        tool.has_word(&["capabilities", "capability", "manifest", "introspect", "introspection"])
            || tool.has_phrase(&[
                &["list", "tools"],
                &["list", "operations"],
                &["list", "actions"],
                &["describe", "tool"],
                &["describe", "tools"],
                &["get", "tool", "schema"],
            ])
    });
    if !manifest.is_empty() {
        return finding(name, CapabilityState::Present, manifest, "a tool lists what the server can do");
    }
    let help =
        facts.named(|tool| tool.has_word(&["help", "docs", "documentation", "usage", "guide"]) && tool.name.len() <= 3);
    if !help.is_empty() {
        return finding(name, CapabilityState::Partial, help, "a tool gives help in prose, not a manifest");
    }
    if !facts.instructions.trim().is_empty() {
        let reason = "the server's instructions say in prose what it does; no tool lists it";
        return finding(name, CapabilityState::Partial, ["instructions".to_owned()], reason);
    }
    finding(name, CapabilityState::Absent, [], "no tool lists what the server can do")
}

/// A tool that says who the caller is, and one that says in which account, workspace or tenant.
pub(super) fn identity(facts: &Facts<'_>) -> CapabilityFinding {
    let who = facts.named(|tool| {
        tool.has_word(&["whoami", "me", "myself"])
            || tool.has_phrase(&[
                &["who", "am", "i"],
                &["current", "user"],
                &["authenticated", "user"],
                &["auth", "status"],
                &["current", "account"],
            ])
    });
    let nouns = [
        "organization",
        "organizations",
        "organisation",
        "organisations",
        "orgs",
        "tenant",
        "tenants",
        "workspace",
        "workspaces",
        "account",
        "accounts",
        "subscription",
        "subscriptions",
        "teams",
    ];
    let place = facts.named(|tool| {
        !tool.changes && tool.has_word(&nouns) && tool.has_word(&["list", "get", "current", "show", "describe"])
    });
    let (state, reason) = match (who.is_empty(), place.is_empty()) {
        (false, false) => (CapabilityState::Present, "the caller and the account or workspace can be asked for"),
        (false, true) => (CapabilityState::Partial, "the caller can be asked for, the account or workspace cannot"),
        (true, false) => (CapabilityState::Partial, "accounts or workspaces can be asked for, the caller cannot"),
        (true, true) => (CapabilityState::Absent, "no tool says who the caller is, or in which account"),
    };
    finding("identity_and_tenant_confirmation", state, who.into_iter().chain(place), reason)
}

/// A tool that says whether a call would be allowed; permissions told in prose are part of it.
pub(super) fn preflight(facts: &Facts<'_>) -> CapabilityFinding {
    let name = "permission_preflight";
    let asked = facts.named(|tool| {
        let permissions =
            ["permission", "permissions", "scope", "scopes", "access", "authorization", "privileges", "entitlements"];
        !tool.changes
            && tool.has_word(&permissions)
            && tool.has_word(&["check", "get", "list", "verify", "test", "validate", "show", "has"])
            || tool.has_phrase(&[&["can", "i"], &["is", "allowed"], &["is", "authorized"], &["can", "user"]])
    });
    if !asked.is_empty() {
        return finding(name, CapabilityState::Present, asked, "a tool says what the caller may do");
    }
    let told = facts.named(|tool| {
        let text = &tool.description;
        (text.contains("require") || text.contains("need"))
            && ["permission", "scope", "privilege"].iter().any(|word| text.contains(word))
    });
    let (state, reason) = if told.is_empty() {
        (CapabilityState::Absent, "nothing says beforehand whether a call would be allowed")
    } else {
        (
            CapabilityState::Partial,
            "descriptions say which permissions a call needs; no tool says whether they are there",
        )
    };
    finding(name, state, told, reason)
}

/// A tool that gives quotas or rates as data; limits told in prose are part of it.
pub(super) fn quota(facts: &Facts<'_>) -> CapabilityFinding {
    let name = "quota_and_rate_state";
    let asked = facts.named(|tool| {
        let nouns = ["quota", "quotas", "credits", "limits", "ratelimit"];
        let phrases: [&[&str]; 4] = [&["rate", "limit"], &["rate", "limits"], &["usage", "stats"], &["api", "usage"]];
        !tool.changes && (tool.has_word(&nouns) || tool.has_phrase(&phrases))
    });
    if !asked.is_empty() {
        return finding(name, CapabilityState::Present, asked, "a tool gives what is left");
    }
    let told = facts.named(|tool| {
        ["rate limit", "rate-limit", "quota", "throttl", "requests per"]
            .iter()
            .any(|part| tool.description.contains(part))
    });
    let (state, reason) = if told.is_empty() {
        (CapabilityState::Absent, "nothing gives what is left of a quota or a rate")
    } else {
        (CapabilityState::Partial, "descriptions speak of limits; no tool gives what is left")
    };
    finding(name, state, told, reason)
}
