//! Credentials, in no spelling, in no file and not on the console.

use mst_testkit::{Mode, Reply, Script, ToolCall};
use serde_json::{Value, json};

use crate::eval::{Eval, case, looks_up, lookup};

const TOKEN: &str = "tk/9+Xc=31aa";
/// The token as it is, JSON-escaped, percent-encoded, and in base64 behind `bot:`.
const SPELLINGS: [&str; 4] = [TOKEN, r"tk\/9+Xc=31aa", "tk%2F9%2BXc%3D31aa", "Ym90OnRrLzkrWGM9MzFhYQ=="];

/// Checks that a text is in no file of the eval and was not printed.
#[track_caller]
fn nowhere(eval: &Eval, printed: &str, secret: &str) {
    let dir = eval.newest();
    let quoted = json!(secret).to_string();
    for form in [secret, quoted.trim_matches('"')] {
        for path in dir.paths() {
            let text = fs_err::read_to_string(dir.path.join(&path)).expect("a text file");
            assert!(!text.contains(form), "{form} is in {path}");
        }
        assert!(!printed.contains(form), "{form} was printed:\n{printed}");
    }
}

fn printing_server(eval: &Eval, mode: Mode) -> Value {
    let mut server = eval.stdio("docs", mode);
    server["env"] = json!({ "DOCS_API_TOKEN": TOKEN, "AUTH0_DOMAIN": "acme.example", "PIN_TOKEN": "1234" });
    server
}

#[test]
fn fc35_a_servers_token_is_redacted_in_every_spelling() {
    let call = |arguments: Value| Reply::tool(ToolCall::ending("lookup", arguments));
    let script = Script::strict()
        .on("Case bin:", [call(json!({ "id": "p-1" })), Reply::text(format!("The token is {TOKEN}."))])
        .on("Case echo:", [call(json!({ "id": TOKEN, TOKEN: "key" })), Reply::text(format!("Again {TOKEN}"))])
        .on("Case dies:", [call(json!({ "id": "p-1" })), Reply::text("gone")]);
    let eval = Eval::new(script);
    let cases = json!([case("bin", json!({})), case("echo", json!({ "containsText": "zzz" }))]);
    eval.write(&json!({ "docs": printing_server(&eval, Mode::Environment) }), &cases, &json!({}));
    let (finished, dir) = eval.run_expecting(&["--verbose"], 1);
    let printed = finished.stdout + &finished.stderr;
    for spelling in SPELLINGS {
        nowhere(&eval, &printed, spelling);
    }
    for key in ["sk-fake-anthropic-0001", "sk-fake-openai-0001"] {
        nowhere(&eval, &printed, key);
    }
    let output = dir.events("bin")[0]["output"].as_str().expect("a text").to_owned();
    assert!(
        output.contains("acme.example") && output.contains("PIN_TOKEN=1234") && output.contains("[REDACTED]"),
        "{output}"
    );
    let arguments = dir.events("echo")[0]["arguments"].clone();
    assert_eq!(arguments, json!({ "id": "[REDACTED]", "[REDACTED]": "key" }));
}

#[test]
fn fc35_a_urls_and_a_headers_secrets_are_not_told_when_the_server_is_away() {
    let eval = Eval::new(looks_up());
    let server = json!({ "transport": "http", "serverUrl": "https://u:pw-4kV9zQ2m@127.0.0.1:9/mcp?api_key=qk-8Jd72Lm0",
        "headers": { "X-Api-Key": "hk-1Bn55Wq8" } });
    eval.write(&json!({ "docs": server }), &json!([case("bin", lookup())]), &json!({}));
    let (finished, dir) = eval.run_expecting(&["--verbose"], 4);
    let printed = finished.stdout + &finished.stderr;
    for secret in ["pw-4kV9zQ2m", "qk-8Jd72Lm0", "hk-1Bn55Wq8"] {
        nowhere(&eval, &printed, secret);
    }
    let recorded = dir.run()["variants"][0]["servers"].clone();
    assert_eq!(recorded, json!([{ "label": "docs", "transport": "http", "url": "https://127.0.0.1:9/mcp" }]));
}

#[test]
fn fc35_a_refused_config_does_not_show_its_secrets() {
    let eval = Eval::new(Script::strict());
    let server = json!({ "transport": "http", "serverUrl": "https://h/mcp", "headers": { "Authorization": "Bearer sk-shown-1234" }, "authh": 1 });
    eval.write(&json!({ "docs": server }), &json!([case("bin", lookup())]), &json!({}));
    eval.env.write("eval.json", eval.env.read_json("eval.json").to_string());
    let finished = eval.run_with(&["--dry-run"]);
    finished.expect_code(2);
    assert!(finished.stderr.contains("authh") && !finished.stderr.contains("sk-shown-1234"), "{}", finished.stderr);
}

#[test]
fn fc35_values_of_a_secrets_file_are_redacted_and_used() {
    let script = Script::strict().on("Case", [Reply::text("the key is sk-file-77aa88bb, the word is plain-value-1")]);
    let mut eval = Eval::new(script);
    eval.env.remove_variable("ANTHROPIC_API_KEY");
    eval.env.write_json(
        "secrets.json",
        &json!({ "ANTHROPIC_API_KEY": "sk-file-77aa88bb", "GIT_AUTHOR_NAME": "plain-value-1" }),
    );
    eval.write(&json!({}), &json!([case("bin", json!({ "containsText": "plain-value-1" }))]), &json!({}));
    let missing = eval.run_with(&[]);
    missing.expect_code(5);
    assert!(missing.stderr.contains("ANTHROPIC_API_KEY"), "{}", missing.stderr);
    let (finished, dir) = eval.run_expecting(&["--secrets-file", "secrets.json"], 0);
    assert_eq!(eval.provider.last_request().header("x-api-key"), Some("sk-file-77aa88bb"));
    nowhere(&eval, &(finished.stdout + &finished.stderr), "sk-file-77aa88bb");
    assert_eq!(dir.case("bin")["response"], "the key is [REDACTED], the word is plain-value-1");
}

#[test]
fn fc35_by_default_no_answer_and_no_output_is_stored() {
    let script = Script::strict().on(
        "Case",
        [Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" }))), Reply::text("unique-answer-text")],
    );
    let eval = Eval::new(script);
    let cases = json!([case("bin", json!({ "containsText": "unique-answer", "matchesPattern": "^unique" }))]);
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::Plain) }),
        &cases,
        &json!({ "redactStoredResponses": null }),
    );
    let dir = eval.run(0);
    let text = dir.text();
    assert!(!text.contains("unique-answer-text") && !text.contains("bin 7"), "an answer is stored");
    assert_eq!(dir.run()["redactStoredResponses"], true);
    assert_eq!((dir.case("bin")["pass"].clone(), dir.events("bin").len()), (json!(true), 1));
    assert_eq!(eval.latest(), Some(dir.id()));
    for refused in [&["--resume", &dir.id()][..], &["--no-grade"]] {
        let finished = eval.run_with(refused);
        finished.expect_code(2);
        assert!(finished.stderr.contains("redactStoredResponses"), "{refused:?}: {}", finished.stderr);
    }
    assert_eq!(eval.provider.stats().requests, 2);
}
