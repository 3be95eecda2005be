//! `mst init`: from a server that one has to an eval that runs.

use std::io::Write as _;

use mst_testkit::{Finished, Mode, TestEnv, fake_binary};
use serde_json::{Value, json};

fn mst(env: &TestEnv, arguments: &[&str]) -> Finished {
    let finished = env.run(&TestEnv::mst(), arguments);
    assert!(!finished.stderr.contains("panicked at"), "{}", finished.stderr);
    finished
}

fn streams(env: &TestEnv, finished: &Finished) -> String {
    env.normalise(&format!("{}--\n{}", finished.stdout, finished.stderr))
}

/// An entry of another program for a fake server.
fn entry(mode: Mode) -> Value {
    json!({ "command": fake_binary(), "args": ["mcp", "--mode", mode.name()] })
}

#[test]
fn a_command_becomes_an_eval_that_runs_without_a_key() {
    let env = TestEnv::new();
    let finished = mst(&env, &["init", "--", "mst", "demo-server"]);
    finished.expect_code(0);
    insta::assert_snapshot!(streams(&env, &finished), @r#"
    Server mst: mst demo-server
    3 tools: find_part, list_bin, search_catalog
    Wrote mst.eval.json
    Wrote mst.cases.json (4 cases, drafted)
    --
    hint: check the files: mst run --config mst.eval.json --dry-run
    hint: run the eval: mst run --config mst.eval.json
    hint: it runs on the offline baseline, which is no language model; for one, set "model" in mst.eval.json and its provider's key, such as ANTHROPIC_API_KEY
    "#);
    let config = env.read_json("mst.eval.json");
    assert_eq!((&config["model"], &config["redactStoredResponses"]), (&json!("lexical-1"), &json!(false)));
    mst(&env, &["run", "-c", "mst.eval.json", "--dry-run"]).expect_code(0);
    mst(&env, &["run", "-c", "mst.eval.json"]).expect_code(0);
    let again = mst(&env, &["init", "--", "mst", "demo-server"]);
    again.expect_code(2);
    assert!(again.stderr.contains("mst.eval.json is there already"), "{}", again.stderr);
    mst(&env, &["init", "--force", "--", "mst", "demo-server"]).expect_code(0);
}

#[test]
fn tools_that_write_are_named_and_let_through_only_when_asked() {
    let env = TestEnv::new();
    let fake = fake_binary().display().to_string();
    let command = ["--", &fake, "mcp", "--mode", "write-hints"];
    let finished = mst(&env, &[&["init", "--name", "notes", "--json"], &command[..]].concat());
    finished.expect_code(0);
    let told = finished.json()["next"].to_string();
    assert!(told.contains("3 tools may write: save_note, wipe, peek") && told.contains("unguarded"), "{told}");
    assert!(env.read_json("notes.eval.json").get("writes").is_none());
    mst(&env, &["run", "-c", "notes.eval.json", "--dry-run"]).expect_code(0);
    mst(&env, &["run", "-c", "notes.eval.json"]).expect_code(2);

    let label = finished.json()["label"].as_str().expect("a label").to_owned();
    let other = mst(&env, &[&["init", "--name", "w", "--unguarded", "other"], &command[..]].concat());
    other.expect_code(2);
    mst(&env, &[&["init", "--name", "w", "--unguarded", &label], &command[..]].concat()).expect_code(0);
    assert_eq!(env.read_json("w.eval.json")["writes"][&label], "unguarded");
    mst(&env, &["run", "-c", "w.eval.json", "--dry-run"]).expect_code(0);
}

#[test]
fn nothing_is_written_of_a_server_that_does_not_start() {
    let env = TestEnv::new();
    let fake = fake_binary().display().to_string();
    let finished = mst(&env, &["init", "--name", "a", "--", &fake, "mcp", "--mode", "dies-at-start"]);
    finished.expect_code(4);
    assert!(finished.stderr.contains("no configuration found"), "{}", finished.stderr);
    assert!(!env.path("a.eval.json").exists() && !env.path("a.cases.json").exists());
    mst(&env, &["init", "--name", "a", "--", &fake, "mcp", "--mode", "no-tools"]).expect_code(4);
    mst(&env, &["init", "--name", "a", "--no-connect", "--", &fake, "mcp", "--mode", "dies-at-start"]).expect_code(0);
    mst(&env, &["run", "-c", "a.eval.json", "--dry-run"]).expect_code(0);
    let left: Vec<_> =
        fs_err::read_dir(env.root()).expect("a folder").filter_map(Result::ok).map(|one| one.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".mst-init")), "{left:?}");
}

