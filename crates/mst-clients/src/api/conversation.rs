//! The loop of model steps and tool calls.

use std::sync::Arc;

use mst_ext::ClientContext;
use mst_llm::{
    AssistantPart, ChatMessage, ChatReply, ChatRequest, Llm, ToolCall, ToolResultMessage, ToolResultPart, most_tools,
};
use mst_mcp::ToolSurface;
use mst_model::Clock;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::offer::{Offer, Target};
use super::offers::Offers;
use super::options::ApiOptions;
use super::recording::Recording;
use super::skills::{Shelf, SkillCall, SkillTools};
use super::stop::Stop;
use super::tool_server::ToolServer;
use super::turn::{for_model, not_run, note_answer, refusal};

/// What is fixed for one conversation.
pub(super) struct Conversation<'a> {
    /// Who answers.
    pub(super) llm: &'a dyn Llm,
    /// The client's options.
    pub(super) options: &'a ApiOptions,
    /// The variant's tool metadata and the tools listed at the readiness check.
    pub(super) context: &'a ClientContext,
    /// The offers made so far.
    pub(super) offers: &'a Offers,
    /// The connected servers.
    pub(super) servers: &'a [Box<dyn ToolServer>],
    /// The time.
    pub(super) clock: &'a dyn Clock,
    /// Ends every wait.
    pub(super) cancel: &'a CancellationToken,
}

