//! The requests of a session for skills and resources.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::entry::{InvalidSkill, SkillEntry};
use super::listing::{ResourceListing, SkillListing, pages};
use super::resource::{self, ResourceContent};
use crate::error::{McpError, Phase};
use crate::failure::CallFailure;
use crate::link::{Delivery, Request, Wait};
use crate::rounds::Inputs;
use crate::session::Session;
use crate::text::cut;

/// Why a skill could not be had by its URI.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkillFault {
    /// The request brought no result.
    #[error("{0}")]
    Request(CallFailure),
    /// The answer is no skill that can be used.
    #[error("the server's answer cannot be used: {0}")]
    Invalid(#[from] InvalidSkill),
    /// The answer is another skill.
    #[error("the server answered with another skill, {uri:?}")]
    Other {
        /// Its URI, cut.
        uri: String,
    },
}

impl Session {
    /// Returns whether the server declares that it serves Agent Skills.
    pub fn has_skills(&self) -> bool {
        self.parts.agreed.skills
    }

    /// Returns the skills that the server lists, asked for once a session; none from a server that declares none.
    ///
    /// An entry that breaks the extension's rules is left out with a warning. Each page has `requestTimeoutMs`.
    pub async fn skills(&self, cancel: &CancellationToken) -> Result<Arc<SkillListing>, McpError> {
        let list = || async {
            if !self.has_skills() {
                return Ok(Arc::default());
            }
            let entries = self.pages(Phase::Skills, cancel).await?;
            Ok(Arc::new(SkillListing::of(self.label().as_str(), entries)))
        };
        self.served.skills.get_or_try_init(list).await.map(Arc::clone)
    }

    /// Returns one skill by the URI of its `SKILL.md`, listed or not, with `skills/get`.
    pub async fn skill(&self, uri: &str, cancel: &CancellationToken) -> Result<SkillEntry, SkillFault> {
        let mut result = self.ask("skills/get", uri, cancel).await.map_err(SkillFault::Request)?;
        let skill = SkillEntry::read(result.get_mut("skill").map(Value::take).unwrap_or_default())?;
        if skill.uri() == uri { Ok(skill) } else { Err(SkillFault::Other { uri: cut(skill.uri(), 200) }) }
    }

    /// Returns the resources that the server lists, asked for once a session. Each page has `requestTimeoutMs`.
    pub async fn resources(&self, cancel: &CancellationToken) -> Result<Arc<ResourceListing>, McpError> {
        let list = || async {
            let entries = self.pages(Phase::Resources, cancel).await?;
            Ok(Arc::new(ResourceListing::of(&entries)))
        };
        self.served.resources.get_or_try_init(list).await.map(Arc::clone)
    }

    /// Reads a resource from the server, within `requestTimeoutMs` (30 s when absent).
    pub async fn read_resource(
        &self,
        uri: &str,
        cancel: &CancellationToken,
    ) -> Result<Vec<ResourceContent>, CallFailure> {
        let result = self.ask("resources/read", uri, cancel).await?;
        resource::read(uri, &result)
    }

    async fn pages(&self, phase: Phase, cancel: &CancellationToken) -> Result<Vec<Value>, McpError> {
        let listed = pages(self, phase.as_str(), cancel).await;
        listed.map_err(|fault| McpError { server: self.label().clone(), phase, fault })
    }

    /// Sends a request about one URI, as a call is sent. Only `resources/read` names it in a header, as the protocol has it.
    async fn ask(&self, method: &'static str, uri: &str, cancel: &CancellationToken) -> Delivery {
        let meta = self.parts.agreed.meta.as_ref();
        let name = (method == "resources/read").then_some(uri);
        let make = |inputs| Request { name, ..Request::new(method, UriParams { uri, meta, inputs }) };
        self.deliver(Wait::from_now(self.parts.limits.request, cancel), make).await
    }
}

/// The parameters of a request about one URI.
#[derive(Serialize)]
struct UriParams<'a> {
    uri: &'a str,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
    #[serde(flatten)]
    inputs: Inputs,
}
