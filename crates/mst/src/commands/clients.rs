//! `mst clients`: which clients an eval can test, and what one needs and takes.

use std::path::Path;
use std::sync::Arc;

use mst_cli::{CliError, ExitClass, SystemClock, Ui};
use mst_model::{CatalogEntry, Clock, ExtensionKind};
use serde_json::{Map, Value, json};

use super::option::ShownOption;
use crate::args::{ClientsArgs, ClientsCommand, ClientsFlags};
use crate::{builtins, error, failure, not_yet};

/// Prints the list, or one client.
pub(crate) fn run(args: &ClientsArgs, ui: &Ui) -> ExitClass {
    let (name, flags) = match &args.command {
        None => (None, &args.flags),
        Some(ClientsCommand::Show { client, flags }) => (Some(client), flags),
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

/// Refuses what this version lacks: an eval config could add clients only through plugins.
fn check(flags: &ClientsFlags) -> Result<(), CliError> {
    if flags.plugins.is_some() {
        return Err(not_yet::flag("plugins"));
    }
    flags.config.as_deref().map_or(Ok(()), no_plugins)
}

/// Refuses an eval config that lists plugins.
pub(super) fn no_plugins(path: &Path) -> Result<(), CliError> {
    let document = mst_config::read_document(path).map_err(error::diagnostics)?;
    let plugins = document.root().get("plugins").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    if plugins {
        let message = format!("{}: \"plugins\" is not available in this version of mst", path.display());
        return Err(CliError::new(ExitClass::Usage, message));
    }
    Ok(())
}

fn entries() -> Vec<CatalogEntry> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut entries = builtins::catalog(clock).entries;
    entries.retain(|entry| entry.kind == ExtensionKind::Client);
    entries.sort_by(|a, b| a.name.cmp(&b.name));
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
        let state = if entry.unavailable.is_some() { "; not available in this version" } else { "" };
        ui.text(&format!("{:width$}  {} ({}{state})", entry.name, entry.description, systems(entry)));
    }
    ui.status("`mst clients show <client>` prints what one needs and takes.");
}

/// Returns a client as the list has it.
fn summary(entry: &CatalogEntry) -> Value {
    let mut summary = json!({
        "name": entry.name,
        "description": entry.description,
        "os": entry.requirements.os,
        "available": entry.unavailable.is_none(),
    });
    if let Some(why) = &entry.unavailable {
        summary["unavailable"] = json!(why);
    }
    summary
}

fn show(name: &str, json: bool, ui: &Ui) -> Result<(), CliError> {
    let entries = entries();
    let bare = name.strip_prefix("mst/client/").unwrap_or(name);
    let Some(entry) = entries.iter().find(|entry| entry.name == bare) else {
        let names = || entries.iter().map(|entry| entry.name.as_str());
        let error = CliError::new(ExitClass::Usage, format!("no client is named {name:?}"));
        return Err(match mst_cli::nearest(bare, names()) {
            Some(near) => error.with_hint(format!("did you mean {near:?}?")),
            None => error.with_hint(format!("known: {}", names().collect::<Vec<_>>().join(", "))),
        });
    };
    let options = ShownOption::of_schema(&entry.options);
    if json {
        let mut shown: Map<String, Value> = summary(entry).as_object().cloned().unwrap_or_default();
        shown.insert("install".to_owned(), json!(entry.requirements.install));
        shown.insert("credentials".to_owned(), json!(entry.requirements.credentials));
        shown.insert("setup".to_owned(), json!(entry.requirements.setup));
        shown.insert("options".to_owned(), options.iter().map(ShownOption::to_json).collect());
        ui.data(&shown);
        return Ok(());
    }
    ui.text(&format!("{}: {}", entry.name, entry.description));
    if let Some(why) = &entry.unavailable {
        ui.text(&format!("Not available: {why}."));
    }
    ui.text(&format!("Runs on: {}", systems(entry)));
    let needs = &entry.requirements;
    for (title, lines) in [("Install", &needs.install), ("Credentials", &needs.credentials), ("Setup", &needs.setup)] {
        section(title, lines, ui);
    }
    ui.text("Options, each with what leaving it out means:");
    let width = options.iter().map(|option| option.name().len()).max().unwrap_or_default();
    for option in &options {
        ui.text(&format!("  {:width$}  {}", option.name(), option.words()));
    }
    Ok(())
}

fn section(title: &str, lines: &[String], ui: &Ui) {
    if lines.is_empty() {
        ui.text(&format!("{title}: nothing"));
        return;
    }
    ui.text(&format!("{title}:"));
    for line in lines {
        ui.text(&format!("  {line}"));
    }
}

fn systems(entry: &CatalogEntry) -> String {
    if entry.requirements.os.is_empty() { "any system".to_owned() } else { entry.requirements.os.join(", ") }
}
