//! What answered, and what that used.

use mst_ext::JudgeFault;
use mst_measure::estimate_cost;
use mst_model::{ModelPrice, Usage};

/// What a judge's calls used, and what answered them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    usage: Option<Usage>,
    pub(crate) providers: Vec<String>,
    pub(crate) models: Vec<String>,
    /// The price of the model that is asked, when the eval has one.
    price: Option<ModelPrice>,
    /// Whether something was used whose cost is not known.
    lacks_cost: bool,
}

impl Source {
    /// Starts with the price of the model that is asked.
    pub(crate) fn priced(price: Option<ModelPrice>) -> Self {
        Self { price, ..Self::default() }
    }

    /// Returns what was used together. A part whose cost is not known leaves no estimate: half a cost reads as a whole one.
    pub(crate) fn usage(&self) -> Option<Usage> {
        let usage = self.usage.clone()?;
        Some(if self.lacks_cost { Usage { estimated_cost_usd: None, ..usage } } else { usage })
    }

    /// Takes in what one answer says of itself.
    pub(crate) fn take(&mut self, usage: Option<&Usage>, provider: Option<&String>, model: Option<&String>) {
        self.spend(usage);
        note(&mut self.providers, provider);
        note(&mut self.models, model);
    }

    /// Takes in what answers used that came and were of no use.
    pub(crate) fn pay(&mut self, fault: &JudgeFault) {
        if let JudgeFault::Unusable { usage, .. } = fault {
            self.spend(Some(usage));
        }
    }

    /// Takes in all of another one.
    pub(crate) fn add(&mut self, other: &Self) {
        if let Some(usage) = &other.usage {
            self.usage.get_or_insert_default().add(usage);
        }
        self.lacks_cost |= other.lacks_cost;
        other.providers.iter().for_each(|name| note(&mut self.providers, Some(name)));
        other.models.iter().for_each(|name| note(&mut self.models, Some(name)));
    }

    fn spend(&mut self, usage: Option<&Usage>) {
        let Some(usage) = usage.filter(|usage| !usage.is_empty()) else { return };
        let mut usage = usage.clone();
        if usage.total_cost_usd.is_none()
            && let Some(price) = &self.price
        {
            usage.estimated_cost_usd = estimate_cost(&usage, price);
        }
        self.lacks_cost |= usage.cost_usd().is_none();
        self.usage.get_or_insert_default().add(&usage);
    }
}

fn note(known: &mut Vec<String>, name: Option<&String>) {
    if let Some(name) = name.filter(|name| !known.contains(name)) {
        known.push(name.clone());
    }
}

/// Returns names in one text; `None` of none.
pub(crate) fn list(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| names.join(", "))
}
