//! A run with what its gates came to.

use mst_cli::{ExitClass, Ui};
use mst_engine::RunOutcome;
use mst_report::{Gate, RunEnds};
use serde_json::{Value, json};

use super::gates;
use crate::screen;

/// A run with what its gates came to. Of a run that no flag asks about, nothing: it fails when a case did.
#[derive(Default)]
pub(crate) struct Judged {
    run: Option<Box<RunEnds>>,
    gates: Vec<Gate>,
    /// Whether the gates were asked for, so that they are told.
    is_told: bool,
}

impl Judged {
    pub(super) fn new(run: RunEnds, gates: Vec<Gate>, is_told: bool) -> Self {
        Self { run: Some(Box::new(run)), gates, is_told }
    }

    pub(super) fn run(&self) -> Option<&RunEnds> {
        self.run.as_deref()
    }

    pub(super) fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// Returns the exit class of the run: what kept it from being whole, and what its gates say.
    pub(crate) fn class(&self, outcome: &RunOutcome) -> ExitClass {
        if self.run.is_none() {
            return screen::exit_class(outcome);
        }
        let gates = self.gates.iter().map(gates::class);
        ExitClass::first(screen::shortfall_classes(outcome).into_iter().chain(gates))
    }

    /// Prints the gates on stderr.
    pub(crate) fn print(&self, ui: &Ui) {
        for gate in self.gates.iter().filter(|_| self.is_told) {
            ui.remark(&mst_cli::printable(&format!("Gate {}: {}: {}.", gate.name, gate.end.as_str(), gate.why)));
        }
    }

    /// Adds the gates to a run's JSON.
    pub(crate) fn add_to(&self, shown: &mut Value) {
        if self.is_told {
            let gate = |gate: &Gate| json!({ "name": gate.name, "end": gate.end.as_str(), "why": gate.why });
            shown["gates"] = self.gates.iter().map(gate).collect();
        }
    }
}
