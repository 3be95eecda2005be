//! Input schemas that providers refuse, as they leave for each of them.

use std::collections::BTreeMap;

use mst_testkit::{FakeMcpHttp, Mode, Reply, Script, ToolCall};
use serde_json::{Value, json};

use crate::eval::{Eval, case};
use crate::wire;

/// What must survive of each schema.
const KEPT: [(&str, &[&str]); 6] = [
    ("t_ref", &["team", "the team's short name"]),
    ("t_rec", &["children", "title"]),
    ("t_root", &["part", "part id"]),
    ("t_any", &["url", "file", "the url to read", "the file to read"]),
    ("t_all", &["mode", "depth"]),
    ("t_far", &["kept"]),
];

/// Finds references that do not resolve, and what a root must not have.
fn problems(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if !schema["type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("object")) {
        found.push(format!("the root's type is {}", schema["type"]));
    }
    for key in ["anyOf", "oneOf", "allOf", "$ref", "if", "not", "enum"] {
        if schema.get(key).is_some() {
            found.push(format!("the root has {key}"));
        }
    }
    references(schema, &mut |reference| {
        let pointer = reference.strip_prefix('#').unwrap_or("not here");
        if schema.pointer(pointer).is_none() {
            found.push(format!("{reference} does not resolve"));
        }
    });
    found
}

fn references(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| match value {
            Value::String(reference) if key == "$ref" => each(reference),
            value => references(value, each),
        }),
        Value::Array(items) => items.iter().for_each(|item| references(item, each)),
        _ => {}
    }
}

#[test]
fn fc12_every_schema_reaches_every_provider_in_a_form_that_it_takes() {
    let call = Reply::tool(ToolCall::ending("t_any", json!({ "url": "u-1" })));
    let http_server = FakeMcpHttp::start_mode(Mode::Schemas);
    for is_http in [false, true] {
        let mut eval = Eval::new(Script::strict().on("Case", [call.clone(), Reply::text("ok")]));
        wire::with_google_login(&mut eval);
        let wires = wire::all(&eval.provider);
        let http = json!({ "transport": "http", "serverUrl": http_server.url() });
        let server = if is_http { http } else { eval.stdio("parts", Mode::Schemas) };
        let more = json!({ "variants": wire::variants(&wires) });
        eval.write(&json!({ "parts": server }), &json!([case("bin", json!({}))]), &more);
        let (finished, dir) = eval.run_expecting(&[], 0);
        for request in eval.provider.requests() {
            let form = request.form;
            let view = request.view();
            let tools: BTreeMap<&str, _> = view.tools.iter().map(|tool| (tool.name.as_str(), tool)).collect();
            assert_eq!(tools.len(), 8, "{form:?}: {:?}", tools.keys());
            for (name, tool) in &tools {
                assert_eq!(problems(&tool.schema), [] as [&str; 0], "{form:?}, {name}: {:#}", tool.schema);
            }
            for (name, words) in KEPT {
                let raw = tools[name].raw.to_string();
                for word in words {
                    assert!(raw.contains(word), "{form:?}, {name}: {word:?} is lost in {raw}");
                }
            }
            assert!(!request.text().contains("example.invalid"), "{form:?}: the far reference was sent on");
        }
        let said = finished.stderr + &dir.text();
        for name in ["t_far", "t_any", "t_all"] {
            assert!(said.contains(name), "{name} is not said to be adapted");
        }
        if !is_http {
            assert_eq!(eval.calls("parts"), vec![("t_any".to_owned(), json!({ "url": "u-1" })); wires.len()]);
        }
    }
}
