//! Agreeing on a protocol revision.
//!
//! The exchange is done by hand: the SDK's client decodes the answer before anyone can see that its version is missing,
//! takes any version for known, and cannot ask a second time on the same connection.

use std::sync::Arc;

use rmcp::model::{ErrorCode, ProtocolVersion};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::Fault;
use crate::failure::CallFailure;
use crate::host::Host;
use crate::link::{Link, Request, Wait};
use crate::options::CLIENT_NAME;
use crate::skills;
use crate::text::cut;

/// The newest revision with an `initialize` handshake.
const NEWEST_LEGACY: ProtocolVersion = ProtocolVersion::LATEST_WITH_INITIALIZE;
/// The revision without one.
const STATELESS: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// What was agreed on with a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agreed {
    /// The revision.
    pub(crate) revision: String,
    /// The server's own name and version.
    pub(crate) server_info: Option<Value>,
    /// The server's instructions.
    pub(crate) instructions: Option<String>,
    /// The `_meta` of every later request, in the revision without a handshake.
    pub(crate) meta: Option<Value>,
    /// Whether the server declares that it serves Agent Skills.
    pub(crate) skills: bool,
    /// Whether the server tells when its tools change.
    pub(crate) tells_changes: bool,
}

/// How an `initialize` ended that was no fault.
pub(crate) enum Greeted {
    /// A revision was agreed on.
    Agreed(Agreed),
    /// The server speaks only revisions without a handshake.
    NewerOnly,
}

/// What the client says of itself.
#[derive(Debug)]
pub(crate) struct Greeting {
    pub(crate) client_version: String,
    pub(crate) host: Arc<Host>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams<'a> {
    protocol_version: &'a str,
    capabilities: Value,
    client_info: Value,
}

impl Greeting {
    fn client_info(&self) -> Value {
        json!({ "name": CLIENT_NAME, "version": self.client_version })
    }

    /// Returns the `_meta` that stands for a handshake in every request of the stateless revision.
    fn meta(&self) -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS.as_str(),
            "io.modelcontextprotocol/clientInfo": self.client_info(),
            "io.modelcontextprotocol/clientCapabilities": self.host.script.capabilities(STATELESS.as_str()),
        })
    }

    /// Sends `initialize`, offering the newest revision or the pinned one, and once more with one that the server names.
    pub(crate) async fn initialize(&self, link: &Link, pinned: Option<&str>, wait: Wait<'_>) -> Result<Greeted, Fault> {
        let mut offered = pinned.unwrap_or(NEWEST_LEGACY.as_str()).to_owned();
        let mut asked_again = pinned.is_some();
        loop {
            let params = InitializeParams {
                protocol_version: &offered,
                capabilities: self.host.script.capabilities(&offered),
                client_info: self.client_info(),
            };
            // The protocol forbids to cancel this one request.
            let request = Request { cancellable: false, ..Request::new("initialize", params) };
            let failure = match link.request(request, wait).await {
                Ok(result) => return answered(result, offered, pinned),
                Err(failure) => failure,
            };
            match refused(&failure, &offered) {
                Refused::Other => return Err(Fault::Request(failure)),
                Refused::Newer if pinned.is_none() => return Ok(Greeted::NewerOnly),
                Refused::Speaks { better: Some(better), .. } if !asked_again => {
                    asked_again = true;
                    better.as_str().clone_into(&mut offered);
                }
                Refused::Newer => return Err(Fault::VersionRefused { offered, supported: Vec::new() }),
                Refused::Speaks { supported, .. } => return Err(Fault::VersionRefused { offered, supported }),
            }
        }
    }

    /// Asks with `server/discover` whether the server speaks the stateless revision.
    pub(crate) async fn discover(&self, link: &Link, wait: Wait<'_>) -> Result<Agreed, Fault> {
        link.agree(STATELESS.as_str(), true);
        let meta = self.meta();
        let offered = || STATELESS.as_str().to_owned();
        let mut result = match link.request(Request::new("server/discover", json!({ "_meta": meta })), wait).await {
            Ok(Value::Object(result)) => result,
            Ok(other) => {
                return Err(Fault::Request(CallFailure::Malformed { detail: cut(&other.to_string(), 200) }));
            }
            Err(failure) => {
                return Err(match refused(&failure, STATELESS.as_str()) {
                    Refused::Speaks { supported, .. } => Fault::VersionRefused { offered: offered(), supported },
                    _ => Fault::Request(failure),
                });
            }
        };
        let supported = texts(result.get("supportedVersions"));
        if !supported.iter().any(|version| version == STATELESS.as_str()) {
            return Err(Fault::VersionRefused { offered: offered(), supported });
        }
        let server_info = result
            .get_mut("_meta")
            .and_then(|meta| meta.get_mut("io.modelcontextprotocol/serverInfo"))
            .map(Value::take)
            .or_else(|| result.get_mut("serverInfo").map(Value::take));
        let tells_changes = tells_changes(&result);
        let instructions = instructions(&mut result);
        let skills = declares_skills(&result);
        Ok(Agreed { revision: offered(), server_info, instructions, meta: Some(meta), skills, tells_changes })
    }
}

/// Returns whether a pinned revision has no handshake; `None` when it is not known.
pub(crate) fn pinned_stateless(revision: &str) -> Option<bool> {
    known(revision).map(|version| !version.has_initialize())
}

fn known(revision: &str) -> Option<&'static ProtocolVersion> {
    ProtocolVersion::KNOWN_VERSIONS.iter().find(|version| version.as_str() == revision)
}

