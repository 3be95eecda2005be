//! Whole outputs, as a person sees them.

use mst_testkit::env::normalise;
use mst_testkit::{Finished, Mode, Reply, Script, fake_binary};
use serde_json::{Value, json};

use crate::eval::{Eval, case, done, looks_up, lookup};

/// Returns a text without what differs from run to run and from machine to machine.
pub(crate) fn settled(eval: &Eval, text: &str) -> String {
    let fake = fake_binary().display().to_string().replace('.', r"\.");
    let text = normalise(
        text,
        [(fake.as_str(), "[FAKE]"), (r"\b[0-9a-f]{64}\b", "[HASH]"), (r" +\d+\.\d\d s\b", "  [SECONDS]")],
    );
    let text = normalise(
        &text,
        [
            (r#"("optionKey": )"[0-9a-f]{16}""#, r#"$1"[KEY]""#),
            (r#"("duration_s_\w+": )-?[\d.]+(e-?\d+)?"#, "$1[SECONDS]"),
        ],
    );
    let text = normalise(&text, [(r#"("durationMs": )[\d.]+"#, "$1[MS]"), (r#"("durationApiMs": )[\d.]+"#, "$1[MS]")]);
    let text = normalise(&text, [(r"(mst.version.: |.version.: )\x22\d+\.\d+\.\d+\x22", "$1\"[VERSION]\"")]);
    eval.env.normalise(&text)
}

/// Returns both streams under their names.
fn streams(eval: &Eval, finished: &Finished) -> String {
    settled(eval, &format!("-- stdout\n{}-- stderr\n{}-- exit {:?}", finished.stdout, finished.stderr, finished.code))
}

fn two_cases() -> Value {
    json!([case("one", lookup()), case("two", lookup())])
}

#[test]
fn the_quickstart() {
    let eval = Eval::new(Script::strict());
    for file in ["eval.json", "cases.json"] {
        let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart/");
        eval.env.write(format!("quickstart/{file}"), fs_err::read(format!("{example}{file}")).expect("the example"));
    }
    let finished = eval.mst(&["run", "--config", "quickstart/eval.json"]);
    insta::assert_snapshot!(streams(&eval, &finished), @"
    -- stdout
    quickstart: 4 of 4 cases passed (100.0%)
     Variant  Passed  Trial pass  MCP calls / events  Input  Output  Cost    Time
     default     4/4      100.0%             0.8 / 0      -       -     -  [SECONDS]
    Note: answered by the offline baseline (lexical-1), which is not a language model: do not compare these scores with a language model's.
    -- stderr
    Run [RUN]: 4 trials

    Run directory: ./.mcp-test-results/quickstart/runs/[RUN]
    Report: ./.mcp-test-results/quickstart/runs/[RUN]/report/index.html
    -- exit Some(0)
    ");
}

#[test]
fn a_failed_run() {
    let eval = Eval::new(Script::strict().on("Case one:", done()).always("Case two:", Reply::text("I do not know.")));
    let more = json!({ "pricing": { "claude-x": { "input": 3, "output": 15 } }, "variants": [{ "name": "a" }, { "name": "b" }] });
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &two_cases(), &more);
    let finished = eval.run_with(&[]);
    insta::assert_snapshot!(streams(&eval, &finished), @r#"
    -- stdout
    parts-eval: 2 of 4 cases passed (50.0%)
      a/two: toolsTriggered: expected call: lookup {"id":"p-1"}
        nothing was called
      b/two: toolsTriggered: expected call: lookup {"id":"p-1"}
        nothing was called
     Variant  Passed  Trial pass  MCP calls / events  Input  Output      Cost    Time
     a           1/2       50.0%             0.5 / 0    150      30  $0.0009*  [SECONDS]
     b           1/2       50.0%             0.5 / 0    150      30  $0.0009*  [SECONDS]
    * estimated from the eval config's pricing; tokens, cost and time are means per trial
    b against a: +0.0 points of cases passed
    -- stderr
    Run [RUN]: 4 trials

    Run directory: out/runs/[RUN]
    Report: out/runs/[RUN]/report/index.html
    -- exit Some(1)
    "#);
}

#[test]
fn an_incomplete_run() {
    let eval = Eval::new(Script::strict().on("Case one:", done()).always("Case two:", Reply::status(401, "no")));
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &two_cases(), &json!({}));
    let finished = eval.run_with(&[]);
    insta::assert_snapshot!(streams(&eval, &finished), @"
    -- stdout
    parts-eval: 1 of 1 case passed (100.0%), 1 incomplete
     Variant  Passed  Trial pass  MCP calls / events  Input  Output  Cost    Time
     default     1/2      100.0%               1 / 0    200      40     -  [SECONDS]
    -- stderr
    Run [RUN]: 2 trials

    Incomplete: two: anthropic got no usable credentials (status 401)
    hint: a reason above that a retry cannot help needs a fix to the eval, the case or the setup, and a new run
    Run directory: out/runs/[RUN]
    Report: out/runs/[RUN]/report/index.html
    -- exit Some(5)
    ");
}

#[test]
fn why_a_case_is_incomplete_stays_when_talk_is_left_out_and_stands_in_json() {
    let eval = Eval::new(Script::strict().on("Case one:", done()).always("Case two:", Reply::status(401, "no")));
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &two_cases(), &json!({}));
    let quiet = eval.run_with(&["-q"]);
    assert!(quiet.stderr.starts_with("Incomplete: two: anthropic got no usable credentials"), "{}", quiet.stderr);
    assert!(!quiet.stderr.contains("Run directory"), "{}", quiet.stderr);
    let finished = eval.run_with(&["--json", "-q"]);
    let reason = "anthropic got no usable credentials (status 401)";
    let want = json!([{ "variant": "default", "caseId": "two", "reason": reason, "retryable": false }]);
    assert_eq!(finished.json()["incomplete"], want);
    assert!(finished.stderr.contains(reason), "{}", finished.stderr);
}

#[test]
fn a_server_that_is_not_ready() {
    let eval = Eval::new(looks_up());
    eval.write(&json!({ "parts": eval.stdio("parts", Mode::DiesAtStart) }), &two_cases(), &json!({}));
    let finished = eval.run_with(&[]);
    insta::assert_snapshot!(streams(&eval, &finished), @"
    -- stdout
    parts-eval: no case is complete, 2 incomplete
     Variant  Passed  Trial pass  MCP calls / events  Input  Output  Cost  Time
     default     0/2           -               - / -      -       -     -     -
    -- stderr
    Run [RUN]: 2 trials

    Incomplete: one, two: MCP server not ready, so no trial was sent: parts exited with status 3 during initialize; its stderr ends with: fatal: no configuration found. Checked once.
    hint: to collect what is missing: mst run --config eval.json --output-dir out --resume [RUN]
    hint: if it takes a change to the eval config, start a new run instead: a resume keeps the config
    Run directory: out/runs/[RUN]
    Report: out/runs/[RUN]/report/index.html
    -- exit Some(4)
    ");
}

#[test]
fn tools_that_may_write() {
    let eval = Eval::new(looks_up());
    eval.write(&json!({ "docs": eval.stdio("docs", Mode::WriteHints) }), &two_cases(), &json!({}));
    let finished = eval.run_with(&[]);
    insta::assert_snapshot!(streams(&eval, &finished), @r#"
    -- stdout
    -- stderr
    error: tools that aren't read-only, on servers whose writes nothing stops: "docs" lists save_note, wipe, peek
    hint: no trial was started; if these tools may run for real, add to the eval config: "writes": { "docs": "unguarded" }
    -- exit Some(2)
    "#);
}

#[test]
fn a_config_with_several_mistakes() {
    let eval = Eval::new(Script::strict());
    eval.env.write(
        "eval.json",
        r#"{
  "name": "parts-eval",
  "datasets": ["parts.json"],
  "modle": "claude-x",
  "concurrency": 0,
  "servers": { "parts": { "transport": "stdio", "comand": "x" } },
  "writes": { "docs": "unguarded" },
  "variants": [{ "name": "a", "arms": [] }, { "name": "A" }],
  "baseline": "b"
}
"#,
    );
    eval.env.write(
        "parts.json",
        r#"{ "name": "parts", "cases": [
  { "id": "one", "scenario": "x" },
  { "id": "two", "input": " ", "assertions": { "matchesPattern": "(" } }
] }
"#,
    );
    let finished = eval.run_with(&["--dry-run"]);
    insta::assert_snapshot!(streams(&eval, &finished), @r#"
    -- stdout
    -- stderr
    error: unknown key "modle"
      --> eval.json:4:3
       |
     4 |   "modle": "claude-x",
       |   ^^^^^^^
       = help: did you mean "model"?
    error: "concurrency" must be at least 1, not 0
      --> eval.json:5:18
       |
     5 |   "concurrency": 0,
       |                  ^
    error: unknown key "comand"
      --> eval.json:6:49
       |
     6 |   "servers": { "parts": { "transport": "stdio", "comand": "x" } },
       |                                                 ^^^^^^^^
       = help: did you mean "command"?
    error: unknown key "arms"
      --> eval.json:8:31
       |
     8 |   "variants": [{ "name": "a", "arms": [] }, { "name": "A" }],
       |                               ^^^^^^
       = help: known: name, description, servers, client, model, clientOptions, toolMap, tools, inputTemplate, metrics, judges
    error: case "one": unknown key "scenario": it is now "input"
      --> parts.json:2:18
       |
     2 |   { "id": "one", "scenario": "x" },
       |                  ^^^^^^^^^^
       = help: did you mean "input"?
    error: case "two": "input" is blank
      --> parts.json:3:27
       |
     3 |   { "id": "two", "input": " ", "assertions": { "matchesPattern": "(" } }
       |                           ^^^
    error: case "two": the pattern is invalid: Unbalanced parenthesis
      --> parts.json:3:66
       |
     3 |   { "id": "two", "input": " ", "assertions": { "matchesPattern": "(" } }
       |                                                                  ^^^
    -- exit Some(2)
    "#);
}

#[test]
fn a_dry_run() {
    let eval = Eval::passing();
    let more = json!({ "variants": [{ "name": "a" }, { "name": "b", "servers": [] }], "trials": 2 });
    eval.write_config(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &more);
    let finished = eval.run_with(&["--dry-run", "--variant", "b", "--trials", "3"]);
    insta::assert_snapshot!(streams(&eval, &finished), @r#"
    -- stdout
    {
      "name": "parts-eval",
      "outputDir": "out",
      "datasets": [
        {
          "type": "file",
          "path": "parts.json",
          "name": "parts",
          "caseCount": 1,
          "contentHash": "[HASH]"
        }
      ],
      "variants": [
        "b"
      ],
      "partial": true,
      "selection": {
        "variants": [
          "b"
        ],
        "trials": 3
      },
      "runner": {
        "name": "local",
        "shards": 1
      },
      "plan": [
        {
          "variant": "b",
          "client": "api",
          "model": "claude-x",
          "servers": [],
          "cases": 1,
          "trials": 3
        }
      ]
    }
    -- stderr
    -- exit Some(0)
    "#);
    assert_eq!(
        (eval.provider.all_requests().len(), eval.processes("parts"), eval.env.path("out").exists()),
        (0, 0, false)
    );
}

#[test]
fn a_run_as_json() {
    let eval = Eval::passing();
    let finished = eval.run_with(&["--json"]);
    insta::assert_snapshot!(streams(&eval, &finished), @r#"
    -- stdout
    {
      "format": "mst.run/v1",
      "kind": "summary",
      "runId": "[RUN]",
      "configId": "parts-eval",
      "contentHash": "[HASH]",
      "timestamp": "[TIME]",
      "durationMs": [MS],
      "configName": "parts-eval",
      "variants": [
        {
          "name": "default",
          "servers": [
            {
              "label": "parts",
              "transport": "stdio",
              "command": "[FAKE]"
            }
          ],
          "result": {
            "total": 1,
            "passed": 1,
            "failed": 0,
            "durationMs": [MS],
            "totalClientUsage": {
              "inputTokens": 200,
              "outputTokens": 40,
              "cacheReadInputTokens": 0,
              "cacheCreationInputTokens": 0,
              "durationMs": [MS],
              "durationApiMs": [MS]
            }
          },
          "metrics": {
            "passed_rate": 1.0,
            "trial_pass_rate": 1.0,
            "tool_count_mean": 1.0,
            "mcp_call_count_mean": 1.0,
            "builtin_event_count_mean": 0.0,
            "input_tokens_mean": 200.0,
            "output_tokens_mean": 40.0,
            "duration_s_mean": [SECONDS]
          },
          "evidence": "structured",
          "writeModes": {
            "parts": "read-only"
          }
        }
      ],
      "metrics": {
        "total": 1,
        "passed": 1,
        "failed": 0,
        "passRate": 1.0,
        "passed_rate": 1.0,
        "trial_pass_rate": 1.0,
        "tool_count_mean": 1.0,
        "mcp_call_count_mean": 1.0,
        "builtin_event_count_mean": 0.0,
        "input_tokens_mean": 200.0,
        "output_tokens_mean": 40.0,
        "duration_s_mean": [SECONDS]
      },
      "telemetry": {
        "cases": 1,
        "toolCalls": 1,
        "failedCases": 0,
        "totalClientUsage": {
          "inputTokens": 200,
          "outputTokens": 40,
          "cacheReadInputTokens": 0,
          "cacheCreationInputTokens": 0,
          "durationMs": [MS],
          "durationApiMs": [MS]
        }
      }
    }
    -- stderr
    Run [RUN]: 1 trial
    Run directory: out/runs/[RUN]
    Report: out/runs/[RUN]/report/index.html
    -- exit Some(0)
    "#);
    assert_eq!(finished.json(), eval.newest().summary());
}

#[test]
fn an_error_as_json() {
    let eval = Eval::passing();
    eval.write_config(&json!({}), &json!({ "modle": "claude-x", "trails": 3 }));
    let finished = eval.run_with(&["--json", "--quiet"]);
    insta::assert_snapshot!(streams(&eval, &finished), @r#"
    -- stdout
    {
      "error": {
        "class": "usage",
        "message": "2 mistakes",
        "file": "eval.json",
        "line": 10,
        "column": 3,
        "mistakes": [
          {
            "severity": "error",
            "code": "unknown-key",
            "message": "unknown key \"modle\"",
            "file": "eval.json",
            "pointer": "/modle",
            "position": {
              "line": 10,
              "column": 3,
              "width": 7,
              "span": [
                159,
                166
              ]
            },
            "help": "did you mean \"model\"?",
            "sourceLine": {
              "text": "  \"modle\": \"claude-x\",",
              "caret": 2,
              "width": 7
            }
          },
          {
            "severity": "error",
            "code": "unknown-key",
            "message": "unknown key \"trails\"",
            "file": "eval.json",
            "pointer": "/trails",
            "position": {
              "line": 11,
              "column": 3,
              "width": 8,
              "span": [
                182,
                190
              ]
            },
            "help": "did you mean \"trials\"?",
            "sourceLine": {
              "text": "  \"trails\": 3",
              "caret": 2,
              "width": 8
            }
          }
        ],
        "hints": [
          "did you mean \"model\"?"
        ]
      }
    }
    -- stderr
    error: unknown key "modle"
       --> eval.json:10:3
        |
     10 |   "modle": "claude-x",
        |   ^^^^^^^
        = help: did you mean "model"?
    error: unknown key "trails"
       --> eval.json:11:3
        |
     11 |   "trails": 3
        |   ^^^^^^^^
        = help: did you mean "trials"?
    -- exit Some(2)
    "#);
    finished.json();
}

#[test]
fn the_help_of_run() {
    let eval = Eval::new(Script::strict());
    let finished = eval.mst(&["run", "--help"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(finished.stdout, @r#"
    Run an eval: collect its trials, grade them, and keep them as a run directory

    Usage: mst run [OPTIONS] --config <FILE>

    Options:
      -c, --config <FILE>        The eval config
          --variant <NAME>...    Run these variants alone
          --case <ID>...         Run these cases alone, whatever the config's tags and caps
          --filter-tag <TAG>...  Run cases that have any of these tags, instead of the config's
                                 filterTags
          --max-cases <N>        Run at most this many cases of each dataset
          --trials <N>           Run every case this many times, whatever the config and the cases say
          --output-dir <DIR>     The eval's directory [default: <root-dir>/.mcp-test-results/<eval
                                 name>]
          --root-dir <DIR>       Where relative paths are looked up after the config's own directory
                                 [default: .]
          --secrets-file <FILE>  A JSON object or KEY=VALUE lines, over the environment
          --dry-run              Check everything that touches no server and no client, and print the
                                 plan as JSON
          --allow-live-writes    Let the writes of servers that the config marks "live" reach their
                                 service
          --no-grade             Collect trials without grading them (needs "redactStoredResponses":
                                 false)
          --resume <RUN>         Collect what a run lacks, into its own directory: a run id, its last
                                 six characters, or a directory
          --record <FILE>        Write down what models and servers are asked and answer, in a new file
          --replay <FILE>        Run on what a tape holds: no network, no key, no server
          --judge-cache <DIR>    Take judges' verdicts from this folder where the same judge was given
                                 the same, and keep new ones in it
          --no-report            Leave out the run's report, which `mst open` builds at any time
          --stop-when <WHEN>     Stop as soon as the comparison of two variants is decided: looks at
                                 each quarter of the cases, with the error rate kept [possible values:
                                 decided]
          --json                 Print the summary, or the error, as one JSON value on stdout
          --results <STORE>      Keep runs in this result store too, and look there for those that are
                                 not here: file:DIR, instead of the config's
      -h, --help                 Print help
      -V, --version              Print version

    Continuous integration:
          --junit <FILE>           Write a JUnit report: a suite a variant, a test a case
          --markdown <FILE>        Write what a pull request's readers need in Markdown; appended to
                                   $GITHUB_STEP_SUMMARY when that is the file
          --sarif <FILE>           Write failed cases as SARIF 2.1.0, each at its line in its dataset
          --badge <FILE>           Write a badge in SVG
          --github                 Print GitHub's annotations of failed cases on stderr
          --fail-on <GATE>         What the run fails on: `cases` (a case failed), `worse` (the tested
                                   change says so), `regressed` (a case passed in the previous run);
                                   several with commas between them [default: cases] [possible values:
                                   worse, regressed, cases]
          --known-failures <FILE>  Cases that may fail, each with a reason, as a JSON list; one that
                                   passes fails the run until it is removed
          --update-known-failures  Rewrite that list so that it holds what fails now; reasons stay

    Budget:
          --max-cost-usd <USD>    Stop before a trial that would bring the cost of clients and judges
                                  over this, in USD
          --max-tokens-total <N>  Stop before a trial that would bring the tokens of clients and judges,
                                  in and out, over this
          --max-minutes <M>       Stop before a trial that would end later than this many minutes after
                                  the start

    Output:
      -q, --quiet    Leave out progress and status; results, warnings and errors stay
      -v, --verbose  Log what happens inside to stderr
    "#);
    let finished = eval.mst(&["--help"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(finished.stdout, @"
    Evaluates MCP servers: will a model use them well, and did a change make it better?

    Usage: mst [OPTIONS] <COMMAND>

    Commands:
      run          Run an eval: collect its trials, grade them, and keep them as a run directory
      grade        Grade a stored run's trials again, by today's assertions and judges
      batch        Run several evals, so many at once
      compare      Say whether a stored run, or a variant, is worse than another
      history      Print an eval's runs, newest first: what each measured and what changed
      export       Write a stored run for spreadsheets, scripts or trace viewers
      runs         List the runs there are, here and in a result store, or copy one there
      open         Show a run's report, or an eval's history, in the browser
      plan         Say how many cases and trials it takes to see a drop, and what that costs
      clients      List the clients that an eval can test, or show what one needs
      judges       List the judges that can grade a trial, or show what one asks and takes
      datasets     List datasets, show what one holds, or write one as a file
      init         Make an eval of a server that you have: its config and a first dataset
      tools        List a server's tools: parameters, what they may do, and what their definitions cost
      doctor       Say what is installed and set, and what an eval config lacks to run
      demo-server  Serve a small read-only parts catalog over stdin and stdout, to try things out on
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Output:
      -q, --quiet    Leave out progress and status; results, warnings and errors stay
      -v, --verbose  Log what happens inside to stderr
    ");
}

#[test]
fn the_version() {
    let eval = Eval::new(Script::strict());
    for arguments in [&["--version"][..], &["-V"], &["run", "--version"]] {
        let finished = eval.mst(arguments);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        let version = concat!(env!("CARGO_PKG_VERSION"), "\n");
        assert!(
            finished.stdout.starts_with("mst") && finished.stdout.ends_with(version),
            "{arguments:?}: {}",
            finished.stdout
        );
    }
}

#[test]
fn what_cannot_be_typed() {
    let eval = Eval::passing();
    let said = |arguments: &[&str]| {
        let finished = eval.mst(arguments);
        assert_eq!(finished.code, Some(2), "{arguments:?}");
        assert_eq!(finished.stdout, "", "{arguments:?}");
        finished.stderr
    };
    insta::assert_snapshot!(said(&["rnu"]), @r#"
    error: there is no command "rnu"
    hint: did you mean `mst run`?
    "#);
    insta::assert_snapshot!(said(&["label", "x"]), @"error: `mst label` is not available in this version of mst");
    insta::assert_snapshot!(said(&["history"]), @"
    error: no eval has runs under .mcp-test-results
    hint: say which eval is meant: mst history DIR, or --config FILE
    ");
    insta::assert_snapshot!(said(&["run"]), @r#"
    error: the following required arguments were not provided:
      --config <FILE>

    Usage: mst run --config <FILE>

    For more information, try '--help'.
    "#);
    insta::assert_snapshot!(said(&["run", "-c", "eval.json", "--trails", "2"]), @r#"
    error: unexpected argument '--trails' found

      tip: a similar argument exists: '--trials'

    Usage: mst run --config <FILE> --trials <N>

    For more information, try '--help'.
    "#);
    insta::assert_snapshot!(said(&["run", "-c", "eval.json", "--runner", "x"]), @"error: `--runner` is not available in this version of mst");
    insta::assert_snapshot!(said(&["run", "-c", "absent.json"]), @r#"
    error: cannot be read: there is no such file
     --> absent.json
    "#);
    insta::assert_snapshot!(said(&["run", "-c", "eval.json", "--trials", "0"]), @r#"
    error: invalid value '0' for '--trials <N>': 0 is not in 1..=4294967295

    For more information, try '--help'.
    "#);
    insta::assert_snapshot!(said(&[]), @"
    Evaluates MCP servers: will a model use them well, and did a change make it better?

    Usage: mst [OPTIONS] <COMMAND>

    Commands:
      run          Run an eval: collect its trials, grade them, and keep them as a run directory
      grade        Grade a stored run's trials again, by today's assertions and judges
      batch        Run several evals, so many at once
      compare      Say whether a stored run, or a variant, is worse than another
      history      Print an eval's runs, newest first: what each measured and what changed
      export       Write a stored run for spreadsheets, scripts or trace viewers
      runs         List the runs there are, here and in a result store, or copy one there
      open         Show a run's report, or an eval's history, in the browser
      plan         Say how many cases and trials it takes to see a drop, and what that costs
      clients      List the clients that an eval can test, or show what one needs
      judges       List the judges that can grade a trial, or show what one asks and takes
      datasets     List datasets, show what one holds, or write one as a file
      init         Make an eval of a server that you have: its config and a first dataset
      tools        List a server's tools: parameters, what they may do, and what their definitions cost
      doctor       Say what is installed and set, and what an eval config lacks to run
      demo-server  Serve a small read-only parts catalog over stdin and stdout, to try things out on
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Output:
      -q, --quiet    Leave out progress and status; results, warnings and errors stay
      -v, --verbose  Log what happens inside to stderr
    ");
    assert_eq!(eval.provider.all_requests().len(), 0);
}

#[test]
fn keys_of_a_later_version_are_refused_by_name() {
    let eval = Eval::passing();
    for (key, value) in [
        ("plugins", json!(["./plugin"])),
        ("extends", json!(["acme/config/x"])),
        ("results", json!({ "store": "gs://bucket/prefix" })),
        ("simulateWrites", json!(true)),
    ] {
        eval.write_config(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!({ key: value }));
        let finished = eval.run_with(&["--dry-run"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{key}");
        let line = finished.stderr.lines().find(|line| line.contains("eval.json:")).unwrap_or_default();
        assert!(finished.stderr.contains("not available") && !line.is_empty(), "{key}: {}", finished.stderr);
    }
}

#[test]
fn quiet_leaves_the_result_and_verbose_tells_more_without_answers() {
    let eval = Eval::passing();
    let finished = eval.run_with(&["--quiet"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    assert!(finished.stdout.contains("1 of 1 case passed"), "{}", finished.stdout);
    let finished = eval.run_with(&["--verbose"]);
    assert!(finished.stderr.lines().count() > 4, "{}", finished.stderr);
    for private in ["Part p-1 is in bin 7.", "Case bin:", "sk-fake"] {
        assert!(!finished.stderr.contains(private), "{private}: {}", finished.stderr);
    }
}

#[test]
fn names_from_outside_cannot_steer_the_terminal() {
    let eval = Eval::new(Script::strict().always("Case", Reply::text("x")));
    let id = "a\u{1b}[31mb\u{7}\rc";
    let cases = json!([{ "id": id, "input": "Case", "assertions": { "containsText": "never" } }]);
    eval.write(&json!({}), &cases, &json!({ "name": "eval\u{1b}]0;title\u{7}" }));
    for more in [&[][..], &["--json"]] {
        let finished = eval.run_with(more);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        for stream in [&finished.stdout, &finished.stderr] {
            assert!(!stream.contains(['\u{1b}', '\u{7}', '\r']), "{stream:?}");
        }
    }
    assert_eq!(eval.newest().trial(id)["caseId"], json!(id), "the run keeps the exact id");
}
