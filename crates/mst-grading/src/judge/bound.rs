//! A judge's setting bound to its code.

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use mst_ext::{Judge, JudgeDefinition, JudgeFault};
use mst_model::{JudgeSetting, ModelPrice, content_hash};
use serde_json::{Map, Value, json};

use super::identity::{Rules, identity, identity_of_set};

/// A judge ready to be asked: its options parsed, its jury seated, its identity known.
///
/// It holds nothing of a case: settings that differ only in their reference may share one.
#[derive(Clone)]
pub struct BoundJudge {
    pub(super) judge: Arc<dyn Judge>,
    pub(super) definition: JudgeDefinition,
    pub(super) rules: Rules,
    /// The judge alone, or each member of its jury.
    pub(super) seats: Vec<Seat>,
    pub(super) is_jury: bool,
    name: String,
    identity: String,
}

/// One judge that is asked: the judge itself, or a member of a jury.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seat {
    /// How messages name a member of a jury.
    pub(super) label: String,
    pub(super) identity: String,
    /// The options as parsed.
    pub(super) options: Map<String, Value>,
    /// The options as written.
    written: Map<String, Value>,
    /// The price of its model, when the eval has one.
    pub(super) price: Option<ModelPrice>,
}

impl Seat {
    fn model(&self) -> Option<&str> {
        self.options.get("model")?.as_str()
    }
}

/// Why a setting cannot be bound to its judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindFault {
    /// The judge does not take the options.
    #[error("judge {judge:?}: {what}")]
    Options {
        /// The judge's name in results.
        judge: String,
        /// What is wrong.
        what: String,
    },
    /// The judge does not take what a member of its jury changes of the options.
    #[error("judge {judge:?}, {member}: {what}")]
    Member {
        /// The judge's name in results.
        judge: String,
        /// The member.
        member: String,
        /// What is wrong.
        what: String,
    },
    /// Two members of a jury are the same judge.
    #[error("judge {judge:?}: jury members {first} and {second} are the same judge")]
    EqualMembers {
        /// The judge's name in results.
        judge: String,
        /// The earlier one, from 1.
        first: usize,
        /// The later one, from 1.
        second: usize,
    },
}

impl BoundJudge {
    /// Binds a setting to the judge it names.
    pub fn bind(setting: &JudgeSetting, judge: Arc<dyn Judge>) -> Result<Self, BindFault> {
        let definition = judge.definition();
        let rules = Rules { threshold: setting.threshold, reps: setting.reps.max(1) };
        let seat = |label: String, written: Map<String, Value>| -> Result<Seat, String> {
            let options = judge.parse(&written)?;
            let identity = identity(judge.as_ref(), &definition, &options, rules);
            Ok(Seat { label, identity, options, written, price: None })
        };
        let name = || setting.name.clone();
        let is_jury = !setting.jury.is_empty();
        let mut seats: Vec<Seat> = Vec::new();
        for (index, member) in setting.jury.iter().enumerate() {
            let mut written = setting.options.clone();
            written.extend(member.clone());
            let label = label(index, member);
            let member = seat(label.clone(), written).map_err(|what| BindFault::Member {
                judge: name(),
                member: label,
                what,
            })?;
            if let Some(first) = seats.iter().position(|known| known.identity == member.identity) {
                return Err(BindFault::EqualMembers { judge: name(), first: first + 1, second: index + 1 });
            }
            seats.push(member);
        }
        if !is_jury {
            let alone = seat(String::new(), setting.options.clone());
            seats.push(alone.map_err(|what| BindFault::Options { judge: name(), what })?);
        }
        let identity = together(is_jury, seats.iter().map(|seat| seat.identity.clone()).collect());
        Ok(Self { judge, definition, rules, seats, is_jury, name: name(), identity })
    }

    /// Gives each model that it asks its price, so that what its answers cost is estimated. Who it is does not change.
    #[must_use]
    pub fn priced(mut self, pricing: &IndexMap<String, ModelPrice>) -> Self {
        for seat in &mut self.seats {
            seat.price = seat.model().and_then(|model| pricing.get(model)).copied();
        }
        self
    }

