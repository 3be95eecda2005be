//! Pairs of tools that a model may take for one another.
//!
//! A surface that fits one question is asked about at once. A bigger one is asked about in groups of tools that are alike by
//! their words, so that candidates meet however far apart they stand in the list. An entry that is no pair of the group makes
//! the whole answer unusable: to leave it out would be to say that there is no such pair.

use std::collections::BTreeMap;

use async_trait::async_trait;
use mst_mcp::ListedTool;
use mst_model::{ConfusablePair, Severity};
use serde_json::Value;

use super::evidence::{Detail, evidence};
use super::grouping::{Fit, Grouped};
use super::likeness;
use super::reading::{list, text};
use super::stage::Stage;
use crate::judge::asker::AskFault;
use crate::judge::{Answered, StageFault};
use crate::surface::Surface;

/// The most tools that are compared in one question.
const MOST_TOOLS: usize = 120;

/// Runs the stage.
pub(super) async fn find(stage: &Stage<'_>, surface: &Surface) -> Result<Answered<Vec<ConfusablePair>>, StageFault> {
    let tools: Vec<&ListedTool> = surface.tools.iter().collect();
    let fit = Fit { detail: Detail::Outline, bytes: stage.room(), tools: MOST_TOOLS };
    let mut groups = fit.groups(&tools);
    if groups.len() > 1 {
        let sizes: Vec<usize> = tools.iter().map(|tool| fit.size(tool)).collect();
        let fits =
            |group: &[usize]| group.len() <= fit.tools && group.iter().map(|at| sizes[*at]).sum::<usize>() <= fit.bytes;
        let places = likeness::groups(&tools, fits).into_iter();
        groups = places.map(|group| group.into_iter().map(|at| tools[at]).collect()).collect();
    }
    let comparing = Comparing { stage, surface };
    let work = groups.into_iter().map(|group| comparing.ask_fitting(group)).collect();
    let found = stage.each(work).await?;
    Ok(stage.answered(merged(found.into_iter().flatten().flatten())))
}

/// Puts pairs together: each once, with the highest severity that was given and the reason for it.
fn merged(pairs: impl Iterator<Item = ConfusablePair>) -> Vec<ConfusablePair> {
    let mut known: BTreeMap<(String, String), ConfusablePair> = BTreeMap::new();
    for pair in pairs {
        let key = (pair.a.clone(), pair.b.clone());
        if known.get(&key).is_none_or(|known| known.severity < pair.severity) {
            known.insert(key, pair);
        }
    }
    known.into_values().collect()
}

struct Comparing<'a> {
    stage: &'a Stage<'a>,
    surface: &'a Surface,
}

#[async_trait]
impl Grouped for Comparing<'_> {
    type Answer = Vec<ConfusablePair>;

    async fn ask(&self, group: &[&ListedTool]) -> Result<Self::Answer, AskFault> {
        let material = evidence("tools", &group.iter().map(|tool| Detail::Outline.of(tool)).collect());
        let item = self.item(group);
        Ok(self.stage.ask(&item, material, |text| read(text, group)).await?.value)
    }

    /// Three groups, in which every two tools of the group still meet.
    fn smaller<'t>(&self, group: &[&'t ListedTool]) -> Vec<Vec<&'t ListedTool>> {
        if group.len() < 3 {
            return Vec::new();
        }
        let third = group.len().div_ceil(3);
        let (first, rest) = group.split_at(third);
        let (second, last) = rest.split_at(third.min(rest.len()));
        [[first, second], [first, last], [second, last]].map(|two| two.concat()).to_vec()
    }
}

impl Comparing<'_> {
    /// Names a group: all tools, or those between which names.
    fn item(&self, group: &[&ListedTool]) -> String {
        match group {
            _ if group.len() == self.surface.tools.len() => "all tools".to_owned(),
            [first, .., last] => format!("{} tools from {} to {}", group.len(), first.name(), last.name()),
            _ => group.iter().map(|tool| tool.name()).collect(),
        }
    }
}

/// Reads an answer: usable when every entry is a pair.
fn read(answer: &str, group: &[&ListedTool]) -> Result<Vec<ConfusablePair>, String> {
    let entries = list(answer, "pairs")?;
    Ok(merged(entries.iter().map(|entry| read_entry(entry, group)).collect::<Result<Vec<_>, _>>()?.into_iter()))
}

fn read_entry(entry: &Value, group: &[&ListedTool]) -> Result<ConfusablePair, String> {
    let name = |key: &str| {
        // A name as declared may begin with a space; only here it is taken as it stands.
        let name = entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_known = group.iter().any(|tool| tool.name() == name);
        if is_known { Ok(name.to_owned()) } else { Err(format!("{name:?} is none of the tools")) }
    };
    let (one, other) = (name("a")?, name("b")?);
    if one == other {
        return Err(format!("{one:?} is paired with itself"));
    }
    let severity = match text(entry, "severity")? {
        "low" => Severity::Low,
        "medium" => Severity::Medium,
        "high" => Severity::High,
        other => return Err(format!("{other:?} is no severity")),
    };
    let reason = text(entry, "reason")?.to_owned();
    let (a, b) = if one < other { (one, other) } else { (other, one) };
    Ok(ConfusablePair { a, b, severity, reason })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(entries: &str) -> String {
        let tool = |name: &str| ListedTool::new(json!({ "name": name }).as_object().expect("an object").clone());
        let tools = ["a", "b", "c"].map(|name| tool(name).expect("a named tool"));
        match read(&format!(r#"{{"pairs":[{entries}]}}"#), &tools.iter().collect::<Vec<_>>()) {
            Err(complaint) => format!("unusable: {complaint}"),
            Ok(pairs) => {
                let pairs =
                    pairs.iter().map(|pair| format!("{}-{} {:?} {}", pair.a, pair.b, pair.severity, pair.reason));
                pairs.collect::<Vec<_>>().join(" | ")
            }
        }
    }

    #[test]
    fn fc22_an_entry_that_is_no_pair_makes_the_answer_unusable() {
        let ab = r#"{"a":"b","b":"a","severity":"low","reason":"r"}"#;
        for (entries, want) in [
            ("", ""),
            (ab, "a-b Low r"),
            (r#"{"a":"a","b":"a","severity":"low","reason":"r"}"#, r#"unusable: "a" is paired with itself"#),
            (r#"{"a":"a","b":"z","severity":"low","reason":"r"}"#, r#"unusable: "z" is none of the tools"#),
            (r#"{"a":"a","b":"b","severity":"severe","reason":"r"}"#, r#"unusable: "severe" is no severity"#),
            (
                r#"{"a":"a","b":"b","severity":1,"reason":"r"}"#,
                r#"unusable: `severity` is no text in {"a":"a","b":"b","severity":1,"reason":"r"}"#,
            ),
            (
                r#"{"a":"a","b":"b","severity":"low"}"#,
                r#"unusable: `reason` is no text in {"a":"a","b":"b","severity":"low"}"#,
            ),
            (r#"{"a":"a"}"#, r#"unusable: "" is none of the tools"#),
            (
                r#"{"a":"a","b":"b","severity":"low","reason":"x"},{"a":"b","b":"a","severity":"high","reason":"y"},{"a":"a","b":"b","severity":"medium","reason":"z"}"#,
                "a-b High y",
            ),
        ] {
            assert_eq!(said(entries), want, "{entries}");
        }
        assert!(read("I see none.", &[]).is_err() && read(r#"{"pairs":null}"#, &[]).is_err());
    }
}
