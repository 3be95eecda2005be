//! What became of one eval of a batch.

use std::path::Path;

use mst_cli::{CliError, ExitClass, Ui};
use mst_engine::RunOutcome;
use serde_json::{Value, json};

use super::eval::Eval;
use super::existing::Existing;
use crate::args::BudgetFlags;
use crate::ci::EvalEnd;
use crate::publish::Published;
use crate::screen;

/// What became of an eval.
pub(super) enum Item<'a> {
    /// It ran, whatever its cases came to, and was published.
    Ran(Box<RunOutcome>, Box<Published>),
    /// It did not start, or stopped with an error.
    Failed(CliError),
    /// A run that is there makes another one needless.
    Skipped(&'a Existing),
    /// The batch was stopped before its turn.
    NotRun,
}

/// How the batch was started, for the hints.
#[derive(Clone, Copy)]
pub(super) struct Again<'a> {
    /// Whether the evals' directories are not the ones that `mst run` would take.
    pub(super) given_output_dir: bool,
    pub(super) root_dir: &'a Path,
    pub(super) secrets_file: Option<&'a Path>,
    pub(super) results: Option<&'a str>,
    pub(super) allow_live_writes: bool,
}

impl Item<'_> {
    /// Returns what the eval adds to the batch's exit code.
    pub(super) fn class(&self) -> ExitClass {
        match self {
            Self::Ran(outcome, published) => published.class(outcome),
            Self::Failed(error) => error.class,
            Self::Skipped(existing) => existing.class(),
            Self::NotRun => ExitClass::Interrupted,
        }
    }

    /// Prints the eval's line on stdout, unless JSON is to come, and on stderr why it is so and what can be done.
    pub(super) fn print(&self, eval: &Eval, again: &Again<'_>, json: bool, ui: &Ui) {
        let config = eval.config.display();
        let line = match self {
            Self::Ran(outcome, _) => screen::verdict(outcome),
            Self::Failed(error) => format!("not run to its end: {}", error.message),
            Self::Skipped(existing) => format!("skipped; {}", existing.words()),
            Self::NotRun => "not run".to_owned(),
        };
        if !json {
            ui.text(&format!("{config}: {line}"));
        }
        let failed = |error: &CliError| {
            let mut error = error.clone();
            error.message = format!("{config}: {}", error.message);
            ui.error(&error);
        };
        match self {
            Self::Ran(outcome, published) => {
                screen::failures(outcome, |line| ui.remark(line));
                let again = screen::Again {
                    config: &eval.config,
                    output_dir: Some(eval.loaded.output_dir.as_path()).filter(|_| again.given_output_dir),
                    root_dir: Some(again.root_dir).filter(|root| *root != Path::new(".")),
                    secrets_file: again.secrets_file,
                    judge_cache: None,
                    results: again.results,
                    allow_live_writes: again.allow_live_writes,
                    budget: BudgetFlags::default(),
                };
                screen::notes(outcome, &again, ui);
                screen::report(published, ui);
                if let Some(failure) = &published.failure {
                    failed(failure);
                }
            }
            Self::Failed(error) => failed(error),
            Self::Skipped(_) | Self::NotRun => {}
        }
    }

    /// Returns what a report of tests says of it.
    pub(super) fn end<'e>(&self, eval: &'e Eval) -> EvalEnd<'e> {
        let plan = &eval.loaded.plan;
        let none = |why: &str| EvalEnd::None { name: plan.name.clone(), why: why.to_owned() };
        match self {
            Self::Ran(outcome, _) => EvalEnd::Run { directory: outcome.directory.clone(), plan },
            // The flags exclude each other: a run that lies in a result store alone has no cases here.
            Self::Skipped(_) => none("it was skipped"),
            Self::Failed(error) => none(&error.message),
            Self::NotRun => none("the batch was stopped before its turn"),
        }
    }

    /// Returns the item as `--json` prints it.
    pub(super) fn to_json(&self, eval: &Eval) -> Value {
        let mut shown = json!({
            "config": eval.config.display().to_string(),
            "name": eval.loaded.plan.name,
            "outputDir": eval.loaded.output_dir.display().to_string(),
            "class": self.class().name(),
        });
        match self {
            Self::Ran(outcome, published) => {
                if let Some(failure) = &published.failure {
                    shown["error"] = failure.to_json()["error"].take();
                }
                shown["runId"] = json!(outcome.record.run_id);
                shown["directory"] = json!(outcome.directory.display().to_string());
                shown["summary"] = screen::to_json(outcome);
            }
            Self::Failed(error) => shown["error"] = error.to_json()["error"].take(),
            Self::Skipped(existing) => {
                shown["skipped"] = json!(true);
                shown["runId"] = json!(existing.run_id);
                shown["directory"] = json!(existing.directory);
                shown["summary"] = json!(existing.summary);
            }
            Self::NotRun => shown["notRun"] = json!(true),
        }
        shown
    }
}
