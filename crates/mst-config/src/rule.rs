//! Rules that a JSON Schema has no words for: values that have to agree, patterns that have to compile.

use std::collections::HashMap;

use serde_json::{Map, Value};
use url::Url;

use crate::check::{Checker, Step};
use crate::dataset_source::is_plugin_dataset;
use crate::diagnostic::Code;
use crate::key::{self, Refusal};
use crate::pattern;
use crate::server_rule;

/// Checks an object of a named definition, whose keys and types have been walked already.
pub(crate) fn object<'v>(at: &mut Checker<'v>, definition: &str, object: &'v Map<String, Value>) {
    match definition {
        "EvalConfig" => {
            plugin_datasets(at, object);
            run_controls(at, object);
            input_template(at, object);
            tool_map(at, object);
            eval_endpoints(at, object);
        }
        "Variant" => {
            input_template(at, object);
            tool_map(at, object);
        }
        "StdioServer" => stdio_server(at, object),
        "HttpServer" => http_server(at, object),
        "Answers" | "ElicitationAnswer" | "ProxySetting" | "TlsSetting" => server_rule::object(at, definition, object),
        "ToolCallCount" => tool_call_count(at, object),
        "ExpectedCall" => expected_arguments(at, object),
        "Assertions" => {
            contains_text(at, object);
            matches_pattern(at, object);
        }
        _ => {}
    }
}

fn plugin_datasets<'v>(at: &mut Checker<'v>, config: &'v Map<String, Value>) {
    for (item, dataset) in config.get("datasets").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Some(reference) = dataset.as_str().filter(|text| is_plugin_dataset(text)) {
            let refusal = key::not_available(&format!("the plugin dataset {reference:?}"));
            at.report_at(&[Step::Key("datasets"), Step::Item(item)], refusal.code, refusal.message);
        }
    }
}

/// A control that stands at the top and under `run` has to say the same.
fn run_controls<'v>(at: &mut Checker<'v>, config: &'v Map<String, Value>) {
    let Some(Value::Object(run)) = config.get("run") else { return };
    for (key, value) in run {
        if config.get(key).is_some_and(|top| !mst_model::json_eq(top, value)) {
            at.report_at(
                &[Step::Key("run"), Step::Key(key)],
                Code::Conflict,
                format!("{key:?} stands at the top of the config and under \"run\", with different values"),
            );
        }
    }
}

fn input_template<'v>(at: &mut Checker<'v>, object: &'v Map<String, Value>) {
    if let Some((key, Value::String(template))) = object.get_key_value("inputTemplate")
        && template.contains("{{scenario}}")
    {
        at.report_at(
            &[Step::Key(key)],
            Code::RenamedKey,
            "unknown placeholder \"{{scenario}}\": it is now \"{{input}}\"",
        );
        at.help(Some("did you mean \"{{input}}\"?".to_owned()));
    }
}

/// A native name stands for one canonical name.
fn tool_map<'v>(at: &mut Checker<'v>, object: &'v Map<String, Value>) {
    let Some((map_key, Value::Object(map))) = object.get_key_value("toolMap") else { return };
    let mut taken: HashMap<&str, &str> = HashMap::new();
    for (canonical, natives) in map {
        for (item, native) in natives.as_array().into_iter().flatten().enumerate() {
            let Some(native) = native.as_str() else { continue };
            if let Some(other) = taken.insert(native, canonical).filter(|other| *other != canonical) {
                at.report_at(
                    &[Step::Key(map_key), Step::Key(canonical), Step::Item(item)],
                    Code::DuplicateName,
                    format!("the tool {native:?} stands for {other:?} already"),
                );
            }
        }
    }
}

fn eval_endpoints<'v>(at: &mut Checker<'v>, config: &'v Map<String, Value>) {
    if config.get("requireEvalEndpoint") != Some(&Value::Bool(true)) {
        return;
    }
    let Some(Value::Object(servers)) = config.get("servers") else { return };
    for (label, server) in servers {
        let Some(Ok(url)) = server.get("serverUrl").and_then(Value::as_str).map(Url::parse) else { continue };
        if !url.path().split('/').skip(1).any(|part| part == "eval") {
            at.report_at(
                &[Step::Key("servers"), Step::Key(label), Step::Key("serverUrl")],
                Code::InvalidValue,
                "\"requireEvalEndpoint\" is set and the URL's path has no \"/eval\"",
            );
        }
    }
}

/// A pinned revision has to be one that is spoken here.
fn protocol<'v>(at: &mut Checker<'v>, server: &'v Map<String, Value>) {
    const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    let Some(Value::String(text)) = server.get("protocol") else { return };
    let dated = matches!(mst_model::ProtocolSetting::parse(text), Some(mst_model::ProtocolSetting::Revision(_)));
    if dated && !REVISIONS.contains(&text.as_str()) {
        at.report_at(&[Step::Key("protocol")], Code::UnknownName, format!("there is no protocol revision {text:?}"));
        at.help(Some(format!("known: {}", REVISIONS.join(", "))));
    }
}

