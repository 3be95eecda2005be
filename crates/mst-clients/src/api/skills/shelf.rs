//! The skills of one trial: which of its servers have any, and what the model is told of them.

use futures::future::join_all;
use mst_llm::{ToolArguments, ToolCall, ToolResultMessage, ToolResultPart};
use mst_mcp::SkillEntry;
use mst_model::{Broke, Clock, ServerLabel};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::super::options::SkillsMode;
use super::super::recording::Recording;
use super::super::stop::Stop;
use super::super::tool_server::ToolServer;
use super::answer::Answer;
use super::place::Place;
use super::tools::{SkillTool, SkillTools};
use super::{MOST_PRELOADED, prompt};

/// The skills that a trial's servers offer.
pub(in super::super) struct Shelf<'a> {
    places: Vec<Place<'a>>,
    tools: SkillTools,
    prompt: String,
    cancel: &'a CancellationToken,
}

/// A call to one of the client's own tools.
pub(in super::super) struct SkillCall<'c> {
    /// The call.
    pub(in super::super) call: &'c ToolCall,
    /// Which tool it is to.
    pub(in super::super) tool: SkillTool,
}

impl<'a> Shelf<'a> {
    /// Lists what the servers offer, and in `preload` reads it; `None` with skills off, or where no server has any.
    pub(in super::super) async fn open(
        mode: SkillsMode,
        servers: &'a [Box<dyn ToolServer>],
        cancel: &'a CancellationToken,
        recording: &mut Recording,
    ) -> Result<Option<Self>, Stop> {
        if mode == SkillsMode::Off {
            return Ok(None);
        }
        let (with, without): (Vec<_>, Vec<_>) = servers.iter().partition(|server| server.has_skills());
        let without: Vec<&ServerLabel> = without.into_iter().map(|server| server.label()).collect();
        note_servers_without(mode, &without, with.is_empty(), recording);
        if with.is_empty() {
            return Ok(None);
        }
        let labels = with.iter().map(|server| server.label().clone()).collect();
        let mut places = Vec::with_capacity(with.len());
        for (server, listing) in with.iter().zip(join_all(with.iter().map(|server| server.skills(cancel))).await) {
            let listing = match listing {
                Ok(listing) => listing,
                Err(failure) => {
                    let reason = failure.told()?;
                    let cause = Some("server");
                    return Err(Stop::Infrastructure { broke: Broke::Setup, retryable: true, reason, cause });
                }
            };
            recording.warn(server.label(), &listing.warnings);
            places.push(Place::new(&***server, listing));
        }
        recording.offer_skills();
        let mut shelf = Self { places, tools: SkillTools::new(mode, labels), prompt: String::new(), cancel };
        shelf.prompt = match mode {
            SkillsMode::Preload => shelf.preload(recording).await?,
            SkillsMode::Catalog | SkillsMode::Off => shelf.catalog(recording),
        };
        Ok(Some(shelf))
    }

    /// Returns the tools to offer.
    pub(in super::super) fn tools(&self) -> &SkillTools {
        &self.tools
    }

    /// Returns what stands in the system prompt, after the config's own.
    pub(in super::super) fn prompt(&self) -> &str {
        &self.prompt
    }

    fn catalog(&self, recording: &mut Recording) -> String {
        let listed: Vec<(&ServerLabel, &SkillEntry)> =
            self.places.iter().flat_map(|place| place.listed().iter().map(|skill| (place.label(), skill))).collect();
        let (text, left_out) = prompt::catalog(&listed);
        if left_out > 0 {
            recording.note(format!("{left_out} of {} skills did not fit into the catalog", listed.len()));
        }
        text
    }

    /// Reads every listed skill. One that cannot be used does not keep back the others.
    async fn preload(&mut self, recording: &mut Recording) -> Result<String, Stop> {
        let mut blocks = Vec::new();
        let mut left = MOST_PRELOADED;
        for place in &mut self.places {
            blocks.extend(place.preload(&mut left, self.cancel, recording).await?);
        }
        Ok(prompt::preloaded(&blocks))
    }

    /// Answers a call, which is no tool call of the trial. A skill that it loads becomes an event.
    pub(in super::super) async fn answer(
        &mut self,
        asked: SkillCall<'_>,
        clock: &dyn Clock,
        recording: &mut Recording,
    ) -> Result<ToolResultMessage, Stop> {
        let call = asked.call;
        let started = clock.now();
        let answer = self.read(asked, recording).await?;
        if let Some(skill) = answer.loaded {
            recording.skill(call, skill, &answer.text, (started, clock.now()));
        }
        Ok(ToolResultMessage {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content: vec![ToolResultPart::Text { text: answer.text }],
            is_error: answer.is_error,
        })
    }

    async fn read(&mut self, asked: SkillCall<'_>, recording: &mut Recording) -> Result<Answer, Stop> {
        let (server, uri) = match arguments(asked.call) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Answer::refused(format!("{} was not called: {why}", asked.call.name))),
        };
        let Some(place) = self.places.iter_mut().find(|place| place.label().as_str() == server) else {
            let labels: Vec<&str> = self.places.iter().map(|place| place.label().as_str()).collect();
            let labels = labels.join(", ");
            return Ok(Answer::refused(format!("no server {server:?} has skills; those that have: {labels}")));
        };
        match asked.tool {
            SkillTool::ReadSkill => place.read_skill(uri, self.cancel, recording).await,
            SkillTool::ReadResource => place.read_resource(uri, self.cancel, recording).await,
        }
    }
}

/// Reads the arguments of either tool.
fn arguments(call: &ToolCall) -> Result<(&str, &str), String> {
    let ToolArguments::Object(arguments) = &call.arguments else {
        return Err("its arguments must be one JSON object".to_owned());
    };
    let text = |key: &str| {
        let text = arguments.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| format!("its argument {key} must be a text"))
    };
    Ok((text("server")?, text("uri")?))
}

/// Notes which servers offer none of what the config asks for.
fn note_servers_without(mode: SkillsMode, without: &[&ServerLabel], no_others: bool, recording: &mut Recording) {
    let labels = without.iter().map(|label| label.as_str()).collect::<Vec<_>>().join(", ");
    if no_others {
        let servers = if without.is_empty() {
            "there is no server".to_owned()
        } else {
            format!("no server ({labels}) serves skills")
        };
        recording.note(format!("skills is {:?}, and {servers}: the model was offered none", mode.as_str()));
    } else if !without.is_empty() {
        let verb = if without.len() == 1 { "serves" } else { "serve" };
        recording.note(format!("{labels} {verb} no skills"));
    }
}
