//! The registry: the only door to clients, judges and result stores, built-in and plugin alike.

use std::sync::Arc;

use mst_model::{Catalog, CatalogEntry, ExtensionKind, Requirements};

use crate::contract::{Client, Judge, JudgeDefinition, PairwiseJudge, ResultStore};

/// Names bound to code.
#[derive(Clone, Default)]
pub struct Registry {
    clients: Vec<(String, Arc<dyn Client>)>,
    judges: Vec<(String, Arc<dyn Judge>)>,
    pairwise_judges: Vec<(String, Arc<dyn PairwiseJudge>)>,
    result_stores: Vec<(String, Arc<dyn ResultStore>)>,
    data_only: Vec<CatalogEntry>,
}

impl Registry {
    /// Makes an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a client under its own name; a later one of the same name replaces it.
    pub fn add_client(&mut self, client: Arc<dyn Client>) {
        let name = client.definition().name;
        self.clients.retain(|(known, _)| *known != name);
        self.clients.push((name, client));
    }

    /// Registers a judge under its own name; a later one of the same name replaces it.
    pub fn add_judge(&mut self, judge: Arc<dyn Judge>) {
        let name = judge.definition().name;
        self.judges.retain(|(known, _)| *known != name);
        self.judges.push((name, judge));
    }

    /// Registers a pairwise judge under its own name; a later one of the same name replaces it.
    pub fn add_pairwise_judge(&mut self, judge: Arc<dyn PairwiseJudge>) {
        let name = judge.definition().name;
        self.pairwise_judges.retain(|(known, _)| *known != name);
        self.pairwise_judges.push((name, judge));
    }

    /// Registers a kind of result store under its own name; a later one of the same name replaces it.
    pub fn add_result_store(&mut self, store: Arc<dyn ResultStore>) {
        let name = store.definition().name;
        self.result_stores.retain(|(known, _)| *known != name);
        self.result_stores.push((name, store));
    }

    /// Registers a name that has no code behind it here: a metric, a dataset source, or what this version lacks.
    pub fn add_entry(&mut self, entry: CatalogEntry) {
        self.data_only.push(entry);
    }

    /// Returns a client by its bare or full name.
    pub fn client(&self, name: &str) -> Option<Arc<dyn Client>> {
        let name = name.strip_prefix("mst/client/").unwrap_or(name);
        self.clients.iter().find(|(known, _)| known == name).map(|(_, client)| Arc::clone(client))
    }

    /// Returns a judge by its bare or full name.
    pub fn judge(&self, name: &str) -> Option<Arc<dyn Judge>> {
        let name = name.strip_prefix("mst/judge/").unwrap_or(name);
        self.judges.iter().find(|(known, _)| known == name).map(|(_, judge)| Arc::clone(judge))
    }

    /// Returns a pairwise judge by its bare or full name.
    pub fn pairwise_judge(&self, name: &str) -> Option<Arc<dyn PairwiseJudge>> {
        let name = name.strip_prefix("mst/pairwise-judge/").unwrap_or(name);
        self.pairwise_judges.iter().find(|(known, _)| known == name).map(|(_, judge)| Arc::clone(judge))
    }

    /// Returns a kind of result store by its bare or full name.
    pub fn result_store(&self, name: &str) -> Option<Arc<dyn ResultStore>> {
        let name = name.strip_prefix("mst/result-store/").unwrap_or(name);
        self.result_stores.iter().find(|(known, _)| known == name).map(|(_, store)| Arc::clone(store))
    }

    /// Returns what is registered, as plain data.
    pub fn catalog(&self) -> Catalog {
        let clients = self.clients.iter().map(|(name, client)| {
            let definition = client.definition();
            CatalogEntry {
                kind: ExtensionKind::Client,
                name: name.clone(),
                description: definition.description,
                options: definition.options,
                tool_metadata: definition.tool_metadata,
                max_concurrency: definition.max_concurrency,
                requirements: definition.requirements,
                requires: Vec::new(),
                version: None,
                swap_positions: None,
                unavailable: None,
            }
        });
        let judges =
            self.judges.iter().map(|(name, judge)| judge_entry(ExtensionKind::Judge, name, judge.definition()));
        let pairwise = self.pairwise_judges.iter().map(|(name, judge)| CatalogEntry {
            swap_positions: Some(judge.swaps_positions()),
            ..judge_entry(ExtensionKind::PairwiseJudge, name, judge.definition())
        });
        let stores = self.result_stores.iter().map(|(name, store)| {
            let definition = store.definition();
            CatalogEntry {
                kind: ExtensionKind::ResultStore,
                name: name.clone(),
                description: definition.description,
                options: definition.options,
                tool_metadata: false,
                max_concurrency: None,
                requirements: Requirements::default(),
                requires: Vec::new(),
                version: None,
                swap_positions: None,
                unavailable: None,
            }
        });
        let coded = clients.chain(judges).chain(pairwise).chain(stores);
        Catalog { entries: coded.chain(self.data_only.iter().cloned()).collect() }
    }
}

fn judge_entry(kind: ExtensionKind, name: &str, definition: JudgeDefinition) -> CatalogEntry {
    CatalogEntry {
        kind,
        name: name.to_owned(),
        description: definition.description,
        options: definition.options,
        tool_metadata: false,
        max_concurrency: None,
        requirements: Requirements::default(),
        requires: definition.requires,
        version: definition.version,
        swap_positions: None,
        unavailable: None,
    }
}
