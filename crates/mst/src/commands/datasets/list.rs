//! The list of datasets.

use mst_cli::{CliError, ExitClass, Ui, plural};
use mst_config::declared_datasets;
use serde_json::{Value, json};

use super::found::{Found, counted};
use crate::args::DatasetsFlags;
use crate::error;

/// Prints the eval config's datasets. Without one there are none: built-in sources read what a config names.
pub(super) fn print(flags: &DatasetsFlags, json: bool, ui: &Ui) -> Result<ExitClass, CliError> {
    let mut rows = Vec::new();
    let mut class = ExitClass::Success;
    if let Some(config) = &flags.config {
        for declared in declared_datasets(config).map_err(error::diagnostics)? {
            let found = declared
                .source
                .map_err(|why| CliError::new(ExitClass::Usage, why))
                .and_then(|source| Found::load(&declared.name, &source, flags));
            rows.push(row(&declared.name, &found));
            if let Err(error) = found {
                ui.error(&error);
                class = ExitClass::Usage;
            }
        }
    }
    if json {
        ui.data(&rows);
    } else {
        for row in &rows {
            ui.text(&words(row));
        }
    }
    if rows.is_empty() {
        ui.status(
            "No datasets: plugins, which bring some, are not in this version; --config lists those of an eval config.",
        );
    }
    Ok(class)
}

/// Returns a dataset as the list has it: `{ ref, description?, cases?, tags?, error? }`.
fn row(name: &str, found: &Result<Found, CliError>) -> Value {
    let mut row = json!({ "ref": name });
    match found {
        Err(error) => row["error"] = json!(error.message),
        Ok(found) => {
            let dataset = &found.loaded.dataset;
            if let Some(description) = &dataset.description {
                row["description"] = json!(description);
            }
            row["cases"] = json!(dataset.cases.len());
            let tags = counted(dataset.cases.iter().flat_map(|case| &case.tags).map(String::as_str));
            if !tags.is_empty() {
                row["tags"] = tags.iter().map(|(tag, _)| tag.as_str()).collect();
            }
        }
    }
    row
}

fn words(row: &Value) -> String {
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    let name = text("ref").unwrap_or_default();
    if let Some(error) = text("error") {
        return format!("{name}  cannot be used: {error}");
    }
    let cases = row["cases"].as_u64().unwrap_or_default() as usize;
    let mut line = format!("{name}  {}", plural(cases, "case"));
    let tags: Vec<&str> = row["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !tags.is_empty() {
        line += "; tags: ";
        line += &tags.join(", ");
    }
    if let Some(description) = text("description") {
        line += "; ";
        line += description;
    }
    line
}