fn stdio_server<'v>(at: &mut Checker<'v>, server: &'v Map<String, Value>) {
    protocol(at, server);
    let texts = |key: &'static str| server.get(key).and_then(Value::as_str).map(|text| (vec![Step::Key(key)], text));
    let args = server.get("args").and_then(Value::as_array).into_iter().flatten().enumerate();
    let args = args.filter_map(|(item, arg)| Some((vec![Step::Key("args"), Step::Item(item)], arg.as_str()?)));
    let env = server.get("env").and_then(Value::as_object).into_iter().flatten();
    let env_values =
        env.clone().filter_map(|(name, value)| Some((vec![Step::Key("env"), Step::Key(name)], value.as_str()?)));
    let all: Vec<_> = texts("command").into_iter().chain(texts("cwd")).chain(args).chain(env_values).collect();
    for (steps, text) in all {
        if text.contains('\0') {
            at.report_at(&steps, Code::InvalidValue, "a NUL character cannot reach a process");
        } else if is_placeholder(text) {
            let refusal = key::not_available("a \"${…}\" placeholder");
            at.report_at(&steps, refusal.code, refusal.message);
        }
    }
    for (name, _) in env {
        if name.is_empty() || name.contains(['=', '\0']) {
            let message = format!("{name:?} is no name of an environment variable");
            let refusal = Refusal { code: Code::InvalidValue, message, help: None };
            at.within(Step::Key("env"), |inside| inside.report_key(name, refusal));
        }
    }
}

/// Returns whether a text holds a `${NAME}` placeholder.
fn is_placeholder(text: &str) -> bool {
    text.match_indices("${").any(|(start, _)| text[start..].contains('}'))
}

fn http_server<'v>(at: &mut Checker<'v>, server: &'v Map<String, Value>) {
    protocol(at, server);
    if let Some(Value::String(url)) = server.get("serverUrl") {
        let fault = match Url::parse(url) {
            Err(error) => Some(format!("\"serverUrl\" is no URL: {error}")),
            Ok(url) if !matches!(url.scheme(), "http" | "https") => {
                Some(format!("\"serverUrl\" must be an http or https URL, not {}", url.scheme()))
            }
            Ok(_) => None,
        };
        if let Some(fault) = fault {
            at.report_at(&[Step::Key("serverUrl")], Code::InvalidValue, fault);
        }
    }
    server_auth(at, server);
    for (name, value) in server.get("headers").and_then(Value::as_object).into_iter().flatten() {
        if SET_BY_HTTP.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            let message = format!("the header {name:?} is set by the connection itself");
            let refusal = Refusal { code: Code::InvalidValue, message, help: None };
            at.within(Step::Key("headers"), |inside| inside.report_key(name, refusal));
        }
        let steps = [Step::Key("headers"), Step::Key(name)];
        if name.is_empty() || !name.bytes().all(is_token_byte) {
            let message = format!("{name:?} is no name of an HTTP header");
            let refusal = Refusal { code: Code::InvalidValue, message, help: None };
            at.within(Step::Key("headers"), |inside| inside.report_key(name, refusal));
        }
        if value.as_str().is_some_and(|value| value.bytes().any(|byte| (byte < 0x20 && byte != b'\t') || byte == 0x7f))
        {
            at.report_at(&steps, Code::InvalidValue, format!("the header {name:?} holds a control character"));
        }
    }
}

/// Headers that belong to the connection or the protocol: one written in a config would be dropped or break a request.
const SET_BY_HTTP: [&str; 10] = [
    "host",
    "content-length",
    "content-type",
    "accept",
    "connection",
    "transfer-encoding",
    "upgrade",
    "te",
    "mcp-session-id",
    "mcp-protocol-version",
];

/// A server has one source of its token.
fn server_auth<'v>(at: &mut Checker<'v>, server: &'v Map<String, Value>) {
    let Some(Value::Object(auth)) = server.get("auth") else { return };
    if auth.get("accessToken") == Some(&Value::String(String::new())) {
        at.report_at(&[Step::Key("auth"), Step::Key("accessToken")], Code::InvalidValue, "\"accessToken\" is empty");
    }
    if auth.contains_key("accessToken") && auth.contains_key("accessTokenEnv") {
        at.report_at(
            &[Step::Key("auth")],
            Code::Conflict,
            "\"accessToken\" and \"accessTokenEnv\" both give the token",
        );
    }
    let header = server.get("headers").and_then(Value::as_object).into_iter().flatten();
    if let Some((name, _)) = header.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("authorization"))
        && !auth.is_empty()
    {
        at.report_at(
            &[Step::Key("headers"), Step::Key(name)],
            Code::Conflict,
            "the \"Authorization\" header and \"auth\" both authorize the requests",
        );
    }
}

