//! What a dataset holds.

use mst_cli::{ExitClass, Ui};
use serde_json::{Map, Value, json};

use super::found::{Found, counted};

/// How many case ids are printed.
const IDS: usize = 10;

/// Prints a dataset.
pub(super) fn print(found: &Found, json: bool, ui: &Ui) -> ExitClass {
    let dataset = &found.loaded.dataset;
    let tags = counted(dataset.cases.iter().flat_map(|case| &case.tags).map(String::as_str));
    let judge = |judge: &Value| judge.as_str().or_else(|| judge.get("type")?.as_str()).unwrap_or("?").to_owned();
    let judges: Vec<String> = dataset.cases.iter().flat_map(|case| &case.judges).map(judge).collect();
    let judges = counted(judges.iter().map(String::as_str));
    let ids: Vec<&str> = dataset.cases.iter().map(|case| case.id.as_str()).collect();
    if json {
        let map = |counts: &[(String, usize)]| -> Map<String, Value> {
            counts.iter().map(|(word, count)| (word.clone(), json!(count))).collect()
        };
        let mut shown = json!({ "ref": found.name, "name": dataset.name });
        if let Some(description) = &dataset.description {
            shown["description"] = json!(description);
        }
        shown["source"] = json!(found.loaded.source.type_name());
        shown["caseCount"] = json!(ids.len());
        shown["contentHash"] = json!(found.loaded.content_hash);
        shown["tags"] = Value::Object(map(&tags));
        shown["judges"] = Value::Object(map(&judges));
        shown["caseIds"] = json!(ids);
        ui.data(&shown);
        return ExitClass::Success;
    }
    let words = |counts: &[(String, usize)]| match counts {
        [] => "none".to_owned(),
        counts => counts.iter().map(|(word, count)| format!("{word} ({count})")).collect::<Vec<_>>().join(", "),
    };
    ui.text(&format!("{}: {}", found.name, dataset.name));
    if let Some(description) = &dataset.description {
        ui.text(description);
    }
    let more = if ids.len() > IDS { format!(" and {} more", ids.len() - IDS) } else { String::new() };
    ui.text(&format!("Source:   {}", found.loaded.source.type_name()));
    ui.text(&format!("Cases:    {}", ids.len()));
    ui.text(&format!("Hash:     {}", found.loaded.content_hash));
    ui.text(&format!("Tags:     {}", words(&tags)));
    ui.text(&format!("Judges:   {}", words(&judges)));
    ui.text(&format!("Case ids: {}{more}", ids.iter().take(IDS).copied().collect::<Vec<_>>().join(", ")));
    ExitClass::Success
}
