//! What a script sees: statuses, streams and pipes.

use std::io::Read as _;
use std::process::Stdio;

use mst_testkit::{Mode, Reply, Script, TestEnv};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, looks_up, lookup};

/// A table of ways in which a run ends, each with its exit status.
struct Row {
    name: &'static str,
    code: i32,
    script: Script,
    servers: fn(&Eval) -> Value,
    cases: Value,
    more: Value,
    flags: &'static [&'static str],
}

fn plain(eval: &Eval) -> Value {
    json!({ "parts": eval.stdio("parts", Mode::Plain) })
}

fn silent(eval: &Eval) -> Value {
    json!({ "parts": eval.stdio("parts", Mode::DiesAtStart) })
}

fn rows() -> Vec<Row> {
    let row = |name, code, script| Row {
        name,
        code,
        script,
        servers: plain,
        cases: json!([case("one", lookup()), case("two", lookup())]),
        more: json!({}),
        flags: &[],
    };
    let two = |reply: Reply| Script::strict().on("Case one:", done()).always("Case two:", reply);
    vec![
        row("all pass", 0, looks_up()),
        row("one failed", 1, two(Reply::text("no idea"))),
        row("a misspelt key", 2, looks_up()),
        row("an unknown case", 2, looks_up()),
        row("the server is away", 4, looks_up()),
        row("a key is refused", 5, two(Reply::status(401, "no"))),
        row("the provider broke", 6, two(Reply::reset())),
        row(
            "failed and broke",
            1,
            Script::strict().always("Case one:", Reply::text("no")).always("Case two:", Reply::reset()),
        ),
        row("the folder cannot be written", 8, looks_up()),
    ]
    .into_iter()
    .map(|row| match row.name {
        "a misspelt key" => Row { more: json!({ "modle": "x" }), ..row },
        "an unknown case" => Row { flags: &["--case", "three"], ..row },
        "the server is away" => Row { servers: silent, ..row },
        _ => row,
    })
    .collect()
}

#[test]
fn fc36_each_outcome_has_its_status_and_no_escapes() {
    // Most of the time goes by waiting for a provider that is tried again, so the rows wait together.
    std::thread::scope(|scope| {
        let running: Vec<_> = rows().into_iter().map(|row| scope.spawn(move || check(&row))).collect();
        for row in running {
            row.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

fn check(row: &Row) {
    let mut eval = Eval::new(row.script.clone());
    eval.write(&(row.servers)(&eval), &row.cases, &row.more);
    if row.code == 8 {
        eval.env.write("out", "a file where a folder should be");
    }
    for (variable, as_json) in [("CI", false), ("NO_COLOR", true)] {
        eval.env.set_variable(variable, "1");
        let flags: Vec<&str> = row.flags.iter().copied().chain(as_json.then_some("--json")).collect();
        let finished = eval.run_with(&flags);
        let name = row.name;
        assert_eq!(finished.code, Some(row.code), "{name}:\n{}\n{}", finished.stdout, finished.stderr);
        assert_eq!(finished.left_over, [], "{name}");
        for stream in [&finished.stdout, &finished.stderr] {
            assert!(!stream.contains(['\u{1b}', '\r']), "{name}: {stream:?}");
        }
        let is_refused = matches!(row.code, 2 | 8);
        if as_json {
            let value = finished.json();
            assert_eq!(value.get("error").is_some(), is_refused, "{name}: {value:#}");
            if is_refused {
                let class = if row.code == 2 { "usage" } else { "machine" };
                assert_eq!(value["error"]["class"], class, "{name}: {value:#}");
                assert!(value["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{name}");
            }
        } else if is_refused {
            assert_eq!(finished.stdout, "", "{name}");
        }
    }
}

#[test]
fn an_incomplete_case_without_a_class_of_its_own_is_3() {
    // A tool that appears later is nobody's outage: it cannot be told how the case would have ended.
    let replies = [Reply::call("list_notes", json!({})), Reply::call("purge", json!({})), Reply::text("x")];
    let eval = Eval::new(Script::strict().on("Case", replies));
    eval.write(&json!({ "docs": eval.stdio("docs", Mode::ListChanged) }), &json!([case("n", json!({}))]), &json!({}));
    eval.run(3);
}

#[test]
fn fc36_a_closed_pipe_ends_quietly() {
    let eval = Eval::passing();
    let dry = Eval::arguments(&["--dry-run"]);
    for arguments in [&dry[..], &["--help"], &["run", "--help"], &["--version"], &Eval::arguments(&["--json"])] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = eval.env.command(&TestEnv::mst(), arguments);
        let mut child =
            command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).spawn().expect("mst can be started");
        drop(command);
        let mut stderr = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("text");
        let status = child.wait().expect("its status");
        assert!(!stderr.contains("panicked") && !stderr.to_lowercase().contains("pipe"), "{arguments:?}: {stderr}");
        assert!(matches!(status.code(), Some(0) | None), "{arguments:?}: {status}");
    }
}

#[test]
fn a_full_disk_for_stdout_is_told() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let eval = Eval::passing();
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let mut command = eval.env.command(&TestEnv::mst(), Eval::arguments(&["--dry-run"]));
    let output = command.stdin(Stdio::null()).stdout(full.into_parts().0).output().expect("mst runs");
    assert_eq!(output.status.code(), Some(8), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn warnings_come_before_a_run_and_readiness_variables_are_checked() {
    let mut eval = Eval::passing();
    for (name, value) in [("MST_MCP_READINESS_RETRY_S", "soon"), ("MST_COWORK_MCP_PREFLIGHT_RETRY_S", "1")] {
        eval.env.set_variable(name, value);
        let finished = eval.run_with(&[]);
        finished.expect_code(2);
        assert!(finished.stderr.contains("MST_MCP_READINESS_RETRY_S"), "{}", finished.stderr);
        eval.env.remove_variable(name);
    }
    assert_eq!(eval.provider.stats().requests, 0);
}
