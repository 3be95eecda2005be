//! Rules of what a server entry holds: scripted answers, the proxy, TLS material.

use serde_json::{Map, Value};
use url::Url;

use crate::check::{Checker, Step};
use crate::diagnostic::Code;
use crate::pattern;

/// Checks an object of one of the definitions below a server entry, whose keys and types have been walked already.
pub(crate) fn object<'v>(at: &mut Checker<'v>, definition: &str, object: &'v Map<String, Value>) {
    match definition {
        "Answers" => roots(at, object),
        "ElicitationAnswer" => elicitation(at, object),
        "ProxySetting" => proxy(at, object),
        "TlsSetting" => tls(at, object),
        _ => {}
    }
}

fn roots<'v>(at: &mut Checker<'v>, answers: &'v Map<String, Value>) {
    for (item, root) in answers.get("roots").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let Some(Err(error)) = root.as_str().map(Url::parse) else { continue };
        let steps = [Step::Key("roots"), Step::Item(item)];
        at.report_at(&steps, Code::InvalidValue, format!("a root is a URI: {error}"));
        at.help(Some("write a folder as \"file:///home/me/project\"".to_owned()));
    }
}

fn elicitation<'v>(at: &mut Checker<'v>, answer: &'v Map<String, Value>) {
    if let Some(fault) = answer.get("match").and_then(Value::as_str).and_then(|text| pattern::refusal(text, None)) {
        at.report_at(&[Step::Key("match")], Code::InvalidValue, fault);
    }
    let Some(Value::Object(content)) = answer.get("content") else { return };
    if let Some(action @ ("decline" | "cancel")) = answer.get("action").and_then(Value::as_str) {
        let message = format!("\"content\" goes with \"accept\", not with {action:?}");
        at.report_at(&[Step::Key("content")], Code::Conflict, message);
    }
    for (name, value) in content {
        let is_flat = match value {
            Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
            Value::Array(items) => items.iter().all(Value::is_string),
            Value::Null | Value::Object(_) => false,
        };
        if !is_flat {
            let message = format!("{name:?} must be a text, a number, true, false or a list of texts");
            at.report_at(&[Step::Key("content"), Step::Key(name)], Code::InvalidValue, message);
        }
    }
}

fn proxy<'v>(at: &mut Checker<'v>, proxy: &'v Map<String, Value>) {
    let Some(Value::String(text)) = proxy.get("url") else { return };
    let fault = match Url::parse(text) {
        Err(error) => format!("\"proxy.url\" is no URL: {error}"),
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            format!("\"proxy.url\" must be an http or https URL, not {}", url.scheme())
        }
        Ok(_) => return,
    };
    at.report_at(&[Step::Key("url")], Code::InvalidValue, fault);
}

fn tls<'v>(at: &mut Checker<'v>, tls: &'v Map<String, Value>) {
    for (given, missing) in [("cert", "key"), ("key", "cert")] {
        if tls.contains_key(given) && !tls.contains_key(missing) {
            let message = format!("\"tls.{given}\" needs \"tls.{missing}\" beside it");
            at.report_at(&[Step::Key(given)], Code::Conflict, message);
        }
    }
}