/// Reads the answer to `initialize`.
fn answered(result: Value, offered: String, pinned: Option<&str>) -> Result<Greeted, Fault> {
    let Value::Object(mut result) = result else {
        return Err(Fault::Request(CallFailure::Malformed { detail: cut(&result.to_string(), 200) }));
    };
    let answered = match result.get("protocolVersion") {
        Some(Value::String(version)) => version.clone(),
        Some(other) if !other.is_null() => {
            return Err(Fault::VersionMismatch { offered, answered: cut(&other.to_string(), 50) });
        }
        _ => return Err(Fault::VersionMissing { offered }),
    };
    match known(&answered) {
        Some(version) if pinned.is_none_or(|pinned| pinned == answered) => {
            if !version.has_initialize() {
                return Ok(Greeted::NewerOnly);
            }
        }
        _ => return Err(Fault::VersionMismatch { offered, answered: cut(&answered, 50) }),
    }
    let instructions = instructions(&mut result);
    let skills = declares_skills(&result);
    let server_info = result.get_mut("serverInfo").map(Value::take);
    let tells_changes = tells_changes(&result);
    Ok(Greeted::Agreed(Agreed { revision: answered, server_info, instructions, meta: None, skills, tells_changes }))
}

fn tells_changes(result: &Map<String, Value>) -> bool {
    let declared = result.get("capabilities").and_then(|capabilities| capabilities.pointer("/tools/listChanged"));
    declared == Some(&Value::Bool(true))
}

fn instructions(result: &mut Map<String, Value>) -> Option<String> {
    match result.swap_remove("instructions") {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Returns whether a server declares skills: any object under the extension's name, whatever settings it holds.
fn declares_skills(result: &Map<String, Value>) -> bool {
    let extensions = result.get("capabilities").and_then(|capabilities| capabilities.get("extensions"));
    extensions.and_then(|extensions| extensions.get(skills::EXTENSION)).is_some_and(Value::is_object)
}

/// What a failed handshake says about revisions.
#[derive(Debug, PartialEq)]
enum Refused {
    /// Nothing.
    Other,
    /// The server speaks only revisions without a handshake, as far as it can be understood.
    Newer,
    /// The server names what it speaks; `better` is the newest revision with a handshake among it that is known.
    Speaks { better: Option<&'static ProtocolVersion>, supported: Vec<String> },
}

fn refused(failure: &CallFailure, offered: &str) -> Refused {
    let CallFailure::Protocol { code, data, .. } = failure else { return Refused::Other };
    let names = |key| texts(data.as_ref().and_then(|data| data.get(key)));
    let supported = [names("supported"), names("supportedVersions")].concat();
    let better = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .rev()
        .find(|version| version.has_initialize() && supported.iter().any(|name| name == version.as_str()));
    let is = |expected: ErrorCode| *code == i64::from(expected.0);
    if better.is_some_and(|better| better.as_str() != offered) {
        return Refused::Speaks { better, supported };
    }
    let names_stateless = supported.iter().any(|name| name == STATELESS.as_str());
    // A server without `initialize` may not know the method at all.
    let knows_no_handshake =
        supported.is_empty() && (is(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) || is(ErrorCode::METHOD_NOT_FOUND));
    if names_stateless || knows_no_handshake {
        return Refused::Newer;
    }
    if supported.is_empty() { Refused::Other } else { Refused::Speaks { better: None, supported } }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(|text| cut(text, 50))).take(20).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i64, data: Value) -> CallFailure {
        CallFailure::Protocol { code, message: String::new(), data: Some(data) }
    }

    #[test]
    fn fc08_refusals_are_understood() {
        let speaks = |better: Option<&str>, supported: &[&str]| Refused::Speaks {
            better: better.map(|better| known(better).unwrap()),
            supported: supported.iter().map(|name| (*name).to_owned()).collect(),
        };
        for (failure, want) in [
            (
                error(-32602, json!({ "supported": ["2024-11-05", "2025-03-26", "2099-01-01"] })),
                speaks(Some("2025-03-26"), &["2024-11-05", "2025-03-26", "2099-01-01"]),
            ),
            (error(-32602, json!({ "supported": ["1999-01-01"] })), speaks(None, &["1999-01-01"])),
            (error(-32602, json!({ "supported": ["2026-07-28", "2099-01-01"] })), Refused::Newer),
            (error(-32022, json!({})), Refused::Newer),
            (error(-32022, json!({ "supported": ["2025-06-18"] })), speaks(Some("2025-06-18"), &["2025-06-18"])),
            (error(-32022, json!({ "supported": ["2099-01-01"] })), speaks(None, &["2099-01-01"])),
            (error(-32601, Value::Null), Refused::Newer),
            (error(-32602, Value::Null), Refused::Other),
            (CallFailure::Cancelled, Refused::Other),
        ] {
            assert_eq!(refused(&failure, "2025-11-25"), want, "{failure:?}");
        }
    }

    #[test]
    fn fc08_only_known_versions_are_accepted() {
        let offered = || "2025-11-25".to_owned();
        let read = |version: Value, pinned| match answered(json!({ "protocolVersion": version }), offered(), pinned) {
            Ok(Greeted::Agreed(agreed)) => agreed.revision,
            Ok(Greeted::NewerOnly) => "newer".to_owned(),
            Err(fault) => format!("{fault:?}"),
        };
        assert_eq!(read(json!("2024-11-05"), None), "2024-11-05");
        assert_eq!(read(json!("2026-07-28"), None), "newer");
        assert!(read(json!("1999-01-01"), None).starts_with("VersionMismatch"));
        assert!(read(json!(null), None).starts_with("VersionMissing"));
        assert!(read(json!(7), None).starts_with("VersionMismatch"));
        assert!(read(json!("2025-06-18"), Some("2025-11-25")).starts_with("VersionMismatch"));
    }
}
