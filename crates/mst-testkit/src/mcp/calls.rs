//! `tools/call`: what each mode does with a call.

use serde_json::{Value, json};

use super::action::Action;
use super::mode::Mode;
use super::server::McpServer;
use super::{asking, listing, results, secrets};

/// Answers `tools/call`.
pub(super) fn call(server: &mut McpServer, id: &Value, params: &Value) -> Vec<Action> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    // A tool that vanished can still be called; everything else must be listed.
    let is_listed = server.mode() == Mode::Vanishing
        || listing::declared(server).iter().any(|tool| tool.get("name").and_then(Value::as_str) == Some(name.as_str()));
    let first = server.calls == 0;
    server.calls += 1;
    let is_known = is_listed || matches!(server.mode(), Mode::PagesTwo | Mode::PagesEndless);
    if !is_known {
        return vec![Action::error(id, -32602, &format!("Unknown tool: {name}"), None)];
    }
    let options = &server.options;
    let plain = plain(&name, params);
    let reply = |result: Value| Action::reply(id, result);
    match server.mode() {
        Mode::StrayLines => vec![Action::Raw("[cache] miss\n".to_owned()), reply(plain)],
        Mode::GluedFrame => vec![Action::Raw("50%".to_owned()), reply(plain)],
        Mode::DiesInCall => vec![Action::Stderr("panic: out of memory".to_owned()), Action::Exit(3)],
        Mode::SlowCall => vec![Action::Wait(options.delay(2_000)), reply(plain)],
        Mode::HangsInCall => Vec::new(),
        Mode::Busy => vec![reply(results::error("429 slow down"))],
        Mode::FailsSecond if server.calls == 2 => vec![reply(results::error("no such part"))],
        Mode::RpcError => vec![Action::error(id, -32603, "the parts store is on fire", Some(json!({"floor": 3})))],
        Mode::MalformedResult => vec![reply(json!({"content": "not a list", "isError": "maybe"}))],
        Mode::BigResult => vec![reply(results::text(&"x".repeat(options.bytes.unwrap_or(1_000_000))))],
        Mode::LoneSurrogate => vec![raw_reply(id, &results::lone_surrogate())],
        Mode::HostileText => vec![raw_reply(id, &results::hostile())],
        Mode::Environment => secrets::print(id, server.headers.as_ref()),
        Mode::UnknownId => vec![Action::reply(&json!("nobody-asked"), plain)],
        Mode::DuplicateReply => vec![reply(plain), reply(results::text("bin 8"))],
        Mode::Progress => {
            let token = params.pointer("/_meta/progressToken").cloned();
            let progress =
                token.map(|token| json!({"progressToken": token, "progress": 1, "total": 2, "message": "half"}));
            let log = json!({"level": "info", "logger": "parts", "data": "looking"});
            let mut actions = vec![Action::notify("notifications/message", log)];
            actions.extend(progress.map(|params| Action::notify("notifications/progress", params)));
            actions.push(reply(plain));
            actions
        }
        Mode::ListChanged if first => {
            vec![Action::notify("notifications/tools/list_changed", Value::Null), reply(results::text("no notes"))]
        }
        Mode::ExtraFields => {
            vec![reply(
                json!({"content": [{"type": "text", "text": "bin 7", "x-font": "mono"}], "x-took": 3, "_meta": {"example.invalid/a": 1}}),
            )]
        }
        Mode::ModernAsks | Mode::ModernAsksMuch | Mode::ModernAsksForEver | Mode::ModernTask => {
            asking::modern(server.mode(), id, params)
        }
        Mode::ModernListChanged if first => {
            let meta = json!({"io.modelcontextprotocol/subscriptionId": server.subscription});
            let told = server.subscription.is_some();
            let changed = told.then(|| Action::notify("notifications/tools/list_changed", json!({"_meta": meta})));
            changed.into_iter().chain([reply(results::text("no notes"))]).collect()
        }
        Mode::Modern | Mode::ModernHeaders | Mode::ModernListChanged | Mode::SkillsModern => {
            vec![reply(json!({"resultType": "complete", "content": plain["content"]}))]
        }
        mode if mode.asks() => asking::ask(server, id),
        mode => vec![reply(results::form(mode, server.calls, options.bytes).unwrap_or(plain))],
    }
}

/// What a tool returns when nothing is to go wrong.
fn plain(name: &str, params: &Value) -> Value {
    let argument = |key: &str| params.get("arguments").and_then(|arguments| arguments.get(key)).and_then(Value::as_str);
    match name {
        "echo" => results::text(argument("text").unwrap_or_default()),
        "ping" => results::text("open"),
        "lookup" => results::text("bin 7"),
        other => results::text(&format!("{other} done")),
    }
}

/// A reply that JSON values cannot hold.
fn raw_reply(id: &Value, result: &Value) -> Action {
    let text = results::with_surrogates(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    Action::SendText { id: id.clone(), text }
}
