//! `mst export`: what other programs get of a stored run.

use std::path::Path;
use std::process::Stdio;

use mst_testkit::{CollectorAnswer, FakeCollector, Finished, Mode, Reply, Rule, Script, TestEnv, When};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, lookup};

/// An eval of two cases with two trials each, of which the second case fails.
fn two_cases() -> Eval {
    let script = Script::strict()
        .on("Case -second", [Reply::text("=HYPERLINK(\"x\"), it says\r\n\u{1b}[31mred\u{202e}")])
        .rule(Rule::new(When::default(), done()).repeating());
    let eval = Eval::new(script);
    let contains = json!({ "containsText": "bin 7" });
    let cases = json!([case("first", lookup()), case("-second, \"quoted\"", contains)]);
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &cases, &json!({}));
    eval
}

fn export(eval: &Eval, format: &str, run: &str, more: &[&str]) -> Finished {
    eval.mst(&[&["export", format, run, "--output-dir", "out"], more].concat())
}

#[test]
fn csv_has_a_row_a_trial_and_no_formula() {
    let eval = two_cases();
    let (_, run) = eval.run_expecting(&["--trials", "2"], 1);
    let finished = export(&eval, "csv", &run.id(), &[]);
    finished.expect_code(0);
    assert_eq!(finished.stderr, "");
    let lines: Vec<&str> = finished.stdout.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 5, "a head and a row a trial: {}", finished.stdout);
    assert!(lines[0].starts_with("run_id,eval,variant,client,model,dataset,case_id,trial,pass,"), "{}", lines[0]);
    assert!(lines[0].ends_with(",textContains verdict,textContains score,toolsTriggered verdict,toolsTriggered score"));
    let heads: Vec<&str> = lines[0].split(',').collect();
    let first = lines.iter().find(|line| line.contains(",first,1,")).expect("a row of the second trial");
    let cells: std::collections::BTreeMap<&str, &str> = heads.iter().copied().zip(first.split(',')).collect();
    for (column, cell) in [
        ("run_id", run.id().as_str()),
        ("eval", "parts-eval"),
        ("variant", "default"),
        ("model", "claude-x"),
        ("case_id", "first"),
        ("trial", "1"),
        ("pass", "true"),
        ("ending", "trial"),
        ("broke", ""),
        ("error", ""),
        ("model_calls", "2"),
        ("tool_calls", "1"),
        ("failed_tool_calls", "0"),
        ("input_tokens", "200"),
        ("output_tokens", "40"),
        ("cost_usd", ""),
        ("textContains verdict", ""),
        ("toolsTriggered verdict", "pass"),
    ] {
        assert_eq!(cells[column], cell, "{column}");
    }
    let second = lines.iter().find(|line| line.contains("second")).expect("a row");
    assert!(second.contains(",\"'-second, \"\"quoted\"\"\",0,false,trial,"), "{second}");
    assert!(second.ends_with(",fail,,,"), "{second}");
}

#[test]
fn jsonl_joins_trials_with_their_scores() {
    let eval = two_cases();
    let run = eval.run(1);
    let file = eval.env.path("sub/trials.jsonl");
    let finished = export(&eval, "jsonl", &run.id(), &["--out", "sub/trials.jsonl"]);
    finished.expect_code(0);
    assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("", ""));
    let text = fs_err::read_to_string(file).expect("it was written");
    assert!(text.chars().all(|char| char == '\n' || !char.is_control()) && !text.contains('\u{202e}'), "{text}");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    for line in &lines {
        let stored = run.trial(line["caseId"].as_str().expect("an id"));
        assert_eq!(line["transcript"], stored["transcript"], "the same texts, written otherwise");
        assert_eq!((&line["evalName"], &line["runId"]), (&json!("parts-eval"), &json!(run.id())));
        assert_eq!(line.get("gradedIn"), None);
    }
    let passed = |id: &str| lines.iter().find(|line| line["caseId"] == id).expect("a line")["pass"].clone();
    assert_eq!((passed("first"), passed("-second, \"quoted\"")), (json!(true), json!(false)));
    assert_eq!(lines.iter().filter(|line| line["scores"]["toolsTriggered"]["pass"] == true).count(), 1);
}

