//! What it takes to reach a model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use mst_model::Provider;

use crate::retry::RetryPolicy;
use crate::watcher::CallWatcher;

/// Who answers, and where and how to reach it.
#[derive(Clone)]
pub struct LlmSettings {
    /// The API that serves the model.
    pub provider: Provider,
    /// The model's id, as the user wrote it.
    pub model: String,
    /// The variable that holds the key, in place of the provider's own and of any gateway's.
    pub api_key_env_var: Option<String>,
    /// The endpoint, in place of the provider's and of what its variable says.
    pub base_url: Option<String>,
    /// The environment that keys and endpoints are read from.
    pub env: Arc<BTreeMap<String, String>>,
    /// How often a failed call is repeated.
    pub retry: RetryPolicy,
    /// Told what the model's calls wait for.
    pub watcher: Option<Arc<dyn CallWatcher>>,
}

impl LlmSettings {
    /// Makes settings without overrides.
    pub fn new(provider: Provider, model: impl Into<String>, env: Arc<BTreeMap<String, String>>) -> Self {
        Self {
            provider,
            model: model.into(),
            api_key_env_var: None,
            base_url: None,
            env,
            retry: RetryPolicy::default(),
            watcher: None,
        }
    }

    /// Returns a variable's value; an empty one counts as unset.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

/// Leaves the environment out: it holds keys.
impl fmt::Debug for LlmSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LlmSettings")
            .field("provider", &self.provider)
            .field("model", &self.model)
            .field("api_key_env_var", &self.api_key_env_var)
            .field("base_url", &self.base_url)
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
