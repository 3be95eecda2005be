//! The comparison as a whole.

use std::collections::{HashMap, HashSet};

use mst_mcp::ListedTool;
use mst_model::ScanReport;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::change::{Change, Changes, Kind};
use super::pairs::{self, PairChanges};
use super::side::Side;
use super::tool;
use crate::surface::Surface;

/// How two sides differ.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diff {
    /// The names of the servers.
    pub(crate) a: String,
    /// The later one's.
    pub(crate) b: String,
    /// Whether both declare the same.
    pub(crate) same_surface: bool,
    /// Every change, the worst first.
    pub(crate) changes: Vec<Change>,
    /// What the definitions cost.
    pub(crate) tokens: TokenChange,
    /// Tools that may be taken for one another; absent where it cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confusable_pairs: Option<PairChanges>,
    /// The scores, of two reports of one judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<ScoreChange>,
    /// What cannot be told from what was given, and why.
    pub(crate) cannot_tell: Vec<String>,
}

/// What definitions cost before and after, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct TokenChange {
    /// Before.
    pub(crate) a: f64,
    /// After.
    pub(crate) b: f64,
    /// The difference.
    pub(crate) change: f64,
}

/// Two totals that may be compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct ScoreChange {
    /// Before.
    pub(crate) a: f64,
    /// After.
    pub(crate) b: f64,
    /// The difference.
    pub(crate) change: f64,
}

impl Diff {
    /// Counts the changes of a kind.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.changes.iter().filter(|change| change.kind == kind).count()
    }
}

/// Compares two sides.
pub(crate) async fn diff(a: &Side, b: &Side, cancel: &CancellationToken) -> Diff {
    let same_surface = a.hash() == b.hash();
    let mut cannot_tell = Vec::new();
    let mut changes = match (a, b) {
        _ if same_surface => Vec::new(),
        (Side::Surface(a, _), Side::Surface(b, _)) => of_surfaces(a, b),
        _ => {
            let whose = match (a, b) {
                (Side::Report(_), Side::Report(_)) => "reports hold",
                _ => "a report holds",
            };
            cannot_tell
                .push(format!("how a tool changed: {whose} no schemas, descriptions or hints; give two surface files, or folders of scans"));
            of_sizes(a, b)
        }
    };
    changes.sort_by_key(|change| change.kind);
    let confusable_pairs = pairs::compare(a, b, cancel).await;
    if confusable_pairs.is_none() {
        cannot_tell.push("which tools are easily mistaken: one judge has not judged both sides".to_owned());
    }
    if a.source() != b.source() {
        cannot_tell.push("what the definitions cost: one side was counted and the other estimated".to_owned());
    }
    let score = scores(a, b, &mut cannot_tell);
    let tokens = TokenChange { a: a.tokens(), b: b.tokens(), change: b.tokens() - a.tokens() };
    let (a, b) = (a.name().to_owned(), b.name().to_owned());
    Diff { a, b, same_surface, changes, tokens, confusable_pairs, score, cannot_tell }
}

fn of_surfaces(a: &Surface, b: &Surface) -> Vec<Change> {
    let mut whole = Changes::default();
    let instructions = (a.instructions.as_deref(), b.instructions.as_deref());
    whole.text("instructions-changed", "/instructions", "the server's instructions", instructions);
    let mut list = whole.list;
    let old: HashMap<&str, &ListedTool> = a.tools.iter().map(|tool| (tool.name(), tool)).collect();
    let new: HashSet<&str> = b.tools.iter().map(ListedTool::name).collect();
    for gone in a.tools.iter().filter(|tool| !new.contains(tool.name())) {
        let renamed = b.tools.iter().find(|tool| !old.contains_key(tool.name()) && is_same_but_for_name(gone, tool));
        let message = match renamed {
            Some(tool) => format!("the tool is gone; {:?} declares the same, so it looks renamed", tool.name()),
            None => "the tool is gone".to_owned(),
        };
        list.extend(one(gone.name(), Kind::Breaking, "removed-tool", message));
    }
    for tool in &b.tools {
        match old.get(tool.name()) {
            Some(before) => list.extend(tool::compare(before, tool)),
            None => list.extend(one(tool.name(), Kind::Neutral, "added-tool", "the tool is new".to_owned())),
        }
    }
    list
}

fn one(tool: &str, kind: Kind, what: &'static str, message: String) -> Vec<Change> {
    let mut changes = Changes::of(tool);
    changes.add(kind, what, "", message);
    changes.list
}

fn is_same_but_for_name(one: &ListedTool, other: &ListedTool) -> bool {
    let same = |key: &str| one.raw().get(key) == other.raw().get(key);
    same("description") && same("inputSchema")
}

/// Compares what a report holds of tools: names, sizes, what may destroy something.
fn of_sizes(a: &Side, b: &Side) -> Vec<Change> {
    let (old, new) = (a.sizes(), b.sizes());
    let (before, after): (HashMap<&str, f64>, HashMap<&str, f64>) =
        (old.iter().copied().collect(), new.iter().copied().collect());
    let comparable = a.source() == b.source();
    let mut list = Vec::new();
    for (name, _) in old.iter().filter(|(name, _)| !after.contains_key(name)) {
        list.extend(one(name, Kind::Breaking, "removed-tool", "the tool is gone".to_owned()));
    }
    for (name, tokens) in &new {
        match before.get(name) {
            None => list.extend(one(name, Kind::Neutral, "added-tool", "the tool is new".to_owned())),
            Some(earlier) if comparable && (earlier - tokens).abs() >= 0.125 => {
                let message = format!("its definition had {earlier} tokens, it has {tokens} now");
                list.extend(one(name, Kind::Risky, "size-changed", message));
            }
            Some(_) => {}
        }
    }
    let (was, is) = (a.destructive(), b.destructive());
    for (name, _) in new.iter().filter(|(name, _)| before.contains_key(name) && was.contains(name) != is.contains(name))
    {
        let message = if is.contains(name) {
            "it may destroy something now"
        } else {
            "it does not say any more that it may destroy something"
        };
        list.extend(one(name, Kind::Risky, "destructive-changed", message.to_owned()));
    }
    list
}

/// Compares the totals of two reports, where one judge configuration gave both.
fn scores(a: &Side, b: &Side, cannot_tell: &mut Vec<String>) -> Option<ScoreChange> {
    let (Some(a), Some(b)) = (a.report(), b.report()) else { return None };
    if a.judge != b.judge {
        let who = |report: &ScanReport| format!("{} {}", report.judge.cli, report.judge.model);
        cannot_tell.push(format!(
            "whether the score moved: {} and {} are different judge configurations ({} and {}), whose scores are not comparable",
            a.score.total,
            b.score.total,
            who(a),
            who(b)
        ));
        return None;
    }
    Some(ScoreChange { a: a.score.total, b: b.score.total, change: b.score.total - a.score.total })
}
