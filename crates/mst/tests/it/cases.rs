//! Datasets as people write them: ids, bytes, misspellings, and how arguments match.

use mst_testkit::{Mode, Reply, Script, ToolCall};
use serde_json::{Value, json};

use crate::eval::{Eval, case};

const BOM: &[u8] = b"\xef\xbb\xbf";

#[test]
fn fc25_every_id_has_a_path_of_its_own() {
    let long = "検".repeat(100);
    let ids = ["docs/10.1038/x", "PMID:4030", "a b%2Fc", "a b/c", "..", "con", ".hidden", "a*b?", &long];
    let script = ids.iter().enumerate().fold(Script::strict(), |script, (number, _)| {
        script.on(format!("Number {number}:"), [Reply::text(format!("answer {number}."))])
    });
    let eval = Eval::new(script);
    let cases: Value = ids
        .iter()
        .enumerate()
        .map(|(number, id)| json!({ "id": id, "input": format!("Number {number}: say it"), "assertions": { "containsText": format!("answer {number}.") } }))
        .collect();
    eval.write(&json!({}), &cases, &json!({}));
    eval.run_with(&["--dry-run"]).expect_code(0);
    assert_eq!(eval.provider.stats().requests, 0);
    let dir = eval.run(0);
    let mut stored: Vec<String> =
        dir.trials().iter().map(|(_, trial)| trial["caseId"].as_str().expect("an id").to_owned()).collect();
    stored.sort();
    let mut wanted: Vec<String> = ids.iter().map(ToString::to_string).collect();
    wanted.sort();
    assert_eq!(stored, wanted);
    for path in dir.paths() {
        assert!(path.split('/').all(|part| part.len() <= 255 && part != ".."), "{path}");
    }
    assert!(dir.trials().iter().all(|(path, _)| path.split('/').count() == 4), "{:?}", dir.paths());
    assert!(dir.states().values().all(|state| *state == "pass"), "a case took another's answer: {:?}", dir.states());
}

#[test]
fn fc25_ids_that_a_file_system_would_fold_are_refused_or_kept_apart() {
    for ids in [["Search", "search"], ["\u{e9}", "e\u{301}"], ["straße", "STRASSE"]] {
        let eval = Eval::new(Script::strict().on("Case", [Reply::text("ok")]));
        eval.write(&json!({}), &json!([case(ids[0], json!({})), case(ids[1], json!({}))]), &json!({}));
        let finished = eval.run_with(&[]);
        if finished.code == Some(0) {
            let dir = eval.newest();
            let folded: std::collections::BTreeSet<String> =
                dir.trials().iter().map(|(path, _)| path.to_lowercase()).collect();
            assert_eq!(folded.len(), 2, "{ids:?}: {:?}", dir.paths());
        } else {
            finished.expect_code(2);
            assert_eq!(eval.provider.stats().requests, 0, "{ids:?}");
        }
    }
    let eval = Eval::new(Script::strict());
    eval.write(&json!({}), &json!([case("same", json!({}))]), &json!({ "datasets": ["parts.json", "more.json"] }));
    eval.env.write_json("more.json", &json!({ "name": "more", "cases": [case("same", json!({}))] }));
    let finished = eval.run_with(&["--dry-run"]);
    finished.expect_code(2);
    for word in ["same", "parts", "more"] {
        assert!(finished.stderr.contains(word), "{word}: {}", finished.stderr);
    }
}

#[test]
fn fc27_a_prompt_is_sent_byte_for_byte() {
    let eval = Eval::new(Script::strict().on("line 1", [Reply::text("ok")]));
    eval.write_config(&json!({}), &json!({}));
    let text = b"{\"name\":\"parts\",\r\n\"cases\":[{\"id\":\"bin\",\r\n\"input\":\"line 1\\r\\nline 2 \"}]}\r\n";
    eval.env.write("parts.json", [BOM, text].concat());
    eval.run(0);
    assert_eq!(eval.provider.views()[0].prompt(), "line 1\r\nline 2 ");
}