#[test]
fn a_trace_is_the_same_in_a_file_and_at_a_collector_however_often() {
    let eval = two_cases();
    let run = eval.run(1);
    let collector = FakeCollector::start([]);
    let mut seen = Vec::new();
    for protocol in ["http/protobuf", "http/json"] {
        let arguments = ["export", "otlp", &run.id(), "--output-dir", "out", "--endpoint", &collector.url()];
        let mut command = eval.env.command(&TestEnv::mst(), arguments);
        let output = command.env("OTEL_EXPORTER_OTLP_PROTOCOL", protocol).output().expect("mst runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{told}");
        seen.push(collector.spans());
        assert!(told.contains(&format!("{} spans arrived at {}/v1/traces", seen[0].len(), collector.url())), "{told}");
        assert!(told.contains(&seen[0][0].trace), "{told}");
        collector.forget();
    }
    assert_eq!(seen[0], seen[1], "two exports give the same spans");
    let finished = export(&eval, "otlp", &run.id(), &[]);
    finished.expect_code(0);
    let mut names: Vec<String> = Vec::new();
    for line in finished.stdout.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let spans = line["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans").clone();
        names.extend(spans.iter().map(|span| format!("{} {}", span["spanId"], span["name"])));
    }
    let sent: Vec<String> = seen[0].iter().map(|span| format!("{:?} {:?}", span.id, span.name)).collect();
    assert_eq!(names, sent);
}

#[test]
fn a_collector_that_takes_nothing_is_told_in_one_line() {
    let eval = two_cases();
    let run = eval.run(1);
    let refused = CollectorAnswer::Refused(401, None, "who are \u{1b}[31myou".to_owned());
    let partial = CollectorAnswer::Partial(2, "too old".to_owned());
    for (answer, want) in [
        (refused, ": it answered 401: who are \\u{1b}[31myou; 0 spans had arrived, of 2 of 2 trials"),
        (partial, " rejected 2 spans: too old"),
    ] {
        let collector = FakeCollector::start([answer]);
        let endpoint = collector.url().replace("http://", "http://user:planted-1@");
        let finished = export(&eval, "otlp", &run.id(), &["--endpoint", &endpoint]);
        finished.expect_code(8);
        assert_eq!(finished.stderr.trim_end(), format!("error: the collector at {}/v1/traces{want}", collector.url()));
    }
    for (arguments, want) in [
        (["export", "csv", "x", "--endpoint", "http://h"], "--endpoint sends a trace: it goes with otlp alone"),
        (["export", "otlp", "x", "--endpoint", "h:4317"], "no run \"x\""),
        (["export", "xml", "x", "--output-dir", "out"], "invalid value 'xml'"),
    ] {
        let finished = eval.mst(&arguments);
        finished.expect_code(2);
        assert!(finished.stderr.contains(want), "{}", finished.stderr);
    }
}

#[test]
fn a_closed_pipe_ends_an_export_quietly_and_a_device_stays_one() {
    let eval = two_cases();
    let run = eval.run(1);
    for format in ["csv", "jsonl", "otlp"] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = eval.env.command(&TestEnv::mst(), ["export", format, &run.id(), "--output-dir", "out"]);
        let output = command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
        let output = output.spawn().expect("mst can be started").wait_with_output().expect("mst ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
        assert!(matches!(output.status.code(), Some(0) | None), "{format}: {}", output.status);
        export(&eval, format, &run.id(), &["--out", "/dev/null"]).expect_code(0);
    }
}

/// Reads CSV and JSON lines as their consumers do.
const READER: &str = "
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8'), strict=True))
lines = [json.loads(line) for line in open(sys.argv[2], encoding='utf-8')]
spans = [span for line in open(sys.argv[3], encoding='utf-8') for group in json.loads(line)['resourceSpans']
         for scope in group['scopeSpans'] for span in scope['spans']]
ids = {span['spanId'] for span in spans}
print(json.dumps({
    'cells': sorted({len(row) for row in rows}), 'loose': any(None in row or None in row.values() for row in rows),
    'rows': sorted((row['case_id'].lstrip(\"'\"), row['pass']) for row in rows),
    'lines': sorted((line['caseId'], str(line['pass']).lower()) for line in lines),
    'formulas': [cell for row in rows for cell in row.values() if cell[:1] in '=+-@\\t\\r' and cell != ''],
    'orphans': [span['name'] for span in spans if span['parentSpanId'] and span['parentSpanId'] not in ids],
    'backwards': [span['name'] for span in spans if int(span['endTimeUnixNano']) < int(span['startTimeUnixNano'])],
}))
";

#[test]
#[ignore = "needs Python"]
fn python_reads_every_form() {
    let eval = two_cases();
    let run = eval.run(1);
    for format in ["csv", "jsonl", "otlp"] {
        export(&eval, format, &run.id(), &["--out", &format!("run.{format}")]).expect_code(0);
    }
    let read = eval.env.run(Path::new("python3"), ["-c", READER, "run.csv", "run.jsonl", "run.otlp"]);
    read.expect_code(0);
    let read = read.json();
    assert_eq!(read["rows"], read["lines"]);
    assert_eq!(read["rows"], json!([["-second, \"quoted\"", "false"], ["first", "true"]]));
    assert_eq!((&read["cells"], &read["loose"]), (&json!([26]), &json!(false)));
    for empty in ["formulas", "orphans", "backwards"] {
        assert_eq!(read[empty], json!([]), "{empty}");
    }
}
