//! Credentials of servers and providers, each in its own way of being sent.

use mst_testkit::{Mode, Reply, Rule, Script, ToolCall, When};
use serde_json::json;

use super::field::{Field, Scenario, Transport};
use crate::eval::case;

const TOKEN: &str = "tk/9+Xc=31aa";
/// The token as it is, JSON-escaped, percent-encoded, and in base64 behind `bot:`.
const SPELLINGS: [&str; 4] = [TOKEN, r"tk\/9+Xc=31aa", "tk%2F9%2BXc%3D31aa", "Ym90OnRrLzkrWGM9MzFhYQ=="];

/// Checks that a text is in no file of the run and was not printed.
#[track_caller]
fn is_nowhere(field: &Field, secret: &str) {
    let text = field.dir.text();
    let quoted = json!(secret).to_string();
    for form in [secret, quoted.trim_matches('"')] {
        for (place, content) in [("stored", &text), ("printed", &field.printed)] {
            let at =
                content.find(form).map(|at| content[at.saturating_sub(120)..].chars().take(200).collect::<String>());
            assert_eq!(at, None, "{form} was {place}");
        }
    }
}

#[test]
fn fc35_a_server_s_token_is_redacted_in_every_spelling_for_every_provider() {
    let call = Reply::tool(ToolCall::ending("lookup", json!({ "id": TOKEN, TOKEN: "key" })));
    let steps = [call, Reply::text(format!("The token is {TOKEN}."))];
    let script = Script::strict().rule(Rule::new(When::default(), steps).repeating());
    for (transport, entry) in [
        (Transport::Stdio, json!({ "env": { "DOCS_API_TOKEN": TOKEN, "AUTH0_DOMAIN": "acme.example" } })),
        (Transport::Http, json!({ "headers": { "X-Api-Key": TOKEN, "X-Team": "acme.example" } })),
        (
            Transport::Http,
            json!({ "headers": { "X-Team": "acme.example", "X-Api-Key": TOKEN }, "auth": { "accessToken": "tok-8Zq1-55" } }),
        ),
    ] {
        let cases = json!([case("bin", json!({ "containsText": "The token is" }))]);
        let scenario = Scenario { entry, ..Scenario::new(Mode::Environment, script.clone(), cases) };
        let field = scenario.prepare(transport).run(&["--verbose"], 0);
        for secret in SPELLINGS.into_iter().chain(["tok-8Zq1-55", "sk-fake-"]) {
            is_nowhere(&field, secret);
        }
        field.each(|pair| {
            let event = pair.events("bin").remove(0);
            let output = event["output"].as_str().expect("a text");
            assert!(output.contains("acme.example") && output.contains("[REDACTED]"), "{}: {output}", pair.name());
            assert_eq!(event["arguments"], json!({ "id": "[REDACTED]", "[REDACTED]": "key" }), "{}", pair.name());
        });
    }
}

#[test]
fn fc35_a_provider_that_says_its_own_credential_is_not_quoted() {
    // Vertex proves itself with a token that it is given for a file.
    let vertex = ["fake-access-token", "fake-secret-0001", "fake-refresh-0001"];
    let (mut script, mut secrets) = (Script::strict(), Vec::new());
    for one in Scenario::new(Mode::Plain, Script::strict(), json!([])).prepare(Transport::Stdio).providers {
        let key = format!("sk-fake-{}-0001", key_name(one.name));
        let own = if one.name == "vertex-anthropic" { vertex.join(" ") } else { key };
        let when = |text: &str| When { model: Some(one.model.to_owned()), ..When::text(text) };
        let said = Reply::text(format!("This is the key: {own}"));
        let denied = Reply::status(401, format!("Incorrect API key provided: {own}."));
        script = script.rule(Rule::new(when("Case said:"), [said]).repeating());
        script = script.rule(Rule::new(when("Case denied:"), [denied]).repeating());
        secrets.extend(own.split(' ').map(str::to_owned));
    }
    let cases = json!([case("said", json!({ "containsText": "This is the key" })), case("denied", json!({}))]);
    let scenario = Scenario { servers: Vec::new(), code: 5, ..Scenario::new(Mode::Plain, script, cases) };
    let field = scenario.prepare(Transport::Stdio).run(&["--verbose"], 5);
    for secret in &secrets {
        is_nowhere(&field, secret);
    }
    field.each(|pair| {
        assert_eq!(pair.state("said"), "pass", "{}", pair.name());
        assert!(
            pair.case("said")["response"].as_str().is_some_and(|said| said.contains("[REDACTED]")),
            "{}",
            pair.name()
        );
    });
}

/// Returns the name under which the test environment has a provider's key.
fn key_name(provider: &str) -> &str {
    match provider {
        "google" => "google-generative-ai",
        // It takes the key of the variable that the eval names.
        "openai-compatible" => "openai",
        other => other,
    }
}