#[test]
fn servers_of_other_programs_are_found_and_one_is_chosen() {
    let env = TestEnv::new();
    mst(&env, &["init"]).expect_code(2);
    env.write_json(".mcp.json", &json!({ "mcpServers": { "my parts": entry(Mode::Plain) } }));
    let only = mst(&env, &["init"]);
    only.expect_code(0);
    assert!(env.path("my-parts.eval.json").exists(), "{}", only.stderr);

    env.write_json(
        "home/.cursor/mcp.json",
        &json!({ "mcpServers": { "notes": entry(Mode::WriteHints), "my parts": entry(Mode::Plain) } }),
    );
    let several = mst(&env, &["init", "--json"]);
    several.expect_code(2);
    assert_eq!(several.json()["error"]["message"], "2 servers were found: my-parts, notes");
    let list = mst(&env, &["init", "--list", "--json"]);
    list.expect_code(0);
    let servers = list.json()["servers"].clone();
    assert_eq!(servers[0]["files"].as_array().map(Vec::len), Some(2), "the same server in two files is one: {servers}");
    let misspelt = mst(&env, &["init", "--server", "note"]);
    misspelt.expect_code(2);
    assert!(misspelt.stderr.contains("did you mean \"notes\"?"), "{}", misspelt.stderr);
    mst(&env, &["init", "--server", "notes"]).expect_code(0);

    let one = mst(&env, &["init", "--list", "--json", "--server", "notes"]);
    one.expect_code(0);
    assert_eq!(one.json()["servers"].as_array().map(Vec::len), Some(1), "{}", one.stdout);
    mst(&env, &["init", "--list", "--server", "absent"]).expect_code(2);

    env.write_json("home/.codex/none.json", &json!({}));
    env.write("home/.codex/config.toml", "[mcp_servers.notes]\ncommand = \"other\"\n");
    let ambiguous = mst(&env, &["init", "--server", "notes", "--force"]);
    ambiguous.expect_code(2);
    assert!(
        ambiguous.stderr.contains("listed differently") && ambiguous.stderr.contains("--from FILE"),
        "{}",
        ambiguous.stderr
    );
    let codex = env.path("home/.codex/config.toml").display().to_string();
    mst(&env, &["init", "--from", &codex, "--force"]).expect_code(4);
}

#[test]
fn a_secret_reaches_the_server_and_no_file_or_screen() {
    let env = TestEnv::new();
    let fake = fake_binary().display().to_string();
    let script = format!("case \"$PARTS_TOKEN\" in hidden*1) exec '{fake}' mcp --mode plain;; esac; exit 3");
    let server =
        json!({ "command": "sh", "args": ["-c", script], "env": { "PARTS_TOKEN": "hidden-value-1", "MODE": "x" } });
    env.write_json(".mcp.json", &json!({ "mcpServers": { "parts": server } }));
    let finished = mst(&env, &["init"]);
    finished.expect_code(0);
    let written = env.read("parts.eval.json") + &env.read("parts.cases.json") + &finished.stdout + &finished.stderr;
    assert!(!written.contains("hidden-value"), "{written}");
    let entry = env.read_json("parts.eval.json")["servers"]["parts"].clone();
    assert_eq!((&entry["env"], &entry["inheritEnv"]), (&json!({ "MODE": "x" }), &json!(true)));
    assert!(finished.stderr.contains("set PARTS_TOKEN in the environment"), "{}", finished.stderr);
    env.write("secrets.env", "PARTS_TOKEN=hidden-value-1\n");
    mst(&env, &["run", "-c", "parts.eval.json", "--secrets-file", "secrets.env", "--json"]);
    let doctor = mst(&env, &["doctor", "-c", "parts.eval.json", "--secrets-file", "secrets.env", "--json"]);
    doctor.expect_code(0);
    assert!(!doctor.stdout.contains("hidden-value"), "{}", doctor.stdout);
    mst(&env, &["doctor", "-c", "parts.eval.json"]).expect_code(4);
}

