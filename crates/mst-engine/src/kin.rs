//! Which judges ask models of the family whose answers they rate.

use indexmap::{IndexMap, IndexSet};
use mst_measure::is_same_family;
use mst_model::ModelFamily;

/// The judges of a plan that rate their own family, each with the models on both sides.
#[derive(Debug, Default)]
pub(crate) struct Kin {
    /// By judge and family.
    found: IndexMap<(String, ModelFamily), Pair>,
}

#[derive(Debug, Default)]
struct Pair {
    judges: IndexSet<String>,
    clients: IndexSet<String>,
}

impl Kin {
    /// Takes in a judge, by the models that it asks, of a case that a client's model answers.
    pub(crate) fn add(&mut self, judge: &str, models: Vec<&str>, client: &str) {
        for model in models.into_iter().filter(|model| is_same_family(client, model)) {
            let Some(family) = ModelFamily::of(model) else { continue };
            let pair = self.found.entry((judge.to_owned(), family)).or_default();
            pair.judges.insert(model.to_owned());
            pair.clients.insert(client.to_owned());
        }
    }

    /// Returns a line for each judge and family.
    pub(crate) fn warnings(self) -> impl Iterator<Item = String> {
        self.found.into_iter().map(|((judge, _), Pair { judges, clients })| {
            let (asked, rated) = (list(&judges), list(&clients));
            let whose = if clients.len() == 1 { "client's" } else { "clients'" };
            format!(
                "the judge {judge:?} asks {asked}, of the same family as the {whose} {rated}: a model tends to rate its own \
                 family's answers higher"
            )
        })
    }
}

fn list(models: &IndexSet<String>) -> String {
    models.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
