//! Versions: `initialize` of the older protocols, `server/discover` and per-request versions of 2026-07-28.

use serde_json::{Value, json};

use super::action::Action;
use super::mode::Mode;
use super::server::McpServer;
use super::skills;

/// The only version of the stateless modes.
pub(super) const MODERN: &str = "2026-07-28";
/// The version that the refusing modes take.
const ACCEPTED: &str = "2025-03-26";
/// The versions that have `initialize`, the newest first.
const KNOWN: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The text with which `version-text` refuses over HTTP.
pub(super) const VERSION_TEXT: &str =
    "Bad Request: Unsupported protocol version (supported versions: 2025-03-26, 2024-11-05)";

/// Answers `initialize`.
pub(super) fn initialize(server: &McpServer, id: &Value, params: &Value) -> Vec<Action> {
    let asked = params.get("protocolVersion").cloned().unwrap_or_default();
    let version = match server.mode() {
        Mode::Silent => return Vec::new(),
        Mode::VersionOld => Some(json!("2024-11-05")),
        Mode::VersionUnknown => Some(json!("1999-01-01")),
        Mode::VersionMissing => None,
        Mode::VersionRefused | Mode::VersionText if asked != ACCEPTED => {
            let data = json!({"supported": [ACCEPTED], "requested": asked});
            return vec![Action::error(id, -32602, "Unsupported protocol version", Some(data))];
        }
        _ if asked.as_str().is_some_and(|asked| KNOWN.contains(&asked)) => Some(asked),
        _ => Some(json!(KNOWN[0])),
    };
    let mut result = json!({
        "capabilities": capabilities(server),
        "serverInfo": {"name": server.name(), "version": "1"},
    });
    if let (Some(object), Some(version)) = (result.as_object_mut(), version) {
        object.insert("protocolVersion".to_owned(), version);
    }
    if server.mode() == Mode::ExtraFields {
        result["serverInfo"]["x-build"] = json!({"commit": "abc"});
        result["capabilities"]["x-future"] = json!({"level": 9});
        result["x-motd"] = json!("hello");
    }
    let reply = Action::reply(id, result);
    match server.mode() {
        Mode::SlowStart => vec![Action::Wait(server.options.delay(3_000)), reply],
        _ => vec![reply],
    }
}

fn capabilities(server: &McpServer) -> Value {
    match server.mode() {
        Mode::ListChanged | Mode::ModernListChanged => json!({"tools": {"listChanged": true}}),
        mode if mode.has_skills() => skills::capabilities(),
        _ => json!({"tools": {}}),
    }
}

/// Answers `server/discover`.
pub(super) fn discover(server: &McpServer) -> Value {
    json!({
        "resultType": "complete", "supportedVersions": [MODERN], "capabilities": capabilities(server),
        "ttlMs": 60_000, "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": server.name(), "version": "1"}},
    })
}

/// Refuses a request to a stateless server that is not of its version; `initialize` always is.
pub(super) fn refuse_version(id: &Value, method: &str, params: &Value) -> Option<Action> {
    let version = match method {
        "initialize" => params.get("protocolVersion"),
        _ => params.get("_meta").and_then(|meta| meta.get(VERSION_KEY)),
    };
    if method != "initialize" && version.and_then(Value::as_str) == Some(MODERN) {
        return None;
    }
    let data = json!({"supported": [MODERN], "requested": version});
    Some(Action::error(id, -32022, "Unsupported protocol version", Some(data)))
}
