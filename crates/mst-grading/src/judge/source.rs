//! What answered, and what that used.

use mst_ext::JudgeFault;
use mst_model::Usage;

/// What a judge's calls used, and what answered them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) usage: Option<Usage>,
    pub(crate) providers: Vec<String>,
    pub(crate) models: Vec<String>,
}

impl Source {
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
        self.spend(other.usage.as_ref());
        other.providers.iter().for_each(|name| note(&mut self.providers, Some(name)));
        other.models.iter().for_each(|name| note(&mut self.models, Some(name)));
    }

    fn spend(&mut self, usage: Option<&Usage>) {
        if let Some(usage) = usage.filter(|usage| !usage.is_empty()) {
            self.usage.get_or_insert_default().add(usage);
        }
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
