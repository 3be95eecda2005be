//! VS Code's `mcp.json`: `servers`, and `inputs` that it asks its user for.

use std::path::PathBuf;

use serde_json::Value;

use super::placeholder::{Input, Placeholders};
use super::surroundings::{Platform, Surroundings};

/// Returns the files of the user.
pub(super) fn files(around: &Surroundings) -> Vec<PathBuf> {
    let Some(home) = &around.home else { return Vec::new() };
    let data = match around.platform {
        Platform::MacOs => Some(home.join("Library/Application Support")),
        Platform::Windows => around.variable("APPDATA").map(PathBuf::from),
        Platform::Linux => Some(around.variable("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from)),
    };
    let editions = ["Code", "Code - Insiders"];
    data.into_iter().flat_map(|data| editions.map(|edition| data.join(edition).join("User/mcp.json"))).collect()
}

/// Reads the inputs: `{ "id", "type", "password"?, "default"? }`.
pub(super) fn inputs(list: Option<&Value>, places: &mut Placeholders<'_>) {
    for input in list.and_then(Value::as_array).into_iter().flatten() {
        let Some(id) = input.get("id").and_then(Value::as_str) else { continue };
        let secret = input.get("password") == Some(&Value::Bool(true));
        let default = input.get("default").and_then(Value::as_str).map(|text| vec![text.to_owned()]);
        places.inputs.insert(id.to_owned(), Input { secret, default });
    }
}