#[test]
fn fc27_what_an_author_did_not_mean_is_refused_with_its_place() {
    let one = |fields: &str| format!("{{\"name\":\"parts\",\n \"cases\":[{{\"id\":\"case-1\",{fields}}}]}}");
    let third_blank: Value = (0..200)
        .map(|n| json!({ "id": format!("n{n:03}"), "input": if n == 2 { "  ".to_owned() } else { format!("q {n}") } }))
        .collect();
    let table: Vec<(Vec<u8>, &[&str])> = vec![
        ([BOM, BOM, one("\"input\":\"x\"").as_bytes()].concat(), &["parts.json:1:"]),
        (one("\"input\":\"x\",\"input\":\"y\"").into(), &["parts.json:2:", "input"]),
        (one("\"input\":\"x\",\"assertion\":{}").into(), &["parts.json:2:", "assertion", "assertions", "case-1"]),
        (
            one("\"input\":\"x\",\"assertions\":{\"toolsTriggered\":{\"calls\":[{\"tool\":\"a\"}]}}").into(),
            &["tool", "name", "case-1"],
        ),
        (one("\"input\":\"x\",").into(), &["parts.json:2:"]),
        (one("\"input\":\"\\u00a0\"").into(), &["case-1"]),
        (one("\"input\":\"\\u3000\\n\"").into(), &["case-1"]),
        (one("\"input\":\"\\ufeff\"").into(), &["case-1"]),
        (one("\"input\":\"\"").into(), &["case-1"]),
        (one("\"input\":\"x\",\"assertions\":{\"matchesPattern\":\"(\"}").into(), &["parts.json:2:", "case-1"]),
        (one("\"input\":\"\\ud800\"").into(), &["parts.json:2:"]),
        ("name: parts\ncases:\n  - id: a\n".into(), &["JSON"]),
        (json!({ "name": "parts", "cases": third_blank }).to_string().into(), &["n002"]),
    ];
    let eval = Eval::new(Script::strict());
    eval.write_config(&json!({}), &json!({}));
    for (text, words) in table {
        eval.env.write("parts.json", &text);
        for more in [&[][..], &["--dry-run"]] {
            let finished = eval.run_with(more);
            finished.expect_code(2);
            assert_eq!(finished.stdout, "");
            for word in words {
                assert!(finished.stderr.contains(word), "{word:?}: {}", finished.stderr);
            }
        }
    }
    assert_eq!((eval.provider.stats().requests, eval.runs().len()), (0, 0));
}

#[test]
fn fc28_arguments_match_by_the_rules_that_the_docs_state() {
    let any = || Value::Null;
    let id = |id: &str| json!({ "id": id });
    let table = [
        ("m1", vec![json!({ "n": 10 })], vec![json!({ "n": 10.0 })], false, "pass"),
        ("m2", vec![json!({ "n": 10 })], vec![json!({ "n": "10" })], false, "fail"),
        ("m3", vec![json!({ "ids": ["a"] })], vec![json!({ "ids": ["a", "b"] })], false, "fail"),
        ("m4", vec![json!({ "ids": [] })], vec![json!({ "ids": ["a"] })], false, "fail"),
        ("m5", vec![json!({ "f": { "s": "open" } })], vec![json!({ "f": { "s": "open", "page": 1 } })], false, "pass"),
        ("m6", vec![json!({ "f": {} })], vec![json!({ "f": [] })], false, "fail"),
        ("m7a", vec![any()], vec![json!({})], false, "pass"),
        ("m7b", vec![any()], vec![json!({ "x": 1 })], false, "pass"),
        ("m8", vec![json!({ "k": null })], vec![json!({})], false, "fail"),
        (
            "m9",
            vec![json!({ "big": 9_007_199_254_740_993_u64 })],
            vec![json!({ "big": 9_007_199_254_740_992_u64 })],
            false,
            "fail",
        ),
        ("m10a", vec![id("p-1"), id("p-1")], vec![id("p-1")], false, "fail"),
        ("m10b", vec![id("p-1"), id("p-1")], vec![id("p-1"), id("p-1")], false, "pass"),
        ("m11", vec![json!({}), id("p-1")], vec![id("p-1"), id("p-2")], false, "pass"),
        ("m12a", vec![id("p-1")], vec![id("p-1"), id("p-9")], true, "pass"),
        ("m12b", vec![id("p-1")], vec![id("p-1"), json!("ping")], true, "fail"),
    ];
    let call = |seen: &Value| match seen {
        Value::String(name) => ToolCall::ending(name.as_str(), json!({})),
        arguments => ToolCall::ending("lookup", arguments.clone()),
    };
    let expected = |arguments: &Value| match arguments {
        Value::Null => json!({ "name": "lookup" }),
        arguments => json!({ "name": "lookup", "arguments": arguments }),
    };
    let script = table.iter().fold(Script::strict(), |script, (id, _, seen, ..)| {
        script.on(format!("Case {id}:"), [Reply::tools(seen.iter().map(call)), Reply::text("done")])
    });
    let cases: Value = table
        .iter()
        .map(|(id, want, _, exclusive, _)| {
            let calls: Value = want.iter().map(expected).collect();
            case(id, json!({ "toolsTriggered": { "calls": calls, "exclusive": exclusive } }))
        })
        .collect();
    let eval = Eval::new(script);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::NoArguments) }), &cases, &json!({}));
    let dir = eval.run(1);
    for (id, .., state) in &table {
        assert_eq!(dir.state(id), *state, "{id}: {}", dir.case(id)["scores"]);
    }
    let details = |id: &str| dir.case(id)["scores"]["toolsTriggered"]["details"].as_str().expect("details").to_owned();
    insta::assert_snapshot!(details("m2"), @r#"
    expected call: lookup {"n":10}
    closest observed call: parts.lookup {"n":"10"} (event 0)
    first difference: $.n: expected the number 10, observed the string "10"
    "#);
    insta::assert_snapshot!(details("m3"), @r#"
    expected call: lookup {"ids":["a"]}
    closest observed call: parts.lookup {"ids":["a","b"]} (event 0)
    first difference: $.ids: expected 1 item ["a"], observed 2 items ["a","b"]
    "#);
    insta::assert_snapshot!(details("m12b"), @"unexpected call: parts.ping {} (event 1)");
}
