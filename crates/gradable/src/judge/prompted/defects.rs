//! Description defects.
//!
//! Every tool gets a verdict of its own. One without a usable verdict is asked about once more, and then the stage fails: a
//! tool that the judge forgot is not a tool without defects.

use std::collections::HashMap;

use async_trait::async_trait;
use mst_mcp::ListedTool;
use mst_model::{Defect, DefectType};
use serde_json::Value;

use super::evidence::{Detail, evidence};
use super::grouping::{Fit, Grouped, place};
use super::reading::{brief, list, text};
use super::stage::Stage;
use crate::judge::asker::AskFault;
use crate::judge::{Answered, StageFault, ToolDefects};
use crate::surface::Surface;

/// The most tools of a question: more would make answers that reach the output limit of common models.
const MOST_TOOLS: usize = 20;

/// Runs the stage.
pub(super) async fn find(stage: &Stage<'_>, surface: &Surface) -> Result<Answered<Vec<ToolDefects>>, StageFault> {
    let tools: Vec<&ListedTool> = surface.tools.iter().collect();
    let fit = Fit { detail: Detail::Whole, bytes: stage.room(), tools: MOST_TOOLS };
    let review = Review { stage, surface };
    let work = fit.groups(&tools).into_iter().map(|group| review.ask_fitting(group)).collect();
    let found = stage.each(work).await?;
    Ok(stage.answered(found.into_iter().flatten().flatten().collect()))
}

struct Review<'a> {
    stage: &'a Stage<'a>,
    surface: &'a Surface,
}

#[async_trait]
impl Grouped for Review<'_> {
    type Answer = Vec<ToolDefects>;

    async fn ask(&self, group: &[&ListedTool]) -> Result<Self::Answer, AskFault> {
        let item = place(&self.surface.tools, group);
        let mut verdicts = self.stage.ask(&item, material(group), |text| read(text, group)).await?.value;
        let left: Vec<&ListedTool> =
            group.iter().copied().filter(|tool| !matches!(verdicts.get(tool.name()), Some(Ok(_)))).collect();
        if !left.is_empty() {
            let again = format!("{item} (those without a verdict)");
            verdicts.extend(self.stage.ask(&again, material(&left), |text| read(text, &left)).await?.value);
        }
        group
            .iter()
            .map(|tool| match verdicts.remove(tool.name()) {
                Some(Ok(verdict)) => Ok(verdict),
                Some(Err(why)) => Err(none_usable(tool, &why)),
                None => Err(none_usable(tool, "it was left out")),
            })
            .collect()
    }
}

fn none_usable(tool: &ListedTool, why: &str) -> AskFault {
    AskFault::Failed(format!(
        "no usable verdict on the tool {:?}, nor when it was asked for once more: {why}",
        tool.name()
    ))
}

fn material(group: &[&ListedTool]) -> String {
    evidence("tools", &group.iter().map(|tool| Detail::Whole.of(tool)).collect())
}

/// What an answer says of each tool: a verdict, or why it gives none.
type Verdicts = HashMap<String, Result<ToolDefects, String>>;

/// Reads an answer: usable when it has a verdict on at least one tool of the group.
fn read(answer: &str, group: &[&ListedTool]) -> Result<Verdicts, String> {
    let mut verdicts = Verdicts::new();
    for entry in list(answer, "tools")? {
        // A name that is none of the group's is most likely a misspelt one: its tool is then without a verdict.
        let Some(name) = entry.get("tool").and_then(Value::as_str) else { continue };
        if !group.iter().any(|tool| tool.name() == name) {
            continue;
        }
        let verdict = read_entry(name, &entry);
        match verdicts.get(name) {
            Some(known) if *known != verdict => {
                verdicts.insert(name.to_owned(), Err("it has two verdicts that differ".to_owned()));
            }
            _ => {
                verdicts.insert(name.to_owned(), verdict);
            }
        }
    }
    if verdicts.values().any(Result::is_ok) {
        return Ok(verdicts);
    }
    let why = verdicts.into_values().find_map(Result::err);
    Err(why.unwrap_or_else(|| "it has no entry for any of the tools".to_owned()))
}