impl Conversation<'_> {
    /// Talks until the model has said all, the step limit is reached, or something stops it.
    ///
    /// A trial takes at most `max(1, maxToolCalls)` model steps. A step limit that is reached while the model still calls
    /// tools leaves a note and no error: the calls count, and what the model had said is the answer.
    pub(super) async fn run(&self, prompt: &str, recording: &mut Recording) -> Result<(), Stop> {
        let mut surfaces: Vec<Arc<ToolSurface>> =
            self.servers.iter().map(|server| Arc::clone(server.surface())).collect();
        let mut skills = Shelf::open(self.options.skills, self.servers, self.cancel, recording).await?;
        let mut request = self.request(prompt, skills.as_ref());
        let mut offer = self.offer(&surfaces, skills.as_ref(), &mut request)?;
        let mut sent = 0;
        for _ in 0..self.options.max_steps() {
            if self.list_again(&mut surfaces, recording).await? {
                offer = self.offer(&surfaces, skills.as_ref(), &mut request)?;
            }
            let reply = self.ask(&request, recording).await?;
            let calls = reply.tool_calls().count();
            if let Some(stop) = Stop::of_reply(&reply) {
                not_run(reply.tool_calls(), &offer, "not run: the turn did not end as it should", recording);
                return Err(stop);
            }
            if calls == 0 {
                note_answer(&reply, recording);
                return Ok(());
            }
            let turn = Turn { offer: &offer, sent: &mut sent, skills: skills.as_mut() };
            let results = self.answer(&reply.parts, turn, recording).await?;
            request.messages.push(ChatMessage::Assistant { parts: reply.parts });
            request.messages.push(ChatMessage::ToolResults { results });
        }
        let limit = self.options.max_tool_calls;
        recording.note(format!("stopped at maxToolCalls ({limit}): the model had not finished"));
        Ok(())
    }

    fn request(&self, prompt: &str, skills: Option<&Shelf<'_>>) -> ChatRequest {
        let own = self.options.system_prompt.as_deref().filter(|text| !text.is_empty());
        let system: Vec<&str> = own.into_iter().chain(skills.map(Shelf::prompt)).collect();
        ChatRequest {
            model: self.options.model.clone(),
            system: (!system.is_empty()).then(|| system.join("\n\n")),
            messages: vec![ChatMessage::User { text: prompt.to_owned() }],
            temperature: Some(self.options.temperature()),
            temperature_is_default: self.options.temperature.is_none(),
            max_tokens: self.options.max_tokens,
            ..ChatRequest::default()
        }
    }

    /// Offers what the servers list, under the variant's metadata.
    fn offer(
        &self,
        surfaces: &[Arc<ToolSurface>],
        skills: Option<&Shelf<'_>>,
        request: &mut ChatRequest,
    ) -> Result<Arc<Offer>, Stop> {
        let none = SkillTools::default();
        let skills = skills.map_or(&none, Shelf::tools);
        let listed: Vec<_> = self.servers.iter().map(|server| server.label()).zip(surfaces).collect();
        let offer =
            self.offers.of(&listed, &self.context.tools, skills).map_err(|error| Stop::setup(error.to_string()))?;
        let provider = self.options.provider();
        if let Some(most) = most_tools(provider).filter(|most| offer.names().len() > *most) {
            return Err(Stop::setup(format!(
                "{provider} takes at most {most} tools in a request, and the servers list {}: give the variant fewer servers, \
                 or servers that list fewer",
                offer.names().len()
            )));
        }
        request.tools = offer.tools().clone();
        Ok(offer)
    }

    /// Lists the servers again whose tools changed; returns whether one was.
    ///
    /// A listing that fails leaves the offer as it was, with a note: the server's own calls will tell what it can do.
    async fn list_again(&self, surfaces: &mut [Arc<ToolSurface>], recording: &mut Recording) -> Result<bool, Stop> {
        let mut changed = false;
        for (server, surface) in self.servers.iter().zip(surfaces) {
            if !server.list_changed() {
                continue;
            }
            match server.list(self.cancel).await {
                Ok(listed) => {
                    *surface = listed;
                    changed = true;
                }
                Err(_) if self.cancel.is_cancelled() => return Err(Stop::Cancelled),
                Err(error) => recording.note(format!("the changed tools could not be listed again: {error}")),
            }
        }
        Ok(changed)
    }

    /// Asks for the next turn.
    async fn ask(&self, request: &ChatRequest, recording: &mut Recording) -> Result<ChatReply, Stop> {
        let started = self.clock.now();
        let reply = self.llm.chat(request, self.cancel).await;
        recording.model_time(started, self.clock.now());
        match reply {
            Ok(mut reply) => {
                recording.reply(&mut reply);
                Ok(reply)
            }
            Err(error) => Err(Stop::of_failed_call(&error, recording.acted())),
        }
    }

    /// Runs a turn's calls and returns their results for the model, both in the turn's order.
    ///
    /// The calls go out one after the other, also across servers: a trial is to mean the same each time it runs, and a
    /// server may keep state between the calls of a turn.
    async fn answer(
        &self,
        parts: &[AssistantPart],
        mut turn: Turn<'_, '_>,
        recording: &mut Recording,
    ) -> Result<Vec<ToolResultMessage>, Stop> {
        let calls: Vec<&ToolCall> = parts
            .iter()
            .filter_map(|part| match part {
                AssistantPart::ToolCall(call) => Some(call),
                _ => None,
            })
            .collect();
        if let Some(stop) = self.unlisted(&calls, turn.offer) {
            not_run(calls.iter().copied(), turn.offer, "not run: its server did not list every tool before", recording);
            return Err(stop);
        }
        let mut results = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            if let (Some(tool), Some(skills)) = (turn.offer.skill_tool(&call.name), turn.skills.as_deref_mut()) {
                results.push(skills.answer(SkillCall { call, tool }, self.clock, recording).await?);
                continue;
            }
            let target = turn.offer.target(&call.name);
            let (content, is_error) = match refusal(call, target, turn.offer) {
                Ok((target, arguments)) => {
                    if *turn.sent >= self.options.max_tool_calls {
                        return Err(self.too_many(&calls[at..], turn.offer, recording));
                    }
                    *turn.sent += 1;
                    self.send(call, target, arguments, recording).await?
                }
                Err(text) => {
                    recording.not_sent(call, target, &text);
                    (vec![ToolResultPart::Text { text }], true)
                }
            };
            results.push(ToolResultMessage { call_id: call.id.clone(), name: call.name.clone(), content, is_error });
        }
        Ok(results)
    }

    /// Sends one call to its server.
    async fn send(
        &self,
        call: &ToolCall,
        target: &Target,
        arguments: &Map<String, Value>,
        recording: &mut Recording,
    ) -> Result<(Vec<ToolResultPart>, bool), Stop> {
        recording.sending(call, target, self.clock.now());
        let mut answer = self.servers[target.server].call(&target.tool, arguments, self.cancel).await;
        if answer.cancelled {
            return Err(Stop::Cancelled);
        }
        if let Some(reason) = answer.off_tape {
            return Err(Stop::off_tape(reason));
        }
        recording.answered(target, &mut answer, self.clock.now());
        if let Some(ending) = answer.ending {
            return Err(Stop::of_refused_call(ending));
        }
        let takes_images = self.llm.takes_images();
        let parts = answer.parts.into_iter().map(|part| for_model(part, takes_images)).collect();
        Ok((parts, answer.is_error))
    }

    /// Returns the end that a call makes to a tool that its server did not list when it was checked.
    fn unlisted(&self, calls: &[&ToolCall], offer: &Offer) -> Option<Stop> {
        calls.iter().find_map(|call| {
            let target = offer.target(&call.name)?;
            let listed = self.context.ready_tools.get(&target.label)?;
            if listed.contains(&target.tool) {
                return None;
            }
            let listed = listed.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            Some(Stop::setup(format!(
                "The client called {}.{}, which its server didn't list when MST checked it: {listed}.",
                target.label, target.tool
            )))
        })
    }

    /// Records the calls that `maxToolCalls` leaves out, and ends the trial with an error.
    fn too_many(&self, rest: &[&ToolCall], offer: &Offer, recording: &mut Recording) -> Stop {
        let limit = self.options.max_tool_calls;
        not_run(rest.iter().copied(), offer, &format!("not run: maxToolCalls ({limit}) was reached"), recording);
        let sent = rest.iter().filter(|call| offer.skill_tool(&call.name).is_none());
        let names: Vec<&str> = sent.map(|call| call.name.as_str()).collect();
        Stop::Trial(format!("the model called more tools than maxToolCalls ({limit}); not run: {}", names.join(", ")))
    }
}

/// What a turn's calls are judged by.
struct Turn<'a, 's> {
    /// What was offered.
    offer: &'a Offer,
    /// How many calls the trial has sent.
    sent: &'a mut u32,
    /// The skills that are offered.
    skills: Option<&'a mut Shelf<'s>>,
}