/// Writes a bundle of files, each with its content and Unix mode.
fn bundle(env: &TestEnv, name: &str, files: &[(&str, &[u8], u32)]) -> String {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content, mode) in files {
        let options = zip::write::SimpleFileOptions::default().unix_permissions(*mode);
        zip.start_file(*name, options).expect("a file of an archive");
        zip.write_all(content).expect("memory does not fail");
    }
    let bytes = zip.finish().expect("an archive").into_inner();
    env.write(name, bytes).display().to_string()
}

fn manifest(command: &str) -> Vec<u8> {
    let config = json!({ "command": command, "args": [], "env": {} });
    json!({ "manifest_version": "0.3", "name": "parts", "version": "1.0.0",
        "server": { "type": "binary", "entry_point": "run.sh", "mcp_config": config } })
    .to_string()
    .into_bytes()
}

#[test]
fn a_bundle_is_unpacked_and_started() {
    let env = TestEnv::new();
    let script = format!("#!/bin/sh\nexec '{}' mcp --mode plain\n", fake_binary().display());
    let files = [("manifest.json", &manifest("${__dirname}/run.sh")[..], 0o644), ("run.sh", script.as_bytes(), 0o755)];
    let path = bundle(&env, "parts.mcpb", &files);
    mst(&env, &["init", "--from", &path]).expect_code(0);
    let entry = env.read_json("parts.eval.json")["servers"]["parts"].clone();
    assert_eq!(entry["command"], json!(env.path("parts.bundle/run.sh")));
    mst(&env, &["run", "-c", "parts.eval.json", "--dry-run"]).expect_code(0);
    let again = mst(&env, &["init", "--from", &path, "--name", "parts"]);
    again.expect_code(2);
}

