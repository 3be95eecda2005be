//! Requests to test the choice of tools with.
//!
//! Each tool that is asked about gets at least one, and some fit none. A request that says its tool's name, that is blank or
//! a copy, or that is meant for a tool that was not asked about is not taken; a tool left without one is asked about once
//! more, and then the stage fails.

use std::collections::HashSet;

use async_trait::async_trait;
use mst_mcp::ListedTool;
use mst_model::ScanTask;
use serde_json::Value;

use super::evidence::{Detail, evidence};
use super::grouping::{Fit, Grouped, place};
use super::reading::{list, text};
use super::stage::Stage;
use crate::judge::asker::AskFault;
use crate::judge::sample::sampled;
use crate::judge::{Answered, StageFault};
use crate::surface::Surface;

/// The most tools of a question.
const MOST_TOOLS: usize = 20;
/// The longest request, in characters.
const LONGEST: usize = 2_000;

/// Runs the stage.
pub(super) async fn make(stage: &Stage<'_>, surface: &Surface) -> Result<Answered<Vec<ScanTask>>, StageFault> {
    let tools = sampled(surface);
    let wanted = Wanted::of(tools.len());
    // A third of the room is for the short forms of the other tools.
    let fit = Fit { detail: Detail::Offered, bytes: stage.room() / 3 * 2, tools: MOST_TOOLS };
    let groups = fit.groups(&tools);
    let first = groups.first().and_then(|group| group.first()).map_or("", |tool| tool.name());
    let writing = Writing { stage, surface, wanted, first };
    let work = groups.into_iter().map(|group| writing.ask_fitting(group)).collect();
    let made = stage.each(work).await?;
    let made: Vec<Made> = made.into_iter().flatten().flatten().collect();
    Ok(stage.answered(numbered(surface, made)))
}

/// Puts requests into the surface's order, those that no tool fits at the end, each once.
fn numbered(surface: &Surface, mut made: Vec<Made>) -> Vec<ScanTask> {
    let place = |made: &Made| {
        let name = made.tool.as_deref()?;
        surface.tools.iter().position(|tool| tool.name() == name)
    };
    made.sort_by_cached_key(|made| place(made).unwrap_or(usize::MAX));
    let mut seen = HashSet::new();
    made.retain(|made| seen.insert(made.prompt.to_lowercase()));
    let digits = made.len().to_string().len();
    let task = |(at, made): (usize, Made)| ScanTask {
        id: format!("t{:0digits$}", at + 1),
        prompt: made.prompt,
        destructive: false,
        expected_tool: made.tool,
    };
    made.into_iter().enumerate().map(task).collect()
}

/// How many requests are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    /// For each tool.
    each: usize,
    /// That no tool fits.
    none: usize,
}

impl Wanted {
    /// Few tools get more requests each, so that a share of them means something.
    fn of(tools: usize) -> Self {
        let each = match tools {
            0..=5 => 3,
            6..=20 => 2,
            _ => 1,
        };
        Self { each, none: (tools * each / 8).clamp(2, 10) }
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    prompt: String,
    tool: Option<String>,
}

struct Writing<'a> {
    stage: &'a Stage<'a>,
    surface: &'a Surface,
    wanted: Wanted,
    /// The tool whose group also writes the requests that no tool fits.
    first: &'a str,
}

#[async_trait]
impl Grouped for Writing<'_> {
    type Answer = Vec<Made>;

    async fn ask(&self, group: &[&ListedTool]) -> Result<Self::Answer, AskFault> {
        let item = place(&self.surface.tools, group);
        let with_none = group.iter().any(|tool| tool.name() == self.first);
        let wanted = Wanted { none: if with_none { self.wanted.none } else { 0 }, ..self.wanted };
        let mut made =
            self.stage.ask(&item, self.material(group, wanted), |text| read(text, group, wanted)).await?.value;
        let (left, wanted) = missing(&made, group, wanted);
        if left.is_empty() && wanted.none == 0 {
            return Ok(made);
        }
        let again = format!("{item} (those without a request)");
        made.extend(
            self.stage.ask(&again, self.material(&left, wanted), |text| read(text, &left, wanted)).await?.value,
        );
        match missing(&made, &left, wanted) {
            (left, wanted) if left.is_empty() && wanted.none == 0 => Ok(made),
            (left, _) => {
                let what = left
                    .first()
                    .map_or("that no tool fits".to_owned(), |tool| format!("for the tool {:?}", tool.name()));
                Err(AskFault::Failed(format!("no usable request {what}, nor when it was asked for once more")))
            }
        }
    }
}

impl Writing<'_> {
    fn material(&self, group: &[&ListedTool], wanted: Wanted) -> String {
        let Wanted { each, none } = wanted;
        let mut text = match (group.is_empty(), none) {
            (true, _) => format!("Wanted: {none} requests that no tool of the server can serve, and no others.\n\n"),
            (false, 0) => format!(
                "Wanted: {each} for each tool of `tools` ({} tools), and none that no tool can serve.\n\n",
                group.len()
            ),
            _ => format!(
                "Wanted: {each} for each tool of `tools` ({} tools), and {none} that no tool can serve.\n\n",
                group.len()
            ),
        };
        if !group.is_empty() {
            text.push_str(&evidence("tools", &group.iter().map(|tool| Detail::Offered.of(tool)).collect()));
        }
        let others = self.others(group);
        if !others.is_empty() {
            text.push_str(&evidence("others", &Value::Array(others)));
        }
        text
    }

    /// Returns the other tools in short, as many as have room.
    fn others(&self, group: &[&ListedTool]) -> Vec<Value> {
        let mut room = self.stage.room() / 3;
        let others = self.surface.tools.iter().filter(|tool| group.iter().all(|one| one.name() != tool.name()));
        let shown = others.map(|tool| Detail::Short.of(tool)).take_while(|value| {
            let bytes = value.to_string().len() + 2;
            let fits = bytes <= room;
            room = room.saturating_sub(bytes);
            fits
        });
        shown.collect()
    }
}

