//! Tapes: what is written is served again, and what cannot be read is named.

use std::path::{Path, PathBuf};

use mst_model::{
    Exchange, Nearest, Played, Scrubber, TapeAnswer, TapeKind, TapePlayer as _, TapeRecorder as _, TapeRequest,
    TapeScope,
};
use mst_store::{TapeHeader, TapeReader, TapeWriter};
use serde_json::{Value, json};

use crate::support::at;

fn scope(case: &str) -> TapeScope {
    TapeScope::trial(&"default".into(), &case.into(), 0)
}

fn request(case: &str, request: Value) -> TapeRequest {
    TapeRequest { kind: TapeKind::Mcp, scope: scope(case), request }
}

fn exchange(case: &str, asked: Value, answer: TapeAnswer) -> Exchange {
    Exchange { request: request(case, asked), server: Vec::new(), answer, took_ms: 3 }
}

fn reply(value: Value) -> TapeAnswer {
    TapeAnswer::Reply(value)
}

/// Records some exchanges in a new file of a folder.
fn tape(folder: &Path, secrets: &[&str], exchanges: impl IntoIterator<Item = Exchange>) -> PathBuf {
    let path = folder.join("run.tape");
    let scrubber = Scrubber::new(secrets.iter().copied(), []);
    let writer = TapeWriter::create(&path, &TapeHeader::new("0.1.0", at(0)), scrubber).expect("a new file");
    for exchange in exchanges {
        writer.record(exchange);
    }
    writer.finish().expect("it was written");
    path
}

fn played(reader: &TapeReader, case: &str, asked: Value) -> Result<Played, Nearest> {
    reader.play(request(case, asked)).map_err(|miss| miss.nearest)
}

#[test]
fn what_was_recorded_is_served_in_order_to_equal_requests() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = json!({ "tools": [{ "name": "a", "description": "x".repeat(600) }] });
    let path = tape(
        folder.path(),
        &[],
        [
            exchange("a", json!({ "call": 1, "n": 1.0 }), reply(json!(null))),
            exchange("b", json!({ "call": 1 }), TapeAnswer::Failure(json!({ "timeout": 5 }))),
            exchange("a", json!({ "n": 1, "call": 1 }), reply(long.clone())),
            exchange("a", json!({ "list": 1 }), reply(long.clone())),
            exchange("a", json!({ "slow": 1 }), TapeAnswer::GivenUp(7)),
        ],
    );
    let text = fs_err::read_to_string(&path).expect("a text");
    assert_eq!(text.matches("xxxxxx").count(), 100, "the long value is written once");
    let reader = TapeReader::open(&path).expect("a tape");
    assert_eq!(reader.warnings(), Vec::<String>::new());
    let answer = |case, asked| played(&reader, case, asked).expect("it is there").answer;
    assert_eq!(answer("b", json!({ "call": 1 })), TapeAnswer::Failure(json!({ "timeout": 5 })));
    assert_eq!(answer("a", json!({ "slow": 1 })), TapeAnswer::GivenUp(7));
    assert_eq!(answer("a", json!({ "call": 1, "n": 1 })), reply(json!(null)));
    assert_eq!(answer("a", json!({ "call": 1, "n": 1 })), reply(long.clone()));
    assert_eq!(answer("a", json!({ "list": 1 })), reply(long));
    let next = reader.next(TapeKind::Mcp, &scope("a"), Some(1)).expect("a third");
    assert_eq!((next.place, next.request), (2, json!({ "list": 1 })));
    assert_eq!(reader.next(TapeKind::Mcp, &scope("a"), Some(3)), None);
}

#[test]
fn a_miss_names_what_is_nearest() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = |method: &str, word: &str| json!({ "method": method, "params": { "word": word, "limit": 3 } });
    let path = tape(
        folder.path(),
        &[],
        [
            exchange("a", asked("tools/call", "bolts"), reply(json!(1))),
            exchange("a", asked("tools/call", "nuts"), reply(json!(2))),
            exchange("a", json!({ "method": "resources/read" }), reply(json!(3))),
        ],
    );
    let reader = TapeReader::open(&path).expect("a tape");
    let miss = |case, asked| reader.play(request(case, asked)).expect_err("a miss").to_string();
    played(&reader, "a", asked("tools/call", "nuts")).expect("it is there");
    let lines = [
        miss("a", asked("tools/call", "nuts")),
        miss("b", asked("tools/call", "nuts")),
        miss("a", json!({ "method": "tools/call", "params": { "word": "nuts", "limit": 4 } })),
        miss("a", json!({ "method": "resources/read", "params": {} })),
        miss("a", json!({ "method": "prompts/list" })),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    the tape has this server request of default/a/0 once, and it was asked for once more
    the tape has no server request of default/b/0
    the tape lacks this server request of default/a/0; the nearest, number 2 of 3, differs at /params/limit: recorded 3, asked 4
    the tape lacks this server request of default/a/0; the nearest, number 3 of 3, differs at /params: recorded nothing, asked {}
    the tape lacks this server request of default/a/0; the nearest, number 3 of 3, differs at /method: recorded "resources/read", asked "prompts/list"
    "#);
}