fn read_entry(name: &str, entry: &Value) -> Result<ToolDefects, String> {
    let Some(listed) = entry.get("defects").and_then(Value::as_array) else {
        return Err(format!("`defects` is no list in {}", brief(entry)));
    };
    let mut defects: Vec<Defect> = Vec::new();
    for defect in listed {
        let kind = text(defect, "type")?;
        let Some(kind) = DefectType::ALL.into_iter().find(|known| known.as_str() == kind) else {
            return Err(format!("{kind:?} is no type of defect"));
        };
        let reason = text(defect, "reason")?.to_owned();
        // A type counts once, with its first reason.
        if defects.iter().all(|known| known.kind != kind) {
            defects.push(Defect { kind, reason });
        }
    }
    defects.sort_by_key(|defect| defect.kind);
    let suggested_description =
        if defects.is_empty() { None } else { Some(text(entry, "suggestedDescription")?.to_owned()) };
    Ok(ToolDefects { tool: name.to_owned(), defects, suggested_description })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str) -> ListedTool {
        let raw = json!({ "name": name });
        ListedTool::new(raw.as_object().expect("an object").clone()).expect("a named tool")
    }

    /// What an answer says of `a` and `b`: the defects' names, or the beginning of the complaint.
    fn said(answer: &str) -> String {
        let (a, b) = (tool("a"), tool("b"));
        match read(answer, &[&a, &b]) {
            Err(complaint) => format!("unusable: {complaint}"),
            Ok(verdicts) => ["a", "b"]
                .map(|name| match verdicts.get(name) {
                    None => "nothing".to_owned(),
                    Some(Err(why)) => format!("none: {why}"),
                    Some(Ok(verdict)) => {
                        format!("{:?}", verdict.defects.iter().map(|defect| defect.kind.as_str()).collect::<Vec<_>>())
                    }
                })
                .join(" | "),
        }
    }

    #[test]
    fn fc22_no_verdict_on_a_tool_is_never_a_verdict_without_defects() {
        let ok_b = r#"{"tool":"b","defects":[]}"#;
        for (entries, want) in [
            (String::new(), "unusable: it has no entry for any of the tools"),
            (ok_b.to_owned(), "nothing | []"),
            (format!(r#"{{"tool":"a"}},{ok_b}"#), r#"none: `defects` is no list in {"tool":"a"} | []"#),
            (format!(r#"{{"tool":"a","defects":null}},{ok_b}"#), r#"none: `defects` is no list in {"tool":"a","defects":null} | []"#),
            (
                format!(r#"{{"tool":"a","defects":[{{"type":"too_long","reason":"x"}}]}},{ok_b}"#),
                r#"none: "too_long" is no type of defect | []"#,
            ),
            (
                format!(r#"{{"tool":"a","defects":[{{"type":"params_unexplained","reason":""}}]}},{ok_b}"#),
                r#"none: `reason` is no text in {"type":"params_unexplained","reason":""} | []"#,
            ),
            (
                format!(r#"{{"tool":"a","defects":[{{"type":"params_unexplained","reason":"x"}}]}},{ok_b}"#),
                r#"none: `suggestedDescription` is no text in {"tool":"a","defects":[{"type":"params_unexplained","reason":"x"}]} | []"#,
            ),
            (format!(r#"{{"tool":"a","defects":[]}},{{"tool":"a","defects":[]}},{ok_b}"#), "[] | []"),
            (
                format!(
                    r#"{{"tool":"a","defects":[]}},{{"tool":"a","suggestedDescription":"d","defects":[{{"type":"params_unexplained","reason":"x"}}]}},{ok_b}"#
                ),
                "none: it has two verdicts that differ | []",
            ),
            (r#"{"tool":"zz","defects":[]}"#.to_owned(), "unusable: it has no entry for any of the tools"),
            (
                r#"{"tool":"b","suggestedDescription":"d","defects":[{"type":"params_unexplained","reason":"x"},{"type":"name_restates_behavior","reason":"y"},{"type":"params_unexplained","reason":"z"}]}"#.to_owned(),
                r#"nothing | ["name_restates_behavior", "params_unexplained"]"#,
            ),
        ] {
            assert_eq!(said(&format!(r#"Here: {{"tools":[{entries}]}}"#)), want, "{entries}");
        }
        assert_eq!(said(r#"{"tool":"a","defects":[]}"#), "unusable: none of its JSON objects has the key `tools`");
        assert_eq!(said("All fine!"), "unusable: it holds no JSON object");
        assert_eq!(
            said(r#"{"tools":[{"tool":"a","defects":[]}]} {"tools":[{"#),
            "unusable: it ends inside a JSON object"
        );
    }
}
