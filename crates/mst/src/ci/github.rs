//! GitHub's workflow commands: it reads them from every line of a step's output, so that a model's words could be one.

use mst_cli::{CliError, ExitClass, Ui, random_seed};
use mst_model::sha256_hex;
use mst_report::annotations;

use super::judged::Judged;

/// A time in which GitHub takes no line of the output for a command. It ends when this is dropped, whatever happened.
///
/// Answers, tools' results and judges' words stand on the screen. Without this, a line such as `::add-mask::a` in one of
/// them would act on the job.
pub(crate) struct Silenced {
    /// The word that ends it, which nobody can guess.
    token: Option<String>,
    ui: Ui,
}

impl Silenced {
    /// Begins, where the job's output is read by GitHub.
    ///
    /// # Errors
    /// This machine has no randomness.
    pub(crate) fn begin(github: bool, ui: &Ui) -> Result<Self, CliError> {
        let mut silenced = Self { token: None, ui: ui.clone() };
        if github {
            let seed = random_seed().map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))?;
            let token = sha256_hex(&seed.0)[..32].to_owned();
            ui.raw_error(&format!("::stop-commands::{token}\n"));
            silenced.token = Some(token);
        }
        Ok(silenced)
    }

    /// Ends, and prints a run's annotations where GitHub reads them.
    pub(crate) fn annotate(self, judged: &Judged, ui: &Ui) {
        let github = self.token.is_some();
        drop(self);
        for line in judged.run().filter(|_| github).into_iter().flat_map(|run| annotations(run, judged.gates())) {
            ui.raw_error(&format!("{line}\n"));
        }
    }
}

impl Drop for Silenced {
    fn drop(&mut self) {
        if let Some(token) = self.token.take() {
            self.ui.raw_error(&format!("::{token}::\n"));
        }
    }
}
