//! Codex CLI, `codex exec`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::home::Home;
use super::invocation::{Heard, Invocation, Printed, Trouble, brief};

/// What it can do beside answering, as far as it can be turned off. What is left it cannot use: it works read-only in an
/// empty folder, nobody is there to ask, and an answer with a use of a tool in it is refused.
const OFF: [&str; 14] = [
    "shell_tool",
    "unified_exec",
    "view_image",
    "goals",
    "multi_agent",
    "apps",
    "plugins",
    "tool_suggest",
    "skill_search",
    "sleep_tool",
    "image_generation",
    "browser_use",
    "computer_use",
    "hooks",
];

/// What it did beside answering.
const TOOL_ITEMS: [&str; 5] = ["command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"];

pub(super) fn invocation(model: Option<&str>, home: &Home, env: &BTreeMap<String, String>) -> Invocation {
    let mut call = Invocation::new(home, env);
    call.pass(env, |name| {
        name.starts_with("OPENAI_") || name.starts_with("CODEX_API_KEY") || name.starts_with("AZURE_")
    });
    call.set("CODEX_HOME", home.path("cfg"));
    if let (None, Some(key)) = (env.get("CODEX_API_KEY"), env.get("OPENAI_API_KEY")) {
        call.set("CODEX_API_KEY", key);
    }
    let user = env.get("CODEX_HOME").map(|folder| Path::new(folder).to_owned());
    let user = user.or_else(|| Some(Path::new(env.get("HOME")?).join(".codex")));
    home.link_login(user.map(|folder| folder.join("auth.json")).as_deref(), "cfg/auth.json");
    // Not `--ephemeral`: which model it used stands only in the record of its session, which goes with the folder.
    call.args(["exec", "--json", "--skip-git-repo-check", "--ignore-user-config", "-s", "read-only"]);
    call.args(["-c", "project_doc_max_bytes=0", "-c", "web_search=disabled"]);
    for feature in OFF {
        call.args(["-c", &format!("features.{feature}=false")]);
    }
    if let Some(url) = env.get("OPENAI_BASE_URL").filter(|url| !url.is_empty()) {
        let provider = [
            "model_provider=gateway".to_owned(),
            "model_providers.gateway.name=gateway".to_owned(),
            format!("model_providers.gateway.base_url={}", Value::String(url.clone())),
            "model_providers.gateway.env_key=OPENAI_API_KEY".to_owned(),
            "model_providers.gateway.wire_api=responses".to_owned(),
            "model_providers.gateway.request_max_retries=2".to_owned(),
            "model_providers.gateway.stream_max_retries=1".to_owned(),
        ];
        for setting in &provider {
            call.args(["-c", setting]);
        }
    }
    if let Some(model) = model {
        call.args(["-m", model]);
    }
    call.args(["-"]);
    call
}

/// Reads its events, and the records of its sessions for the model.
pub(super) fn read(printed: &Printed, sessions: &[String]) -> Result<Heard, Trouble> {
    let mut heard = Heard::default();
    let (mut failed, mut said) = (None, None);
    for event in printed.events() {
        let item = &event["item"];
        match (event["type"].as_str(), item["type"].as_str()) {
            (Some("item.completed" | "item.started"), Some(kind)) if TOOL_ITEMS.contains(&kind) => {
                return Err(Trouble::Lasting(format!("it used a tool ({kind})")));
            }
            (Some("item.completed"), Some("agent_message")) => {
                heard.text.push_str(item["text"].as_str().unwrap_or_default());
                heard.text.push('\n');
            }
            (Some("turn.failed"), _) => failed = event["error"]["message"].as_str().map(str::to_owned),
            (Some("error"), _) => said = event["message"].as_str().map(str::to_owned),
            _ => {}
        }
    }
    let ended_well = printed.code == Some(0);
    if let Some(message) = failed.or(if ended_well { None } else { said }) {
        if message.contains("max_output_tokens") {
            return Ok(Heard { is_cut_off: true, ..heard });
        }
        return Err(trouble(&message));
    }
    if !ended_well {
        return Err(Trouble::Passing(printed.ending()));
    }
    let records = sessions.iter().flat_map(|session| session.lines());
    for record in records.filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if record["type"] == "turn_context" {
            heard.by(record["payload"]["model"].as_str().unwrap_or_default());
        }
    }
    Ok(heard)
}

