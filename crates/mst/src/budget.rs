//! Whether a run can have the budget that was typed, and where in the eval config it cannot.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mst_cli::CliError;
use mst_config::{Code, Plan, read_document};
use mst_engine::{BudgetFault, RunError, check_budget};
use mst_model::Clock;

use crate::args::BudgetFlags;
use crate::{builtins, error};

/// A run with a budget, before it begins.
pub(crate) struct Limited<'a> {
    pub(crate) flags: &'a BudgetFlags,
    pub(crate) config: &'a Path,
    pub(crate) plan: &'a Plan,
    /// Whether judges are asked.
    pub(crate) grade: bool,
    pub(crate) is_replayed: bool,
}

impl Limited<'_> {
    /// Refuses a budget that could not be held, with the place in the config that it is about.
    pub(crate) fn check(
        &self,
        variables: &Arc<BTreeMap<String, String>>,
        clock: &Arc<dyn Clock>,
    ) -> Result<(), CliError> {
        let budget = self.flags.budget();
        if budget.is_none() {
            return Ok(());
        }
        if self.is_replayed {
            return Err(error::run(BudgetFault::Replayed.into()));
        }
        let pool = Arc::new(builtins::pool(variables, None, None));
        let registry = Arc::new(builtins::registry(pool, variables, Arc::clone(clock), None));
        match check_budget(self.plan, &registry, &budget, self.grade) {
            Ok(()) => Ok(()),
            Err(RunError::Budget(fault)) => Err(self.placed(&fault)),
            Err(other) => Err(error::run(other)),
        }
    }

    /// Returns a fault as an error that shows its place in the config.
    fn placed(&self, fault: &BudgetFault) -> CliError {
        let (key, code, help) = match fault {
            BudgetFault::Redacted => (
                "redactStoredResponses",
                Code::Conflict,
                "set \"redactStoredResponses\": false; it is true when it is left out".to_owned(),
            ),
            BudgetFault::Unpriced { models } => (
                "pricing",
                Code::MissingKey,
                format!(
                    "add to \"pricing\": {}",
                    models.iter().map(|model| price_of(model)).collect::<Vec<_>>().join(", ")
                ),
            ),
            BudgetFault::Replayed => return error::run(fault.clone().into()),
        };
        let document = match read_document(self.config) {
            Ok(document) => document,
            Err(diagnostics) => return error::diagnostics(diagnostics),
        };
        // A key that is not there is missing in the whole.
        let pointer = document.root().get(key).map_or_else(String::new, |_| format!("/{key}"));
        error::diagnostics(document.diagnose(&pointer, code, fault.to_string(), Some(help)))
    }
}

fn price_of(model: &str) -> String {
    let key = if model.starts_with('"') { model } else { "\"<model>\"" };
    format!("{key}: {{ \"input\": …, \"output\": … }} (USD per million tokens)")
}