#[test]
fn a_hostile_bundle_or_file_is_refused_and_leaves_nothing() {
    let env = TestEnv::new();
    let good = manifest("${__dirname}/run.sh");
    let zeros = vec![b' '; 3_000_000];
    for (name, files) in [
        ("escape.mcpb", vec![("manifest.json", &good[..], 0o644), ("../outside.txt", b"x", 0o644)]),
        ("absolute.mcpb", vec![("manifest.json", &good[..], 0o644), ("/tmp/../../x/outside.txt", b"x", 0o644)]),
        ("link.mcpb", vec![("manifest.json", &good[..], 0o644), ("run.sh", b"/etc/passwd", 0o120_777)]),
        ("large-manifest.mcpb", vec![("manifest.json", &zeros[..], 0o644)]),
        ("no-manifest.mcpb", vec![("run.sh", b"x", 0o755)]),
    ] {
        let path = bundle(&env, name, &files);
        let finished = mst(&env, &["init", "--from", &path, "--name", "x"]);
        assert!(!finished.stderr.contains("Ok("), "{}", finished.stderr);
        assert!(matches!(finished.code, Some(2 | 4)), "{name}: {}", finished.stderr);
        assert!(!env.path("x.bundle").exists() && !env.path("x.eval.json").exists(), "{name}");
    }
    assert!(!env.root().parent().expect("a folder").join("outside.txt").exists());
    env.write("broken.mcpb", b"PK\x03\x04 no archive");
    mst(&env, &["init", "--from", "broken.mcpb"]).expect_code(2);
    let large = fs_err::File::create(env.path("large.json")).expect("a file");
    large.set_len(100_000_000).expect("a sparse file");
    let refused = mst(&env, &["init", "--from", "large.json"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("larger than 32 MB"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_meant_is_exit_2() {
    let env = TestEnv::new();
    for (arguments, want) in [
        (vec!["init", "--name", "../x", "--", "mst", "demo-server"], "cannot name a file"),
        (vec!["init", "--model", "unheard-of", "--", "x"], "add --provider"),
        (vec!["init", "--provider", "openai", "--", "x"], "--provider needs --model"),
        (vec!["init", "--from", "nowhere.json"], "nowhere.json is no file"),
        (vec!["init", "--url", "ftp://127.0.0.1"], "http or https"),
        (vec!["init", "--name=-x", "--", "mst", "demo-server"], "cannot name a file"),
        (vec!["init", "--list", "--name", "x"], "cannot be used with"),
        (vec!["init", "--", "sh", "-c", "exec parts --token hidden"], "a secret after --token"),
    ] {
        let finished = mst(&env, &arguments);
        finished.expect_code(2);
        assert!(finished.stderr.contains(want), "{arguments:?}: {}", finished.stderr);
        assert!(!finished.stderr.contains("hidden"), "{}", finished.stderr);
    }
}

#[test]
fn servers_of_one_label_are_chosen_by_their_names() {
    let env = TestEnv::new();
    let listed = json!({ "my parts": entry(Mode::Plain), "my.parts": entry(Mode::WriteHints), "a b": entry(Mode::Plain),
        "a-b": entry(Mode::WriteHints) });
    env.write_json(".mcp.json", &json!({ "mcpServers": listed }));
    let several = mst(&env, &["init", "--json"]);
    several.expect_code(2);
    assert_eq!(several.json()["error"]["message"], "4 servers were found: my parts, my.parts, a b, a-b");
    let ambiguous = mst(&env, &["init", "--server", "my-parts"]);
    ambiguous.expect_code(2);
    let want = r#""my-parts" is the label of several servers: "my parts", "my.parts""#;
    assert!(ambiguous.stderr.contains(want), "{}", ambiguous.stderr);
    let tools = |name: &str| {
        let finished = mst(&env, &["init", "--server", name, "--force", "--json"]);
        finished.expect_code(0);
        finished.json()["tools"].as_array().map_or(0, Vec::len)
    };
    assert_eq!([tools("my parts"), tools("my.parts"), tools("a b"), tools("a-b")], [2, 4, 2, 4]);
}

#[test]
fn a_secret_in_a_script_becomes_a_reference_that_a_run_fills() {
    let env = TestEnv::new();
    let fake = fake_binary().display().to_string();
    let script = format!("PW='hidden-value-1'; [ \"$PW\" = hidden-value-1 ] && exec '{fake}' mcp --mode plain");
    let finished = mst(&env, &["init", "--name", "parts", "--", "sh", "-c", &script]);
    finished.expect_code(0);
    let written = env.read("parts.eval.json");
    assert!(written.contains("PW=\\\"$PW\\\"") && written.contains("inheritEnv"), "{written}");
    assert!(finished.stderr.contains("set PW in the environment"), "{}", finished.stderr);
    env.write("secrets.env", "PW=hidden-value-1\n");
    mst(&env, &["doctor", "-c", "parts.eval.json", "--secrets-file", "secrets.env"]).expect_code(0);
    mst(&env, &["doctor", "-c", "parts.eval.json"]).expect_code(4);
}

#[test]
fn a_secrets_file_reaches_a_server_given_by_its_command() {
    let env = TestEnv::new();
    env.write("secrets.env", "PARTS_MODE=planted-secret-1\n");
    let fake = fake_binary().display().to_string();
    let script =
        format!("[ \"$PARTS_MODE\" = planted-secret-1 ] && exec '{fake}' mcp --mode plain; echo $PARTS_MODE >&2");
    let server = ["--secrets-file", "secrets.env", "--", "sh", "-c", &script];
    mst(&env, &[&["tools"], &server[..]].concat()).expect_code(0);
    mst(&env, &[&["init", "--name", "parts"], &server[..]].concat()).expect_code(0);
    let entry = env.read_json("parts.eval.json")["servers"].to_string();
    assert!(entry.contains("\"inheritEnv\":true") && !entry.contains("\"env\""), "{entry}");
    mst(&env, &["doctor", "-c", "parts.eval.json", "--secrets-file", "secrets.env"]).expect_code(0);

    let echoing = ["--secrets-file", "secrets.env", "--", "sh", "-c", "echo $PARTS_MODE >&2; exit 3"];
    for command in ["tools", "init"] {
        let finished = mst(&env, &[&[command], &echoing[..]].concat());
        finished.expect_code(4);
        assert!(!finished.stderr.contains("planted-secret"), "{}", finished.stderr);
    }
}

#[test]
fn a_mistake_in_another_programs_file_is_told_by_its_place_alone() {
    let env = TestEnv::new();
    env.write(
        ".mcp.json",
        "{\n  \"mcpServers\": { \"a\": { \"env\": { \"A\": \"hidden\" }, \"command\": \"x\",, } }\n}\n",
    );
    let finished = mst(&env, &["init", "--from", ".mcp.json"]);
    finished.expect_code(2);
    assert!(finished.stderr.contains(".mcp.json:2:"), "{}", finished.stderr);
    assert!(!finished.stderr.contains("hidden"), "{}", finished.stderr);
}
