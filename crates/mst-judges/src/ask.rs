//! Asking a model.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mst_ext::{JudgeContext, JudgeFault};
use mst_llm::{ChatMessage, ChatReply, ChatRequest, Finish, LlmConnector, LlmError, LlmSettings, ToolSet};
use mst_model::{JudgeScore, PairwiseAnswer, Scrubber, Usage};

use crate::prompt::Prompt;
use crate::settings::Settings;

/// The shortest credential that is taken out of an answer: one of a letter or a word, as local gateways take, would blank
/// out answers.
const SHORTEST_SECRET: usize = 8;

/// The way to models.
#[derive(Clone)]
pub(crate) struct Models {
    llm: LlmConnector,
    env: Arc<BTreeMap<String, String>>,
    scrubber: Arc<Mutex<Known>>,
}

/// The credentials of the last answer, and what takes them out of it.
#[derive(Default)]
struct Known {
    secrets: Vec<String>,
    scrubber: Scrubber,
}

/// A model's answer, in words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Whether `maxTokens` ended it.
    pub(crate) is_cut_off: bool,
    pub(crate) asked: Asked,
}

/// What calls took, and who answered them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    usage: Option<Usage>,
    provider: Option<String>,
    models: Vec<String>,
}

impl Models {
    pub(crate) fn new(llm: LlmConnector, env: Arc<BTreeMap<String, String>>) -> Self {
        Self { llm, env, scrubber: Arc::default() }
    }

    fn settings(&self, settings: &Settings) -> LlmSettings {
        LlmSettings {
            api_key_env_var: settings.api_key_env_var.clone(),
            ..LlmSettings::new(settings.provider, settings.model.clone(), Arc::clone(&self.env))
        }
    }

    /// Returns what takes credentials out of answers; they are the same from call to call while a token lives.
    fn scrubber(&self, mut secrets: Vec<String>) -> Scrubber {
        secrets.retain(|secret| secret.len() >= SHORTEST_SECRET);
        let mut known = self.scrubber.lock().unwrap_or_else(PoisonError::into_inner);
        if known.secrets != secrets {
            known.scrubber = Scrubber::new(secrets.iter().map(String::as_str), []);
            known.secrets = secrets;
        }
        known.scrubber.clone()
    }

    /// Checks that there is a credential and an endpoint, without any call. A tape needs neither.
    pub(crate) fn check(&self, settings: &Settings) -> Result<(), JudgeFault> {
        if self.llm.is_replay() {
            return Ok(());
        }
        mst_llm::check(&self.settings(settings)).map_err(|error| fault(&error))
    }

    /// Asks once.
    pub(crate) async fn ask(
        &self,
        prompt: &Prompt,
        settings: &Settings,
        context: &JudgeContext,
    ) -> Result<Answer, JudgeFault> {
        let llm = self.llm.connect_for(self.settings(settings), &context.scope).map_err(|error| fault(&error))?;
        let request = ChatRequest {
            model: settings.model.clone(),
            system: Some(prompt.system.clone()),
            messages: vec![ChatMessage::User { text: prompt.user.clone() }],
            tools: ToolSet::default(),
            temperature: Some(settings.temperature),
            // A default and the same value written out are one setting.
            temperature_is_default: settings.temperature == 0.0,
            max_tokens: Some(settings.max_tokens),
            effort: settings.effort.clone(),
        };
        let limit = Duration::from_millis(settings.timeout_ms.into());
        let Ok(reply) = tokio::time::timeout(limit, llm.chat(&request, &context.cancel)).await else {
            let (model, ms) = (&settings.model, settings.timeout_ms);
            return Err(JudgeFault::Failed(format!("{model} did not answer within timeoutMs ({ms})")));
        };
        let reply = reply.map_err(|error| fault(&error))?;
        let scrubber = self.scrubber(llm.secrets());
        let ended = answered(&reply).map_err(|why| scrubber.text(&why));
        let text = scrubber.text(&reply.text());
        let is_cut_off = reply.finish == Finish::MaxTokens;
        let provider = Some(settings.provider.as_str().to_owned());
        let asked = Asked { usage: reply.usage, provider, models: vec![reply.model] };
        match ended {
            Ok(()) => Ok(Answer { text, is_cut_off, asked }),
            Err(why) => Err(asked.blame(JudgeFault::Failed(why))),
        }
    }
}

impl Asked {
    /// Adds what other calls took.
    pub(crate) fn add(&mut self, other: Self) {
        match (&mut self.usage, other.usage) {
            (Some(mine), Some(theirs)) => mine.add(&theirs),
            (mine, theirs) => *mine = mine.take().or(theirs),
        }
        self.provider = self.provider.take().or(other.provider);
        for model in other.models {
            if !self.models.contains(&model) {
                self.models.push(model);
            }
        }
    }

    /// Makes it of usage alone.
    pub(crate) fn paid(usage: Usage) -> Self {
        Self { usage: Some(usage), ..Self::default() }
    }

    /// Returns a fault that holds what was paid, with what the fault itself was paid for.
    pub(crate) fn blame(mut self, fault: JudgeFault) -> JudgeFault {
        let why = match fault {
            JudgeFault::Failed(why) => why,
            JudgeFault::Unusable { why, usage } => {
                self.add(Self::paid(*usage));
                why
            }
            fault => return fault,
        };
        match self.usage {
            Some(usage) => JudgeFault::Unusable { why, usage: Box::new(usage) },
            None => JudgeFault::Failed(why),
        }
    }

    /// Writes it into a score.
    pub(crate) fn into_score(self, score: JudgeScore) -> JudgeScore {
        let model = self.model();
        JudgeScore { usage: self.usage, provider: self.provider, model, ..score }
    }

    /// Writes it into a pairwise judge's answer.
    pub(crate) fn into_answer(self, answer: PairwiseAnswer) -> PairwiseAnswer {
        let model = self.model();
        PairwiseAnswer { usage: self.usage, provider: self.provider, model, ..answer }
    }

    fn model(&self) -> Option<String> {
        (!self.models.is_empty()).then(|| self.models.join(", "))
    }
}

/// Returns why a turn is no answer: one that its provider or model did not want to end is none, whatever it holds.
fn answered(reply: &ChatReply) -> Result<(), String> {
    let model = &reply.model;
    Err(match &reply.finish {
        Finish::Refused { text: Some(text) } => format!("{model} refused to judge: {text}"),
        Finish::Refused { text: None } => format!("{model} refused to judge"),
        Finish::Filtered => format!("the answer of {model} was filtered by its provider"),
        Finish::ContextFull => format!("the context of {model} was full before it had answered"),
        Finish::Stop | Finish::ToolCalls | Finish::MaxTokens | Finish::Other => return Ok(()),
    })
}

fn fault(error: &LlmError) -> JudgeFault {
    match error {
        LlmError::Auth { .. } => JudgeFault::Credentials(error.to_string()),
        LlmError::Cancelled => JudgeFault::Cancelled,
        _ => JudgeFault::Failed(error.to_string()),
    }
}