    /// Returns the name that results give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its identity: SHA-256 (64 hex digits) over the canonical JSON of everything that can change how it grades;
    /// of a jury, over the set of its members' identities.
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

    /// Returns the models that its options name, one a member of a jury.
    pub fn models(&self) -> Vec<&str> {
        self.seats.iter().filter_map(Seat::model).collect()
    }

    /// Returns SHA-256 (64 hex digits) of the canonical JSON of its options as parsed; of a jury, of the list of its
    /// members'.
    pub fn options_hash(&self) -> String {
        match self.seats.as_slice() {
            [alone] if !self.is_jury => content_hash(&alone.options),
            seats => content_hash(&seats.iter().map(|seat| &seat.options).collect::<Vec<_>>()),
        }
    }

    /// Returns whether it asks a model, which is not done for a trial whose client had an error.
    pub fn calls_model(&self) -> bool {
        self.judge.calls_model()
    }

    /// Returns the identity of what decides one criterion: the judge's own, unless the judge says which of its options
    /// decide that one alone; of a jury, that of the set of its members'.
    ///
    /// # Errors
    /// When the judge does not take the options that it named.
    pub fn criterion_identity(&self, id: &str) -> Result<String, String> {
        let members: Result<Vec<String>, String> =
            self.seats.iter().map(|seat| self.criterion_identity_at(seat, id)).collect();
        Ok(together(self.is_jury, members?))
    }

    pub(super) fn criterion_identity_at(&self, seat: &Seat, id: &str) -> Result<String, String> {
        match self.judge.criterion_options(&seat.written, id) {
            None => Ok(seat.identity.clone()),
            Some(written) => {
                let options = self.judge.parse(&written).map_err(|what| format!("the criterion {id:?}: {what}"))?;
                Ok(identity(self.judge.as_ref(), &self.definition, &options, self.rules))
            }
        }
    }

    /// Returns what tells distinct settings apart for [`BoundJudge::preflight`]: equal keys need it once.
    pub fn preflight_key(&self) -> String {
        let options: Vec<&Map<String, Value>> = self.seats.iter().map(|seat| &seat.options).collect();
        content_hash(&json!({ "judge": self.definition.name, "options": options }))
    }

    /// Checks that the judge, or each member of its jury, can run at all. Never calls a model.
    ///
    /// # Errors
    /// Why it cannot; of a jury, with the member's name.
    pub async fn preflight(&self) -> Result<(), JudgeFault> {
        for seat in &self.seats {
            let checked = self.judge.preflight(&seat.options).await;
            checked.map_err(|fault| if self.is_jury { of_member(fault, &seat.label) } else { fault })?;
        }
        Ok(())
    }
}

impl fmt::Debug for BoundJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundJudge").field("name", &self.name).field("identity", &self.identity).finish_non_exhaustive()
    }
}

fn together(is_jury: bool, mut members: Vec<String>) -> String {
    match members.pop() {
        Some(alone) if !is_jury => alone,
        last => identity_of_set(members.into_iter().chain(last).collect()),
    }
}

/// Returns how messages name a jury's member: by its place, and by its model where it has one of its own.
fn label(index: usize, member: &Map<String, Value>) -> String {
    let place = index + 1;
    match member.get("model").and_then(Value::as_str) {
        Some(model) => format!("jury member {place} ({model})"),
        None => format!("jury member {place}"),
    }
}

/// Returns a fault that says which member of a jury has it.
pub(super) fn of_member(fault: JudgeFault, label: &str) -> JudgeFault {
    match fault {
        JudgeFault::Cancelled => JudgeFault::Cancelled,
        JudgeFault::Credentials(why) => JudgeFault::Credentials(format!("{label}: {why}")),
        JudgeFault::Unusable { why, usage } => JudgeFault::Unusable { why: format!("{label}: {why}"), usage },
        JudgeFault::Failed(why) => JudgeFault::Failed(format!("{label}: {why}")),
    }
}
