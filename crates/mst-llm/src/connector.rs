//! The door to models: one connector a process, one connection a model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mst_model::{Clock, Provider, Tape, TapeScope};
use tokio::time::Instant;

use crate::api_model::ApiModel;
use crate::chat::{Llm, LlmError};
use crate::credential::{AuthCommand, Credential, CredentialPlan, GoogleToken};
use crate::endpoint::Endpoint;
use crate::gate::Gate;
use crate::http_clients::HttpClients;
use crate::offline::OfflineModel;
use crate::retry::Spread;
use crate::schema::ToolCache;
use crate::settings::LlmSettings;
use crate::taped::{RecordedModel, ReplayedModel};

/// Makes models that share connections, tokens and adapted schemas.
///
/// Making one does nothing; connections and tokens are made by the first call that needs them.
#[derive(Clone)]
pub struct LlmConnector {
    clock: Arc<dyn Clock>,
    http: Arc<HttpClients>,
    tools: Arc<ToolCache>,
    spread: Arc<Spread>,
    tokens: Arc<Mutex<Tokens>>,
    tape: Option<Tape>,
    gates: Arc<Mutex<Vec<Guarded>>>,
}

/// What a gate stands before: an endpoint, asked with one key.
struct Guarded {
    endpoint: Endpoint,
    credential: Credential,
    gate: Arc<Gate>,
}

/// The tokens that connections share.
#[derive(Default)]
struct Tokens {
    commands: Vec<Arc<AuthCommand>>,
    google: Vec<Arc<GoogleToken>>,
}

impl LlmConnector {
    /// Makes a connector; the environment names the proxies, and each connection's settings name the rest.
    pub fn new(env: &BTreeMap<String, String>, clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            http: Arc::new(HttpClients::new(env)),
            tools: Arc::default(),
            spread: Arc::default(),
            tokens: Arc::default(),
            tape: None,
            gates: Arc::default(),
        }
    }

    /// Puts a tape before every model that is made for a scope.
    #[must_use]
    pub fn with_tape(self, tape: Option<Tape>) -> Self {
        Self { tape, ..self }
    }

    /// Returns whether a tape answers in place of every provider, so that neither key nor endpoint is needed.
    pub fn is_replay(&self) -> bool {
        self.tape.as_ref().is_some_and(Tape::is_replay)
    }

    /// Makes the model that the settings name, for calls that belong to a scope of the tape when there is one.
    pub fn connect_for(&self, settings: LlmSettings, scope: &TapeScope) -> Result<Arc<dyn Llm>, LlmError> {
        let (scope, begun) = (scope.clone(), Instant::now());
        match &self.tape {
            None => self.connect(settings),
            Some(Tape::Record(recorder)) => {
                let (inner, recorder) = (self.connect(settings)?, Arc::clone(recorder));
                Ok(Arc::new(RecordedModel { inner, recorder, scope, begun }))
            }
            Some(Tape::Replay(player)) => {
                let (player, clock) = (Arc::clone(player), Arc::clone(&self.clock));
                Ok(Arc::new(ReplayedModel { player, provider: settings.provider, scope, clock, begun }))
            }
        }
    }

    /// Makes the model that the settings name, past any tape. Cheap, and without any network.
    pub fn connect(&self, settings: LlmSettings) -> Result<Arc<dyn Llm>, LlmError> {
        if settings.provider == Provider::Offline {
            check_offline(&settings)?;
            return Ok(Arc::new(OfflineModel::new(Arc::clone(&self.clock))));
        }
        let endpoint = Endpoint::resolve(&settings)?;
        let credential = match CredentialPlan::resolve(&settings, &endpoint)? {
            CredentialPlan::None => Credential::None,
            CredentialPlan::Fixed { header, scheme, value } => Credential::Fixed { header, scheme, value },
            CredentialPlan::Command { command } => Credential::Command(self.command(command, settings.env)),
            CredentialPlan::Google(file) => Credential::Google(self.google(file)),
        };
        Ok(Arc::new(ApiModel {
            gate: self.gate(&endpoint, &credential),
            endpoint,
            credential,
            watcher: settings.watcher,
            retry: settings.retry,
            http: Arc::clone(&self.http),
            tools: Arc::clone(&self.tools),
            spread: Arc::clone(&self.spread),
            clock: Arc::clone(&self.clock),
        }))
    }

    /// Returns the gate that all calls to an endpoint with one key pass.
    fn gate(&self, endpoint: &Endpoint, credential: &Credential) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&Guarded| known.endpoint == *endpoint && known.credential.is_same(credential);
        if let Some(known) = gates.iter().find(same) {
            return Arc::clone(&known.gate);
        }
        let gate = Arc::<Gate>::default();
        let (endpoint, credential) = (endpoint.clone(), credential.clone());
        gates.push(Guarded { endpoint, credential, gate: Arc::clone(&gate) });
        gate
    }

    fn command(&self, command: String, env: Arc<BTreeMap<String, String>>) -> Arc<AuthCommand> {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = tokens.commands.iter().find(|known| known.is(&command, &env)) {
            return Arc::clone(known);
        }
        let made = Arc::new(AuthCommand::new(command, env));
        tokens.commands.push(Arc::clone(&made));
        made
    }

    fn google(&self, file: crate::credential::adc::AdcFile) -> Arc<GoogleToken> {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = tokens.google.iter().find(|known| known.is(&file)) {
            return Arc::clone(known);
        }
        let made = Arc::new(GoogleToken::new(file));
        tokens.google.push(Arc::clone(&made));
        made
    }
}

impl fmt::Debug for LlmConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LlmConnector").finish_non_exhaustive()
    }
}

/// Checks that a key or a gateway is there and that the endpoint is an address, without any network.
pub fn check(settings: &LlmSettings) -> Result<(), LlmError> {
    if settings.provider == Provider::Offline {
        return check_offline(settings);
    }
    let endpoint = Endpoint::resolve(settings)?;
    CredentialPlan::resolve(settings, &endpoint).map(|_| ())
}

fn check_offline(settings: &LlmSettings) -> Result<(), LlmError> {
    if settings.model == crate::offline::MODEL {
        return Ok(());
    }
    Err(LlmError::Unsupported(format!("the offline provider has one model, {}", crate::offline::MODEL)))
}
