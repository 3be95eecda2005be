//! The target, tools, pairs and tasks of a report: do they fit one another.

use std::collections::{HashMap, HashSet};

use mst_model::{REDACTED, ScanReport, ScanTransport, is_credential_name};

use super::difference::Differences;

/// Checks how the surface was reached.
pub(super) fn target(report: &ScanReport, found: &mut Differences) {
    let target = &report.target;
    let given = (target.command.is_some(), target.url.is_some());
    match (target.transport, given) {
        (ScanTransport::Stdio, (true, false))
        | (ScanTransport::Http, (false, true))
        | (ScanTransport::File, (false, false)) => {}
        (ScanTransport::Stdio, (false, _)) => found.say("target.command", "missing for stdio"),
        (ScanTransport::Http, (_, false)) => found.say("target.url", "missing for http"),
        (ScanTransport::File, _) => found.say("target", "a surface file has neither command nor url"),
        (_, (true, true)) => found.say("target", "has both command and url"),
    }
    if target.url.as_deref().is_some_and(has_user) {
        found.say("target.url", "holds user information");
    }
    if target.command.iter().flatten().any(|word| holds_secret(word)) {
        found.say("target", "the command holds what looks like a secret");
    }
    found.count("target.toolCount", target.tool_count, report.tools.len() as u64);
}

/// Tells whether a word of a command gives a credential its value, such as `--token=abcd`.
fn holds_secret(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        is_credential_name(name.trim_start_matches('-'))
            && value.len() >= 4
            && !value.bytes().all(|byte| byte.is_ascii_digit())
            && !value.contains(REDACTED)
    })
}

fn has_user(url: &str) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    authority.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@'))
}

/// Checks the tools by themselves.
pub(super) fn tools(report: &ScanReport, found: &mut Differences) {
    let mut seen = HashSet::new();
    for (at, tool) in report.tools.iter().enumerate() {
        if !seen.insert(tool.name.as_str()) {
            found.say(format!("tools[{at}].name"), format!("the tool {:?} stands there twice", tool.name));
        }
        let mut kinds = HashSet::new();
        for (index, defect) in tool.defects.iter().enumerate() {
            if !kinds.insert(defect.kind) {
                let path = format!("tools[{at}].defects[{index}].type");
                found.say(path, format!("{} stands there twice; a type counts once", defect.kind.as_str()));
            }
        }
        if tool.defects.is_empty() && tool.suggested_description.is_some() {
            found.say(format!("tools[{at}].suggestedDescription"), "given for a tool without a defect");
        }
    }
}

/// Checks that pairs are of two listed tools, each pair once.
pub(super) fn pairs(report: &ScanReport, tools: &HashMap<&str, bool>, found: &mut Differences) {
    let mut seen = HashSet::new();
    for (at, pair) in report.confusable_pairs.iter().enumerate() {
        let (a, b) = (pair.a.as_str(), pair.b.as_str());
        for (side, name) in [("a", a), ("b", b)] {
            if !tools.contains_key(name) {
                found.say(format!("confusablePairs[{at}].{side}"), format!("no such tool: {name:?}"));
            }
        }
        if a == b {
            found.say(format!("confusablePairs[{at}]"), format!("{a:?} is paired with itself"));
        } else if !seen.insert((a.min(b), a.max(b))) {
            found.say(format!("confusablePairs[{at}]"), format!("{a:?} and {b:?} are paired twice"));
        }
    }
}

/// Checks that tasks have ids of their own and expect listed tools.
pub(super) fn tasks(report: &ScanReport, tools: &HashMap<&str, bool>, found: &mut Differences) {
    let mut seen = HashSet::new();
    for (at, task) in report.tasks.iter().enumerate() {
        if !seen.insert(task.id.as_str()) {
            found.say(format!("tasks[{at}].id"), format!("{:?} is used twice", task.id));
        }
        let Some(expected) = task.expected_tool.as_deref() else {
            if task.destructive {
                found.say(format!("tasks[{at}].destructive"), "true though no tool fits");
            }
            continue;
        };
        match tools.get(expected) {
            None => found.say(format!("tasks[{at}].expectedTool"), format!("no such tool: {expected:?}")),
            Some(destructive) if *destructive != task.destructive => {
                let message = format!("{}, the expected tool {expected:?} says otherwise", task.destructive);
                found.say(format!("tasks[{at}].destructive"), message);
            }
            Some(_) => {}
        }
    }
}