/// Sorts a failure by its text: it tells no status otherwise.
fn trouble(message: &str) -> Trouble {
    let reason = brief(message);
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if has(&["status 401", "status 403", "Unauthorized", "Not logged in", "invalid_api_key"]) {
        Trouble::Auth(reason)
    } else if has(&["context window", "context_length_exceeded"]) {
        Trouble::TooLong(reason)
    } else if has(&["status 429", "status 5", "high demand", "stream disconnected", "Reconnecting", "rate limit"]) {
        Trouble::Passing(reason)
    } else {
        Trouble::Lasting(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::super::invocation::tests::said;
    use super::*;

    #[test]
    fn its_events_are_an_answer_or_a_reason() {
        let session = r#"{"type":"turn_context","payload":{"model":"gpt-a"}}"#.to_owned();
        let reader = |printed: &Printed| read(printed, std::slice::from_ref(&session));
        let answer = r#"{"type":"item.completed","item":{"type":"agent_message","text":"ok"}}"#;
        let shell = r#"{"type":"item.started","item":{"type":"command_execution","command":"ls"}}"#;
        let noise = r#"{"type":"item.completed","item":{"type":"error","message":"a setting is ignored"}}"#;
        let retry = r#"{"type":"error","message":"Reconnecting... 1/5"}"#;
        let failed = |message: &str| format!(r#"{{"type":"turn.failed","error":{{"message":"{message}"}}}}"#);
        for (lines, code, want) in [
            (vec![noise.to_owned(), retry.to_owned(), answer.to_owned()], 0, "ok by gpt-a"),
            (vec![shell.to_owned(), answer.to_owned()], 0, r#"Lasting("it used a tool (command_execution)")"#),
            (
                vec![failed("unexpected status 401 Unauthorized: x")],
                1,
                r#"Auth("unexpected status 401 Unauthorized: x")"#,
            ),
            (
                vec![failed("We're currently experiencing high demand")],
                1,
                r#"Passing("We're currently experiencing high demand")"#,
            ),
            (
                vec![failed("Codex ran out of room in the model's context window")],
                1,
                r#"TooLong("Codex ran out of room in the model's context window")"#,
            ),
            (
                vec![answer.to_owned(), failed("Incomplete response returned, reason: max_output_tokens")],
                1,
                "ok by , cut off",
            ),
            (vec![failed("The model does not exist")], 1, r#"Lasting("The model does not exist")"#),
            (vec![], 1, r#"Passing("it ended with code 1")"#),
            (vec![], 0, " by gpt-a"),
        ] {
            assert_eq!(said(reader, &lines, code), want, "{lines:?}");
        }
    }

    #[test]
    fn a_gateway_is_a_provider_of_its_own_and_nothing_of_the_user_is_read() {
        let home = Home::make().expect("a folder");
        let env = [
            ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
            ("OPENAI_API_KEY", "k"),
            ("DB_PASSWORD", "p"),
            ("PATH", "/bin"),
        ];
        let env: BTreeMap<String, String> = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let call = invocation(Some("gpt-a"), &home, &env);
        let line = call.args.join(" ");
        assert!(
            line.contains(r#"model_providers.gateway.base_url="http://127.0.0.1:1/v1""#)
                && line.ends_with("-m gpt-a -"),
            "{line}"
        );
        let names: Vec<&str> = call.env.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["CODEX_API_KEY", "CODEX_HOME", "HOME", "OPENAI_API_KEY", "OPENAI_BASE_URL", "PATH", "USERPROFILE"]
        );
    }
}
