//! Keys that are no plain misspelling: older names, keys of this format that this version does not have, keys that
//! belong elsewhere.

use serde_json::Value;

use crate::diagnostic::Code;

/// Why a key or a value is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// What stands behind a key that the shape does not have.
#[derive(Clone, Copy)]
enum Fate {
    /// It has this name now.
    Renamed(&'static str),
    /// It is gone or belongs elsewhere: why.
    Elsewhere(&'static str),
    /// It comes with a later version.
    Later,
}
use Fate::{Elsewhere, Later, Renamed};

/// (definition, key, fate). A definition of `*` means every one.
const KEYS: &[(&str, &str, Fate)] = &[
    ("EvalConfig", "plugins", Later),
    ("EvalConfig", "extends", Later),
    ("EvalConfig", "settings", Later),
    ("EvalConfig", "coworkSetup", Later),
    ("EvalConfig", "telemetry", Later),
    ("EvalConfig", "scenarioTemplate", Renamed("inputTemplate")),
    ("EvalConfig", "iterations", Renamed("trials")),
    ("EvalConfig", "accuracyThreshold", Renamed("passThreshold")),
    ("EvalConfig", "arms", Renamed("variants")),
    ("EvalConfig", "host", Elsewhere("it is now \"client\", \"model\" and \"clientOptions\"")),
    ("EvalConfig", "toolOverrides", Renamed("tools")),
    ("EvalConfig", "profile", Elsewhere("it was removed; set \"client\", \"model\" and \"clientOptions\"")),
    ("RunControls", "iterations", Renamed("trials")),
    ("RunControls", "accuracyThreshold", Renamed("passThreshold")),
    ("Variant", "coworkSetup", Later),
    ("Variant", "pairwiseJudges", Elsewhere("pairwise judges stand at the top of the eval config, never on a variant")),
    ("Variant", "scenarioTemplate", Renamed("inputTemplate")),
    ("Variant", "host", Elsewhere("it is now \"client\", \"model\" and \"clientOptions\"")),
    ("Variant", "toolOverrides", Renamed("tools")),
    ("Variant", "profile", Elsewhere("it was removed; set \"client\", \"model\" and \"clientOptions\"")),
    ("StdioServer", "label", Elsewhere("the label is the server's key in \"servers\"")),
    ("StdioServer", "url", Later),
    ("StdioServer", "auth", Later),
    ("StdioServer", "files", Later),
    ("StdioServer", "connector", Later),
    ("HttpServer", "label", Elsewhere("the label is the server's key in \"servers\"")),
    ("HttpServer", "url", Renamed("serverUrl")),
    ("HttpServer", "connector", Later),
    ("AccessAuth", "oauth", Later),
    ("AccessAuth", "clientCredentials", Later),
    ("FileSource", "ref", Renamed("type")),
    ("FileSource", "snapshot", Elsewhere("a file has no snapshots")),
    ("FileSource", "source", Elsewhere("a file has no snapshots")),
    ("FileSource", "recursive", Elsewhere("only a \"dir\" is read recursively")),
    ("DirSource", "ref", Renamed("type")),
    ("DirSource", "snapshot", Elsewhere("a directory has no snapshots")),
    ("DirSource", "source", Elsewhere("a directory has no snapshots")),
    ("MetricObject", "params", Later),
    ("JudgeObject", "judge", Renamed("type")),
    ("PairwiseJudgeObject", "judge", Renamed("type")),
    ("PairwiseJudgeObject", "jury", Elsewhere("pairwise judges take no jury; \"reps\" asks one more often")),
    ("EvalCase", "scenario", Renamed("input")),
    ("EvalCase", "iterations", Renamed("trials")),
    ("EvalCase", "accuracyThreshold", Renamed("passThreshold")),
    ("EvalCase", "expect", Renamed("assertions")),
    ("EvalCase", "canonicalAnswer", Renamed("expected.answer")),
    ("EvalCase", "mcpHostConfig", Elsewhere("it is now \"client\", \"model\" and \"clientOptions\"")),
    ("EvalCase", "mode", Elsewhere("cases that call a tool directly were removed; every case has an \"input\"")),
    ("EvalCase", "toolName", Elsewhere("cases that call a tool directly were removed; every case has an \"input\"")),
    ("EvalCase", "args", Elsewhere("cases that call a tool directly were removed; every case has an \"input\"")),
    ("EvalCase", "request", Elsewhere("cases that call a tool directly were removed; every case has an \"input\"")),
    ("Assertions", "outcome", Later),
    ("Assertions", "passesJudge", Elsewhere("judges stand in the case's own \"judges\", beside its assertions")),
    ("Assertions", "response", Elsewhere("it checked a direct tool response, which no case has any more")),
    ("Assertions", "schema", Elsewhere("it checked a direct tool response, which no case has any more")),
    ("Assertions", "snapshot", Elsewhere("it checked a direct tool response, which no case has any more")),
    ("Assertions", "snapshotSanitizers", Elsewhere("it checked a direct tool response, which no case has any more")),
    ("Assertions", "isError", Elsewhere("it checked a direct tool response, which no case has any more")),
    ("Assertions", "responseSize", Elsewhere("it checked a direct tool response, which no case has any more")),
    ("ExpectedCall", "tool", Renamed("name")),
    ("ExpectedCall", "args", Renamed("arguments")),
    ("clientOptions", "type", Elsewhere("the client is named by \"client\", beside \"clientOptions\"")),
    ("clientOptions", "client", Elsewhere("it stands beside \"clientOptions\"")),
    ("clientOptions", "model", Elsewhere("it stands beside \"clientOptions\"")),
    ("expected", "writes", Later),
];

/// Returns whether a key of the format is one that this version does not have.
pub(crate) fn is_unavailable(definition: &str, key: &str) -> bool {
    matches!(fate(definition, key), Some(Later))
}

/// Returns the key that an older one is called now.
pub(crate) fn renamed(definition: &str, key: &str) -> Option<&'static str> {
    match fate(definition, key) {
        Some(Renamed(new)) => Some(new),
        _ => None,
    }
}

/// Returns why a key is refused; `None` for a plain unknown key.
pub(crate) fn refusal(definition: &str, key: &str) -> Option<Refusal> {
    Some(match fate(definition, key)? {
        Renamed(new) => Refusal {
            code: Code::RenamedKey,
            message: format!("unknown key {key:?}: it is now {new:?}"),
            help: Some(format!("did you mean {new:?}?")),
        },
        Elsewhere(why) => Refusal {
            code: Code::UnknownKey,
            message: format!("{key:?} does not belong here"),
            help: Some(why.to_owned()),
        },
        Later => {
            let group = match definition {
                "expected" => "expected.",
                "AccessAuth" => "auth.",
                "Assertions" => "assertions.",
                _ => "",
            };
            not_available(&format!("\"{group}{key}\""))
        }
    })
}

fn fate(definition: &str, key: &str) -> Option<Fate> {
    KEYS.iter().find(|(of, name, _)| *of == definition && *name == key).map(|(_, _, fate)| *fate)
}

/// Makes the refusal of what this version does not have.
pub(crate) fn not_available(what: &str) -> Refusal {
    Refusal { code: Code::NotAvailable, message: format!("{what} is not available in this version of mst"), help: None }
}

/// Returns why a value that its shape does not allow is refused, when there is more to say than what is allowed.
pub(crate) fn value_refusal(key: &str, value: &Value) -> Option<Refusal> {
    match (key, value) {
        ("simulateWrites", Value::Bool(true)) => Some(not_available("\"simulateWrites\": true")),
        ("type", Value::String(kind)) if kind == "gcs" => Some(not_available("the dataset source \"gcs\"")),
        ("type", Value::String(kind)) if kind.contains('/') => {
            Some(not_available(&format!("the plugin dataset {kind:?}")))
        }
        _ => None,
    }
}
