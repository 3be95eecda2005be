//! `mst judges`: which judges can grade a trial, what one asks, needs and takes, and what it is worth.

mod selftest;

use std::sync::Arc;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui};
use mst_model::{CatalogEntry, Clock, ExtensionKind};
use serde_json::{Map, Value, json};

use super::clients::no_plugins;
use super::option::ShownOption;
use crate::args::{JudgesArgs, JudgesCommand, JudgesFlags};
use crate::{builtins, failure, not_yet};

/// Prints the list, or one judge.
pub(crate) fn run(args: &JudgesArgs, ui: &Ui, env: &Env) -> ExitClass {
    let (name, flags) = match &args.command {
        Some(JudgesCommand::Selftest(selftest)) => {
            let json = selftest.json || args.flags.json;
            let done = check(&args.flags).and_then(|()| selftest::run(selftest, json, ui, env));
            return done.unwrap_or_else(|error| failure::told(&error, json, ui));
        }
        None => (None, &args.flags),
        Some(JudgesCommand::List { flags }) => (None, flags),
        Some(JudgesCommand::Show { judge, flags }) => (Some(judge), flags),
        Some(JudgesCommand::Other(words)) => {
            return failure::told(&not_yet::judges_command(words), args.flags.json, ui);
        }
    };
    let json = flags.json || args.flags.json;
    let printed = check(&args.flags).and_then(|()| check(flags)).and_then(|()| match name {
        None => {
            list(json, ui);
            Ok(())
        }
        Some(name) => show(name, json, ui),
    });
    match printed {
        Ok(()) => ExitClass::Success,
        Err(error) => failure::told(&error, json, ui),
    }
}

/// Refuses what this version lacks: an eval config could add judges only through plugins.
fn check(flags: &JudgesFlags) -> Result<(), CliError> {
    if flags.plugins.is_some() {
        return Err(not_yet::flag("plugins"));
    }
    flags.config.as_deref().map_or(Ok(()), no_plugins)
}

/// Returns the judges, those that compare two variants last.
fn entries() -> Vec<CatalogEntry> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut entries = builtins::catalog(clock).entries;
    entries.retain(|entry| matches!(entry.kind, ExtensionKind::Judge | ExtensionKind::PairwiseJudge));
    entries.sort_by_key(|entry| entry.kind);
    entries
}

fn list(json: bool, ui: &Ui) {
    let entries = entries();
    if json {
        ui.data(&entries.iter().map(summary).collect::<Vec<_>>());
        return;
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or_default();
    for entry in &entries {
        let pairwise = if entry.kind == ExtensionKind::PairwiseJudge { " (compares two variants)" } else { "" };
        ui.text(&format!("{:width$}  {}{pairwise}", entry.name, entry.description));
    }
    ui.status("`mst judges show <judge>` prints what one needs and takes.");
}

/// Returns a judge as the list has it.
fn summary(entry: &CatalogEntry) -> Value {
    let kind = if entry.kind == ExtensionKind::PairwiseJudge { "pairwise" } else { "judge" };
    let mut summary = json!({
        "reference": entry.name,
        "kind": kind,
        "description": entry.description,
        "requires": entry.requires,
    });
    if let Some(version) = &entry.version {
        summary["version"] = json!(version);
    }
    if let Some(swaps) = entry.swap_positions {
        summary["swapPositions"] = json!(swaps);
    }
    summary
}

fn show(name: &str, json: bool, ui: &Ui) -> Result<(), CliError> {
    let entries = entries();
    let is_named = |entry: &&CatalogEntry| entry.name == name || format!("mst/{}/{}", entry.kind, entry.name) == name;
    let Some(entry) = entries.iter().find(is_named) else {
        let names = || entries.iter().map(|entry| entry.name.as_str());
        let error = CliError::new(ExitClass::Usage, format!("no judge is named {name:?}"));
        return Err(match mst_cli::nearest(name, names()) {
            Some(near) => error.with_hint(format!("did you mean {near:?}?")),
            None => error.with_hint(format!("known: {}", names().collect::<Vec<_>>().join(", "))),
        });
    };
    if json {
        let mut shown: Map<String, Value> = summary(entry).as_object().cloned().unwrap_or_default();
        shown.insert("options".to_owned(), entry.options.clone());
        ui.data(&shown);
        return Ok(());
    }
    ui.text(&format!("{}: {}", entry.name, entry.description));
    let given =
        if entry.swap_positions.is_some() { "nothing beyond the two trials" } else { "nothing beyond the trial" };
    let needs = if entry.requires.is_empty() { given.to_owned() } else { entry.requires.join(", ") };
    ui.text(&format!("Needs: {needs}"));
    if let Some(swaps) = entry.swap_positions {
        let orders = if swaps { "both, and the two answers are reconciled" } else { "one" };
        ui.text(&format!("Orders: {orders}"));
    }
    let version = entry.version.as_deref().unwrap_or("none, so that nothing shows a change of it");
    ui.text(&format!("Version: {version}"));
    let options = ShownOption::of_schema(&entry.options);
    ui.text("Options, each with what leaving it out means:");
    let width = options.iter().map(|option| option.name().len()).max().unwrap_or_default();
    for option in &options {
        ui.text(&format!("  {:width$}  {}", option.name(), option.words()));
    }
    Ok(())
}