/// Returns the tools that have no request yet, and what is then still wanted.
fn missing<'t>(made: &[Made], group: &[&'t ListedTool], wanted: Wanted) -> (Vec<&'t ListedTool>, Wanted) {
    let has = |name: Option<&str>| made.iter().any(|made| made.tool.as_deref() == name);
    let left = group.iter().copied().filter(|tool| !has(Some(tool.name()))).collect();
    let none = if wanted.none > 0 && !has(None) { wanted.none } else { 0 };
    (left, Wanted { none, ..wanted })
}

/// Reads an answer: usable when one of its requests is.
fn read(answer: &str, group: &[&ListedTool], wanted: Wanted) -> Result<Vec<Made>, String> {
    let (mut made, mut complaint): (Vec<Made>, Option<String>) = (Vec::new(), None);
    for entry in list(answer, "tasks")? {
        match read_entry(&entry, group) {
            Err(why) => complaint = complaint.or(Some(why)),
            Ok(one) => {
                let most = if one.tool.is_some() { wanted.each } else { wanted.none };
                let is_new = made.iter().all(|known| known.prompt != one.prompt);
                if is_new && made.iter().filter(|known| known.tool == one.tool).count() < most {
                    made.push(one);
                }
            }
        }
    }
    if made.is_empty() {
        Err(complaint.unwrap_or_else(|| "it has no request that was asked for".to_owned()))
    } else {
        Ok(made)
    }
}

fn read_entry(entry: &Value, group: &[&ListedTool]) -> Result<Made, String> {
    let prompt = text(entry, "prompt")?;
    if prompt.chars().count() > LONGEST {
        return Err(format!("a request has more than {LONGEST} characters"));
    }
    let tool = match entry.get("tool") {
        Some(Value::Null) => None,
        Some(Value::String(name)) if group.iter().any(|tool| tool.name() == name) => Some(name.clone()),
        Some(Value::String(name)) => return Err(format!("{name:?} is none of the tools")),
        _ => return Err("`tool` is neither a name nor null".to_owned()),
    };
    if let Some(name) = tool.as_deref().filter(|name| tells(prompt, name)) {
        return Err(format!("the request for {name:?} says the tool's name"));
    }
    Ok(Made { prompt: prompt.to_owned(), tool })
}

/// Returns whether a request says a tool's name. A name of one plain word (`search`) is a word that people use.
fn tells(prompt: &str, name: &str) -> bool {
    let is_plain = name.chars().all(char::is_alphabetic) && !name.chars().skip(1).any(char::is_uppercase);
    !is_plain && prompt.to_lowercase().contains(&name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str) -> ListedTool {
        let raw = json!({ "name": name });
        ListedTool::new(raw.as_object().expect("an object").clone()).expect("a named tool")
    }

    fn said(entries: &str) -> String {
        let (a, b) = (tool("get_part"), tool("search"));
        match read(&format!(r#"{{"tasks":[{entries}]}}"#), &[&a, &b], Wanted { each: 2, none: 1 }) {
            Err(complaint) => format!("unusable: {complaint}"),
            Ok(made) => {
                let made = made.iter().map(|made| format!("{}: {}", made.tool.as_deref().unwrap_or("-"), made.prompt));
                made.collect::<Vec<_>>().join(" | ")
            }
        }
    }

    #[test]
    fn requests_are_taken_only_as_they_were_asked_for() {
        for (entries, want) in [
            ("", "unusable: it has no request that was asked for"),
            (
                r#"{"prompt":"Where is p-1?","tool":"get_part"},{"prompt":"Sing.","tool":null}"#,
                "get_part: Where is p-1? | -: Sing.",
            ),
            (
                r#"{"prompt":"Use get_part for p-1","tool":"get_part"}"#,
                r#"unusable: the request for "get_part" says the tool's name"#,
            ),
            (r#"{"prompt":"search for bolts","tool":"search"}"#, "search: search for bolts"),
            (r#"{"prompt":"x","tool":"get_prt"}"#, r#"unusable: "get_prt" is none of the tools"#),
            (r#"{"prompt":"x"}"#, "unusable: `tool` is neither a name nor null"),
            (r#"{"prompt":" ","tool":null}"#, r#"unusable: `prompt` is no text in {"prompt":" ","tool":null}"#),
            (r#"{"prompt":"x","tool":null},{"prompt":"y","tool":null}"#, "-: x"),
            (r#"{"prompt":"x","tool":"search"},{"prompt":"x","tool":"search"}"#, "search: x"),
        ] {
            assert_eq!(said(entries), want, "{entries}");
        }
    }

    #[test]
    fn few_tools_get_more_requests_each() {
        for (tools, each, none) in [(1, 3, 2), (5, 3, 2), (14, 2, 3), (20, 2, 5), (60, 1, 7)] {
            assert_eq!(Wanted::of(tools), Wanted { each, none }, "{tools} tools");
        }
    }
}
