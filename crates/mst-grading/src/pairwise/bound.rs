//! A pairwise judge's setting bound to its code.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use mst_ext::{JudgeDefinition, JudgeFault, PairwiseJudge};
use mst_model::{ModelPrice, PairwiseSetting, content_hash};
use serde_json::{Map, Value, json};

use crate::judge::identity::Identified;

/// A pairwise judge ready to be asked: its options parsed, its identity known.
#[derive(Clone)]
pub struct BoundPairwiseJudge {
    pub(super) judge: Arc<dyn PairwiseJudge>,
    pub(super) definition: JudgeDefinition,
    pub(super) options: Map<String, Value>,
    pub(super) reps: u32,
    /// The price of its model, when the eval has one.
    pub(super) price: Option<ModelPrice>,
    identity: String,
}

/// Why a setting cannot be bound to its pairwise judge: the judge does not take the options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pairwise judge {judge:?}: {what}")]
pub struct PairwiseBindFault {
    /// The judge.
    pub judge: String,
    /// What is wrong.
    pub what: String,
}

impl BoundPairwiseJudge {
    /// Binds a setting to the pairwise judge it names.
    pub fn bind(setting: &PairwiseSetting, judge: Arc<dyn PairwiseJudge>) -> Result<Self, PairwiseBindFault> {
        let definition = judge.definition();
        let options =
            judge.parse(&setting.options).map_err(|what| PairwiseBindFault { judge: setting.judge.clone(), what })?;
        let reps = setting.reps.max(1);
        let identity = Identified {
            kind: "pairwise-judge",
            definition: &definition,
            settings: judge.settings(),
            options: &options,
            rules: json!({ "reps": reps }),
        };
        let identity = identity.hash();
        Ok(Self { judge, definition, options, reps, price: None, identity })
    }

    /// Gives the model that it asks its price, so that what its answers cost is estimated. Who it is does not change.
    #[must_use]
    pub fn priced(mut self, pricing: &IndexMap<String, ModelPrice>) -> Self {
        self.price = self.model().and_then(|model| pricing.get(model)).copied();
        self
    }

    /// Returns the judge's name, in configs and in results.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns its identity: SHA-256 (64 hex digits) over the canonical JSON of everything that can change how it compares.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns the version that its identity covers.
    pub fn version(&self) -> Option<&str> {
        self.definition.version.as_deref()
    }

    /// Returns whether nothing would show a change of the judge's own code.
    pub fn is_unversioned(&self) -> bool {
        self.definition.version.is_none()
    }

    /// Returns the model that its options name.
    pub fn model(&self) -> Option<&str> {
        self.options.get("model")?.as_str()
    }

    /// Returns SHA-256 (64 hex digits) of the canonical JSON of its options as parsed.
    pub fn options_hash(&self) -> String {
        content_hash(&self.options)
    }

    /// Returns what tells distinct settings apart for [`BoundPairwiseJudge::preflight`]: equal keys need it once.
    pub fn preflight_key(&self) -> String {
        content_hash(&json!({ "pairwiseJudge": self.definition.name, "options": self.options }))
    }

    /// Checks that the judge can run at all. Never calls a model.
    ///
    /// # Errors
    /// Why it cannot.
    pub async fn preflight(&self) -> Result<(), JudgeFault> {
        self.judge.preflight(&self.options).await
    }
}

impl fmt::Debug for BoundPairwiseJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        f.debug_struct("BoundPairwiseJudge")
            .field("name", &name)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}
