//! `gradable scan` where all goes well.

use mst_testkit::mcp::{FakeMcpHttp, stdio_entry};
use mst_testkit::{Mode, TestEnv, fake_binary};
use serde_json::{Value, json};

use crate::support::{files, methods, run, scan_mode, scan_tools, three_tools};

const FORMS: [&str; 5] = ["fix.md", "report.html", "report.json", "report.md", "surface.json"];

#[test]
fn a_server_is_graded_by_what_it_lists_and_no_tool_is_called() {
    let env = TestEnv::new();
    let finished = scan_mode(&env, &["--json"], Mode::Plain);
    finished.expect_code(0);
    assert_eq!(files(&env, "out"), FORMS);
    let report = env.read_json("out/report.json");
    assert_eq!(finished.json(), report);
    assert_eq!(report["target"]["transport"], "stdio");
    assert_eq!(report["target"]["toolCount"], 2);
    assert_eq!((&report["judge"]["cli"], &report["judge"]["model"]), (&json!("offline"), &json!("lexical-1")));
    let sent = methods(&env);
    assert!(sent.contains(&"tools/list".to_owned()) && !sent.contains(&"tools/call".to_owned()), "{sent:?}");
}

#[test]
fn the_result_is_shown_with_what_cost_points() {
    let env = TestEnv::new();
    let finished = scan_tools(&env, &[], &three_tools());
    finished.expect_code(0);
    insta::assert_snapshot!(finished.stdout, @"
    parts, 3 tools: 63.8 of 100, grade D
      safety            0.0 of 30
      legibility       26.3 of 30
      economics        20.0 of 20
      discoverability  17.5 of 20
    What cost points:
      -30.0  1 of 1 destructive calls were not confirmed first
       -3.3  1 of 8 tasks had another tool chosen than the one that fits
       -1.5  1 of 8 tasks had no right and well-formed first call
       -1.5  6 defects in the descriptions of 3 of 3 tools
    Judge: offline, lexical-1: rules and a lexical baseline. Not comparable with scores by a language model.
    In out: report.json, report.md, report.html, fix.md
    ");
    assert_eq!(finished.stderr, "");
}

#[test]
fn a_file_is_a_listing_in_any_of_its_forms() {
    let env = TestEnv::new();
    let tools = json!([{ "name": "lookup", "description": "Says which bin a part is in.", "x-more": [1] }]);
    let mut hashes = Vec::new();
    for whole in [
        json!({ "tools": tools }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": tools } }),
        json!({ "tools": tools, "serverInfo": { "name": "parts", "version": "2" }, "protocolVersion": "2025-11-25" }),
        json!({ "tools": [tools[0], tools[0], { "title": "no name" }, 7] }),
    ] {
        env.write("a.json", format!("\u{feff}{whole}"));
        let finished = run(&env, &["scan", "--surface", "a.json", "--json", "--force", "--out", "out"]);
        finished.expect_code(0);
        let report = finished.json();
        assert_eq!((&report["target"]["toolCount"], &report["target"]["transport"]), (&json!(1), &json!("file")));
        hashes.push(report["target"]["surfaceHash"].clone());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn a_report_goes_where_its_server_is_named() {
    let env = TestEnv::new();
    // What stands in the file never names a folder; `surface.json` says less than its own folder does.
    env.write_json("s.json", &json!({ "serverInfo": { "name": "../odd/näme" }, "tools": three_tools() }));
    env.write_json("parts/surface.json", &json!({ "tools": three_tools() }));
    run(&env, &["scan", "--surface", "s.json"]).expect_code(0);
    run(&env, &["scan", "--surface", "parts/surface.json"]).expect_code(0);
    run(&env, &["scan", "--surface", "s.json", "--name", "../odd/näme"]).expect_code(0);
    assert_eq!(files(&env, "gradable-reports"), ["%2E.%2Fodd%2Fn%C3%A4me", "parts", "s"]);
    assert_eq!(env.read_json("gradable-reports/s/report.json")["target"]["name"], "../odd/näme");
    run(&env, &["scan", "--surface", "s.json", "--name", "mine"]).expect_code(0);
    assert_eq!(env.read_json("gradable-reports/mine/report.json")["target"]["name"], "mine");
}

#[test]
fn a_command_in_one_text_a_list_and_a_url_name_servers_too() {
    let env = TestEnv::new().with_variable("NO_PROXY", "127.0.0.1").with_variable("PARTS_TOKEN", "tk-abcdefgh-1");
    let entry = stdio_entry(Mode::Plain, None);
    let command = entry["command"].as_str().expect("a program");
    let args: Vec<&str> = entry["args"].as_array().expect("arguments").iter().filter_map(Value::as_str).collect();
    let quoted = format!("'{command}' \"{}\"", args.join("\" \""));
    run(&env, &["scan", "--target", &quoted, "--out", "a"]).expect_code(0);

    let list = json!({ "mcpServers": {
        "parts": { "command": command, "args": args },
        "broken": { "command": "no-such-program" },
    } });
    env.write_json(".mcp.json", &list);
    run(&env, &["scan", "--from", ".mcp.json", "--server", "parts", "--out", "b"]).expect_code(0);
    let (a, b) = (env.read_json("a/report.json"), env.read_json("b/report.json"));
    assert_eq!(a["target"]["surfaceHash"], b["target"]["surfaceHash"]);
    assert_eq!(b["target"]["name"], "parts");

    let server = FakeMcpHttp::start_mode(Mode::Plain);
    let url = format!("{}?api_key=planted-secret-9", server.url());
    let flags = ["--token-env", "PARTS_TOKEN", "--header", "X-Team: tools"];
    run(&env, &[&["scan", "--url", &url, "--out", "c"], &flags[..]].concat()).expect_code(0);
    let target = env.read_json("c/report.json")["target"].clone();
    assert_eq!((&target["transport"], &target["url"]), (&json!("http"), &json!(server.url())));
    assert_eq!(target["surfaceHash"], a["target"]["surfaceHash"]);
    assert!(server.messages("tools/call").is_empty());
    let seen = format!("{:?}", server.exchanges());
    assert!(seen.contains("tools") && seen.contains("Bearer tk-abcdefgh-1"), "{seen}");
}

#[test]
fn a_server_that_speaks_only_the_new_revision_is_scanned() {
    let env = TestEnv::new();
    scan_mode(&env, &[], Mode::Modern).expect_code(0);
    assert_eq!(env.read_json("out/report.json")["target"]["protocolVersion"], "2026-07-28");
}

#[test]
fn a_score_below_the_least_is_exit_1_with_its_report() {
    let env = TestEnv::new();
    for (least, code) in [("0", 0), ("100", 1), ("D", 0), ("A", 1)] {
        let finished = scan_tools(&env, &["--fail-under", least], &three_tools());
        assert_eq!(finished.stderr.contains("is lower than --fail-under"), code == 1, "{}", finished.stderr);
        assert_eq!(finished.code, Some(code), "{least}: {}", finished.stdout);
        assert_eq!(finished.stderr.contains("is lower than --fail-under"), code == 1, "{}", finished.stderr);
        assert_eq!(files(&env, "out"), FORMS);
    }
}

#[test]
fn two_scans_of_one_surface_differ_in_their_time_alone() {
    let env = TestEnv::new();
    let written = |out: &str| -> Vec<String> {
        scan_tools(&env, &["--force"], &three_tools()).expect_code(0);
        let time = env.read_json("out/report.json")["scannedAt"].as_str().expect("a time").to_owned();
        fs_err::rename(env.path("out"), env.path(out)).expect("a folder of the test's own");
        let files = files(&env, out);
        files
            .iter()
            .map(|name| format!("{name}\n{}", env.read(format!("{out}/{name}")).replace(&time, "NOW")))
            .collect()
    };
    let first = written("first");
    assert_eq!(first.len(), 5, "report.json, its three forms, and the surface");
    assert_eq!(first, written("second"));
}

#[test]
fn the_report_of_another_server_stays_without_force() {
    let env = TestEnv::new();
    let fake = fake_binary().display().to_string();
    for folder in ["one", "two"] {
        env.write(format!("{folder}/server.sh"), format!("exec '{fake}' mcp\n"));
    }
    let scan = |script: &str, flags: &[&str]| {
        let command: &[&str] = &["scan", "--out", "out"];
        run(&env, &[command, flags, &["--", "sh", script]].concat())
    };
    scan("one/server.sh", &["--name", "parts"]).expect_code(0);
    // Arguments may differ, the server not.
    run(&env, &["scan", "--out", "out", "--name", "parts", "--", "sh", "one/server.sh", "--fast"]).expect_code(0);
    let finished = scan("two/server.sh", &["--name", "parts"]);
    finished.expect_code(2);
    assert!(
        finished.stderr.contains("holds the report of another server, \"parts\" by \"one/server.sh\""),
        "{}",
        finished.stderr
    );
    assert_eq!(env.read_json("out/report.json")["target"]["command"][1], "one/server.sh");
    scan("two/server.sh", &["--name", "parts", "--force"]).expect_code(0);
    assert_eq!(env.read_json("out/report.json")["target"]["command"][1], "two/server.sh");
}