/// Returns whether a byte may stand in an HTTP header's name (RFC 9110, `token`).
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn tool_call_count<'v>(at: &mut Checker<'v>, count: &'v Map<String, Value>) {
    if count.is_empty() {
        at.report(Code::MissingKey, "\"toolCallCount\" has no \"exact\", \"min\" or \"max\", so it could not fail");
    }
    if count.contains_key("exact") && (count.contains_key("min") || count.contains_key("max")) {
        at.report(Code::Conflict, "\"exact\" excludes \"min\" and \"max\"");
    }
    let bound = |key: &str| count.get(key).and_then(Value::as_u64);
    if let (Some(min), Some(max)) = (bound("min"), bound("max"))
        && min > max
    {
        at.report(Code::Conflict, format!("\"min\" is {min}, more than \"max\", which is {max}"));
    }
}

/// Every answer contains the empty text.
fn contains_text<'v>(at: &mut Checker<'v>, assertions: &'v Map<String, Value>) {
    let message = "an empty text is in every answer, so it could not fail";
    match assertions.get("containsText") {
        Some(Value::String(text)) if text.is_empty() => {
            at.report_at(&[Step::Key("containsText")], Code::InvalidValue, message);
        }
        Some(Value::Array(texts)) => {
            for (item, _) in texts.iter().enumerate().filter(|(_, text)| text.as_str() == Some("")) {
                at.report_at(&[Step::Key("containsText"), Step::Item(item)], Code::InvalidValue, message);
            }
        }
        _ => {}
    }
}

fn matches_pattern<'v>(at: &mut Checker<'v>, assertions: &'v Map<String, Value>) {
    let (one, many) = match assertions.get("matchesPattern") {
        Some(Value::String(pattern)) => (Some(pattern.as_str()), &[][..]),
        Some(Value::Array(patterns)) => (None, patterns.as_slice()),
        _ => return,
    };
    if let Some(fault) = one.and_then(|pattern| pattern::refusal(pattern, None)) {
        at.report_at(&[Step::Key("matchesPattern")], Code::InvalidValue, fault);
    }
    for (item, value) in many.iter().enumerate() {
        if let Some(fault) = value.as_str().and_then(|pattern| pattern::refusal(pattern, None)) {
            at.report_at(&[Step::Key("matchesPattern"), Step::Item(item)], Code::InvalidValue, fault);
        }
    }
}

fn expected_arguments<'v>(at: &mut Checker<'v>, call: &'v Map<String, Value>) {
    if let Some((key, Value::Object(arguments))) = call.get_key_value("arguments") {
        at.within(Step::Key(key), |inside| {
            for (key, value) in arguments {
                inside.within(Step::Key(key), |inside| expected_value(inside, value));
            }
        });
    }
}

/// Checks the patterns in an expected argument, at any depth.
fn expected_value<'v>(at: &mut Checker<'v>, value: &'v Value) {
    match value {
        Value::Array(items) => {
            for (item, value) in items.iter().enumerate() {
                at.within(Step::Item(item), |inside| expected_value(inside, value));
            }
        }
        Value::Object(object) if object.contains_key("$pattern") => expected_pattern(at, object),
        Value::Object(object) => {
            for (key, value) in object {
                at.within(Step::Key(key), |inside| expected_value(inside, value));
            }
        }
        _ => {}
    }
}

fn expected_pattern<'v>(at: &mut Checker<'v>, object: &'v Map<String, Value>) {
    for key in object.keys().filter(|key| !matches!(key.as_str(), "$pattern" | "$flags")) {
        let message = format!("unknown key {key:?} beside \"$pattern\"");
        let help = Some("only \"$flags\" may stand there".to_owned());
        at.report_key(key, Refusal { code: Code::UnknownKey, message, help });
    }
    let flags = match object.get("$flags") {
        None => None,
        Some(Value::String(flags)) => Some(flags.as_str()),
        Some(_) => return at.report_at(&[Step::Key("$flags")], Code::WrongType, "\"$flags\" must be a string"),
    };
    match object.get("$pattern") {
        Some(Value::String(pattern)) => {
            if let Some(fault) = pattern::refusal(pattern, flags) {
                let key = if fault.starts_with("the flag") { "$flags" } else { "$pattern" };
                at.report_at(&[Step::Key(key)], Code::InvalidValue, fault);
            }
        }
        _ => at.report_at(&[Step::Key("$pattern")], Code::WrongType, "\"$pattern\" must be a string"),
    }
}