#[test]
fn fc35_secrets_are_taken_out_and_what_stood_there_is_found_without_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked = |secret: &str| json!({ "text": format!("use {secret} twice: {secret}"), "n": 1 });
    let path = tape(
        folder.path(),
        &["hk-1Bn55Wq8"],
        [
            exchange("a", asked("hk-1Bn55Wq8"), reply(json!({ "hk-1Bn55Wq8": ["hk-1Bn55Wq8"] }))),
            exchange("a", asked("[REDACTED]"), TapeAnswer::Failure(json!("about hk-1Bn55Wq8"))),
        ],
    );
    assert!(!fs_err::read_to_string(&path).expect("a text").contains("hk-1Bn55Wq8"));
    let reader = TapeReader::open(&path).expect("a tape");
    let first = played(&reader, "a", asked("hk-1Bn55Wq8")).expect("the words around it are the same");
    assert_eq!(first.answer, reply(json!({ "[REDACTED]": ["[REDACTED]"] })));
    let second = played(&reader, "a", asked("[REDACTED]")).expect("it was recorded twice");
    assert_eq!(second.answer, TapeAnswer::Failure(json!("about [REDACTED]")));
}

#[test]
fn what_a_server_said_keeps_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.tape");
    let writer = TapeWriter::create(&path, &TapeHeader::new("0.1.0", at(0)), Scrubber::default()).expect("a new file");
    writer.record(exchange("a", json!(1), reply(json!("first"))));
    let mut second = exchange("a", json!(1), reply(json!("second")));
    second.server.push(json!("before"));
    let key = writer.record(second);
    writer.record(exchange("a", json!(2), reply(json!("third"))));
    writer.said_later(&key, vec![json!("after")]);
    writer.finish().expect("it was written");
    let reader = TapeReader::open(&path).expect("a tape");
    let said = |asked| played(&reader, "a", asked).expect("it is there").server;
    assert_eq!(said(json!(1)), Vec::<Value>::new());
    assert_eq!(said(json!(1)), [json!("before"), json!("after")]);
    assert_eq!(said(json!(2)), Vec::<Value>::new());
}

#[test]
fn a_tape_that_ends_anywhere_is_read_as_far_as_it_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = tape(
        folder.path(),
        &[],
        [exchange("a", json!(1), reply(json!(1))), exchange("a", json!(2), reply(json!("é")))],
    );
    let bytes = fs_err::read(&path).expect("bytes");
    let header = bytes.iter().position(|byte| *byte == b'\n').expect("a header") + 1;
    for end in header..bytes.len() {
        fs_err::write(&path, &bytes[..end]).expect("written");
        let reader = TapeReader::open(&path).unwrap_or_else(|error| panic!("cut at {end}: {error}"));
        let whole = bytes[..end].ends_with(b"\n");
        let torn = reader.warnings().iter().any(|warning| warning.contains("torn"));
        // A last line whose newline alone is missing is whole.
        assert!(!(torn && whole), "cut at {end}: {:?}", reader.warnings());
        assert_eq!(reader.warnings().is_empty(), end + 1 == bytes.len(), "cut at {end}: {:?}", reader.warnings());
    }
}

#[test]
fn what_is_no_tape_is_named_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = tape(folder.path(), &[], [exchange("a", json!(1), reply(json!(1)))]);
    let text = fs_err::read_to_string(&path).expect("a text");
    let lines: Vec<&str> = text.lines().collect();
    let refused = |content: String| {
        fs_err::write(&path, content).expect("written");
        let error = TapeReader::open(&path).expect_err("it is refused").to_string();
        error.replace(&path.display().to_string(), "run.tape")
    };
    let said = [
        refused(String::new()),
        refused("hello\nworld\n".to_owned()),
        refused("{\"format\":\"mst.run/v1\"}\n".to_owned()),
        refused("{\"format\":\"mst.tape/v2\"}\n".to_owned()),
        refused("{\"format\":\"mst.tape/v1\"}\n".to_owned()),
        refused(format!("{}\n{{\"kind\":\"http\"}}\n", lines[0])),
        refused(format!("{}\nnonsense\n{}\n", lines[0], lines[1])),
        refused(format!("{}\n{}\n{}\n", lines[0], lines[1], lines[1])),
        refused(format!("{}\n{}\n", lines[0], lines[1].replace("\"reply\":1,", ""))),
        refused(format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1])),
    ];
    insta::assert_snapshot!(said.join("\n"), @r#"
    run.tape:1: this is no tape: a tape begins with {"format":"mst.tape/v1", this with ""
    run.tape:1: this is no tape: a tape begins with {"format":"mst.tape/v1", this with "hello"
    run.tape:1: this is no tape: a tape begins with {"format":"mst.tape/v1", and its format is "mst.run/v1"
    run.tape is a tape of the format mst.tape/v2, and this version of mst reads mst.tape/v1
    run.tape:1: this is no tape: its header cannot be read: missing field `mst`
    run.tape:2: not a line of a tape: unknown variant `http`, expected one of `llm`, `mcp`, `later`, `part`, `end` (column 14)
    run.tape:2: not a line of a tape: expected ident (column 2)
    run.tape:3: its ordinal is 0, and 1 equal requests of its scope stand before it
    run.tape:2: an exchange has one of reply, failure and givenUpAfterMs
    run.tape:3: it comes after the tape's end
    "#);
    assert!(TapeWriter::create(&path, &TapeHeader::new("0.1.0", at(0)), Scrubber::default()).is_err(), "it exists");
}
