//! What follows a graded run for the machines around it: gates, files and annotations. Everything that can be wrong with
//! the flags is found before anything is spent.

mod batch;
mod ends;
mod files;
mod gates;
mod github;
mod judged;
mod known_failures;
mod places;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use mst_cli::{CliError, Env, Ui, usage};
use mst_config::{LoadRequest, Plan};
use mst_engine::RunOutcome;
use mst_model::{CaseId, VariantName};
use mst_report::{CasePlace, badge_svg, cases_sarif, junit, step_summary};

pub(crate) use self::batch::{BatchReport, EvalEnd};
use self::ends::Planned;
pub(crate) use self::github::Silenced;
pub(crate) use self::judged::Judged;
use self::known_failures::{Eval, KnownFailures};
use crate::args::{CiFlags, FailOn};

/// Checked flags, with what has to be known before a run.
pub(crate) struct Ci {
    flags: CiFlags,
    /// The step summary that Markdown is appended to, when it is the file that was named.
    step_summary: Option<PathBuf>,
    known: Option<KnownFailures>,
    /// Where each case of the eval stands, when an output points there or a list names cases.
    places: IndexMap<CaseId, CasePlace>,
    variants: Vec<VariantName>,
    planned: Vec<Planned>,
}

impl Ci {
    /// Checks the flags of a command whose eval was read.
    ///
    /// # Errors
    /// A file that cannot be written, a list of known failures that is wrong, or a flag that needs verdicts on a run that
    /// has none.
    pub(crate) fn prepare(
        flags: &CiFlags,
        request: &LoadRequest,
        plan: &Plan,
        grade: bool,
        env: &Env,
    ) -> Result<Self, CliError> {
        if let Some(flag) = flags.typed().filter(|_| !grade) {
            return Err(usage(format!("{flag} tells of verdicts, and --no-grade leaves none"))
                .with_hint("grade the run afterwards: mst grade RUN takes the same flag"));
        }
        files::check(flags)?;
        let points = flags.github || flags.sarif.is_some() || flags.known_failures.is_some();
        let places = if points { places::find(request, env)? } else { IndexMap::new() };
        let variants: Vec<VariantName> = plan.variants.iter().map(|variant| variant.name.clone()).collect();
        let known = match &flags.known_failures {
            Some(path) => {
                let eval = Eval { cases: &places, variants: places::variants(request)? };
                Some(KnownFailures::read(path, flags.update_known_failures, &eval)?)
            }
            None => None,
        };
        Ok(Self {
            step_summary: files::step_summary(flags, env),
            planned: if flags.typed().is_some() { ends::planned(plan) } else { Vec::new() },
            flags: flags.clone(),
            known,
            places,
            variants,
        })
    }

    /// Returns what the run came to at its gates. A list of known failures is rewritten first where that was asked for.
    ///
    /// # Errors
    /// The run's results cannot be read, or the list cannot be written.
    pub(crate) fn judge(&self, outcome: &RunOutcome, ui: &Ui) -> Result<Judged, CliError> {
        let fails_on = if self.flags.fail_on.is_empty() { &[FailOn::Cases][..] } else { &self.flags.fail_on };
        if self.flags.typed().is_none() {
            return Ok(Judged::default());
        }
        // What a decided comparison left out was not wanted any more.
        let is_stopped = outcome.record.selection.as_ref().is_some_and(|selection| selection.stopped_when.is_some());
        let planned = if is_stopped { &[][..] } else { &self.planned };
        let mut run = ends::read(outcome, planned, &self.places)?;
        if let Some(known) = &self.known {
            let updated;
            let known = if self.flags.update_known_failures {
                updated = known.update(&run.cases, &self.places, self.variants.len() > 1)?;
                ui.status(&updated.words());
                &updated
            } else {
                known
            };
            for case in &mut run.cases {
                case.known = known.reason(&case.variant, &case.id).map(str::to_owned);
            }
        }
        let gates = gates::ends(fails_on, self.known.is_some(), outcome, &run)?;
        let is_told = !self.flags.fail_on.is_empty() || self.known.is_some();
        Ok(Judged::new(run, gates, is_told))
    }

    /// Writes what the flags ask for.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(&self, judged: &Judged) -> Result<(), CliError> {
        let Some(run) = judged.run() else { return Ok(()) };
        let (flags, gates) = (&self.flags, judged.gates());
        let write = |file: &Option<PathBuf>, text: &dyn Fn() -> String| match file {
            Some(path) => files::write(path, &text()),
            None => Ok(()),
        };
        write(&flags.junit, &|| junit(std::slice::from_ref(run), &[]))?;
        write(&flags.sarif, &|| format!("{:#}\n", cases_sarif(run)))?;
        write(&flags.badge, &|| badge_svg(run, gates))?;
        if let Some(path) = &flags.markdown {
            let text = step_summary(run, gates);
            match &self.step_summary {
                Some(summary) => files::append(summary, &text)?,
                None => files::write(path, &text)?,
            }
        }
        Ok(())
    }
}

/// Returns a path as messages show it.
fn shown(path: &Path) -> String {
    mst_cli::printable(&path.display().to_string())
}
