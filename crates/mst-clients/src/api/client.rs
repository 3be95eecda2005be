//! The client itself: what it is, what it needs, and a trial from options to result.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mst_ext::{
    Client, ClientContext, ClientDefinition, ClientOpenError, ClientSessionOptions, ClientTrial, OneShot, Requirements,
    RunOnlyClient,
};
use mst_llm::{Llm, LlmConnector, LlmError, LlmSettings};
use mst_mcp::ServerPool;
use mst_model::{ClientRun, Clock, Evidence, Scrubber, TapeScope, is_credential_name};
use tokio_util::sync::CancellationToken;

use super::offers::Offers;
use super::options::ApiOptions;
use super::pooled::Pooled;
use super::stop::Stop;
use super::trial::TrialRun;
use super::watcher::Watcher;

/// What the client works with.
#[derive(Clone)]
pub struct ApiDeps {
    /// The connections to servers.
    pub pool: Arc<ServerPool>,
    /// The connections to providers.
    pub llm: LlmConnector,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The environment with the secrets file over it.
    pub env: Arc<BTreeMap<String, String>>,
}

/// Makes the `api` client: a model alone, through its provider's API, with the servers' tools.
pub fn api_client(deps: ApiDeps) -> Arc<dyn Client> {
    Arc::new(OneShot::new(ApiClient { deps, scrubber: Mutex::default(), offers: Offers::default() }))
}

struct ApiClient {
    deps: ApiDeps,
    /// The scrubber of the last trial, with the secrets it was made of.
    scrubber: Mutex<(Vec<String>, Scrubber)>,
    offers: Offers,
}

#[async_trait]
impl RunOnlyClient for ApiClient {
    fn definition(&self) -> ClientDefinition {
        ClientDefinition {
            name: "api".to_owned(),
            description: "A model alone, through its provider's API, with the servers' tools".to_owned(),
            options: ApiOptions::schema(),
            evidence: Evidence::Structured,
            tool_metadata: true,
            pooled_sessions: true,
            // No provider's API says what a call cost.
            reports_cost: false,
            reports_telemetry: false,
            max_concurrency: None,
            requirements: Requirements {
                os: vec![],
                install: vec![],
                credentials: vec![
                    "the provider's API key (ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY, …)"
                        .to_owned(),
                    "or a gateway (ANTHROPIC_BASE_URL or OPENAI_BASE_URL with MST_LLM_AUTH_COMMAND)".to_owned(),
                    "none for model lexical-1, the offline baseline".to_owned(),
                ],
                setup: vec![],
            },
        }
    }

    fn check(&self, options: &ClientSessionOptions) -> Result<(), ClientOpenError> {
        let options = ApiOptions::read(&options.options).map_err(|error| ClientOpenError::Setup(error.to_string()))?;
        if self.deps.llm.is_replay() {
            return Ok(());
        }
        mst_llm::check(&self.settings(&options)).map_err(|error| match error {
            LlmError::Auth { .. } => ClientOpenError::Credentials(error.to_string()),
            _ => ClientOpenError::Setup(error.to_string()),
        })
    }

    async fn run(
        &self,
        trial: &ClientTrial,
        session: &ClientSessionOptions,
        context: &ClientContext,
        cancel: &CancellationToken,
    ) -> ClientRun {
        let options = match ApiOptions::read(&session.options) {
            Ok(options) => options,
            Err(error) => return ended(Stop::setup(error.to_string())),
        };
        let scope = TapeScope::trial(&context.variant, &trial.case_id, trial.trial);
        let watcher = Watcher { provider: options.provider(), signals: context.signals.clone() };
        let settings = LlmSettings { watcher: Some(Arc::new(watcher)), ..self.settings(&options) };
        let llm = match self.deps.llm.connect_for(settings, &scope) {
            Ok(llm) => llm,
            Err(error) => return ended(Stop::of_failed_call(&error, false)),
        };
        let connector = Pooled { pool: &self.deps.pool, batch: &context.batch, scope: &scope };
        let trial_run = TrialRun {
            llm: &*llm,
            connector: &connector,
            offers: &self.offers,
            options: &options,
            session,
            context,
            clock: &*self.deps.clock,
        };
        let run = trial_run.run(trial, cancel).await;
        self.without_secrets(run, &*llm)
    }
}

impl ApiClient {
    fn settings(&self, options: &ApiOptions) -> LlmSettings {
        let env = if options.env.is_empty() {
            Arc::clone(&self.deps.env)
        } else {
            let mut env = BTreeMap::clone(&self.deps.env);
            env.extend(options.env.iter().map(|(name, value)| (name.clone(), value.clone())));
            Arc::new(env)
        };
        LlmSettings {
            api_key_env_var: options.api_key_env_var.clone(),
            base_url: options.base_url.clone(),
            ..LlmSettings::new(options.provider(), options.model.clone(), env)
        }
    }

    /// Takes out the credentials that the run does not know to be some: those of an auth command, a token exchange, the
    /// client's own `env`, or a variable whose name does not say so. As for every variable, from 8 characters: a key of a
    /// letter or a word, as local gateways take, would blank out answers.
    fn without_secrets(&self, run: ClientRun, llm: &dyn Llm) -> ClientRun {
        let known = |secret: &String| {
            self.deps.env.iter().any(|(name, value)| value == secret && value.len() >= 8 && is_credential_name(name))
        };
        let secrets: Vec<String> =
            llm.secrets().into_iter().filter(|secret| secret.len() >= 8 && !known(secret)).collect();
        if secrets.is_empty() { run } else { self.scrubber(secrets).scrub(run).into_inner() }
    }

    /// Returns the scrubber of some secrets, which are the same from trial to trial while a token lives.
    fn scrubber(&self, secrets: Vec<String>) -> Scrubber {
        let mut last = self.scrubber.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != secrets {
            last.1 = Scrubber::new(secrets.iter().map(String::as_str), []);
            last.0 = secrets;
        }
        last.1.clone()
    }
}

/// Returns the result of a trial that ended before it began.
fn ended(stop: Stop) -> ClientRun {
    let (error, ending) = stop.into_ending();
    ClientRun { error, ending: Some(ending), ..ClientRun::default() }
}
