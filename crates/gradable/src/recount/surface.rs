//! A report against the surface that it says it is of.

use std::collections::HashMap;

use mst_mcp::ListedTool;
use mst_model::{Harness, ScanReport, TokenSource};
use serde::Serialize;

use super::difference::{Difference, Differences};
use crate::definition::estimated_tokens;
use crate::destructive::is_destructive;
use crate::surface::Surface;
use crate::validity::Validity;

/// What a surface has become since a report was made of it. A report holds no schemas, so a change inside a tool shows
/// only as far as its size and what it may destroy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Drift {
    /// Tools that the report does not have.
    pub(crate) added: Vec<String>,
    /// Tools that the surface does not have any more.
    pub(crate) removed: Vec<String>,
    /// Tools whose definition has another size, or that may destroy something now and did not before or the other way.
    pub(crate) changed: Vec<String>,
}

/// Returns how a surface differs from the one that a report is of; `None` when the hashes agree.
pub(crate) fn drift(report: &ScanReport, surface: &Surface) -> Option<Drift> {
    if surface.hash == report.target.surface_hash {
        return None;
    }
    let then: HashMap<&str, (bool, f64)> =
        report.tools.iter().map(|tool| (tool.name.as_str(), (tool.destructive, tool.definition_tokens))).collect();
    let estimated = report.economics.definition_tokens_source == TokenSource::Estimated;
    let differs = |tool: &&ListedTool| {
        then.get(tool.name()).is_some_and(|(destructive, tokens)| {
            *destructive != is_destructive(tool) || estimated && !same_size(*tokens, estimated_tokens(tool))
        })
    };
    let names = |tools: Vec<&ListedTool>| tools.into_iter().map(|tool| tool.name().to_owned()).collect();
    let removed = report.tools.iter().map(|tool| &tool.name).filter(|name| surface.tool(name).is_none()).cloned();
    Some(Drift {
        added: names(surface.tools.iter().filter(|tool| !then.contains_key(tool.name())).collect()),
        removed: removed.collect(),
        changed: names(surface.tools.iter().filter(differs).collect()),
    })
}

/// Tells whether two sizes in quarters of a token are the same.
fn same_size(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.125
}

/// Checks what a report says of the tools of the very surface it is of: which are destructive, what they cost, and which
/// first calls were well formed.
pub(crate) fn against(report: &ScanReport, surface: &Surface) -> Vec<Difference> {
    let mut found = Differences::default();
    for (at, tool) in report.tools.iter().enumerate() {
        let Some(listed) = surface.tool(&tool.name) else {
            found.say(format!("tools[{at}].name"), format!("the surface has no tool {:?}", tool.name));
            continue;
        };
        let destructive = is_destructive(listed);
        if destructive != tool.destructive {
            let message = format!("{}, by its declaration {destructive}", tool.destructive);
            found.say(format!("tools[{at}].destructive"), message);
        }
        let tokens = estimated_tokens(listed);
        if report.economics.definition_tokens_source == TokenSource::Estimated
            && !same_size(tokens, tool.definition_tokens)
        {
            found.number(format!("tools[{at}].definitionTokens"), tool.definition_tokens, tokens);
        }
    }
    well_formed(&report.harness.baseline, surface, &mut found);
    found.into_list()
}

/// Validates the baseline's first calls again. The other pass differs in descriptions alone, and its calls by the same
/// schemas.
fn well_formed(baseline: &Harness, surface: &Surface, found: &mut Differences) {
    let mut validity = Validity::of(&surface.tools);
    for (at, result) in baseline.results.iter().enumerate() {
        let Some(chosen) = result.chosen_tool.as_deref().filter(|name| surface.tool(name).is_some()) else { continue };
        let right = validity.is_well_formed(chosen, result.arguments.as_ref());
        if right != result.well_formed {
            let message = format!("{}, by the input schema of {chosen:?} {right}", result.well_formed);
            found.say(format!("harness.baseline.results[{at}].wellFormed"), message);
        }
    }
}
