//! Claude Code, `claude -p`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::home::Home;
use super::invocation::{Heard, Invocation, Printed, Trouble, brief};

/// What stands in the place of its own long system prompt, which is about writing code.
const SYSTEM: &str = "You answer the user's question as it asks you to, with one JSON object. You use no tools.";

/// Variables that lead it to its provider.
const PROVIDER: [&str; 6] = [
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLOUD_ML_REGION",
];

pub(super) fn invocation(model: Option<&str>, home: &Home, env: &BTreeMap<String, String>) -> Invocation {
    let mut call = Invocation::new(home, env);
    call.pass(env, |name| {
        PROVIDER.contains(&name)
            || ["ANTHROPIC_", "AWS_", "GOOGLE_", "VERTEX_"].iter().any(|start| name.starts_with(start))
    });
    call.set("CLAUDE_CONFIG_DIR", home.path("cfg"));
    call.set("CLAUDE_CODE_MAX_RETRIES", "2");
    for off in [
        "DISABLE_AUTOUPDATER",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
    ] {
        call.set(off, "1");
    }
    let user = env.get("CLAUDE_CONFIG_DIR").map(|folder| Path::new(folder).to_owned());
    let user = user.or_else(|| Some(Path::new(env.get("HOME")?).join(".claude")));
    home.link_login(user.map(|folder| folder.join(".credentials.json")).as_deref(), "cfg/.credentials.json");
    call.args(["-p", "--output-format", "stream-json", "--verbose", "--strict-mcp-config", "--setting-sources="]);
    call.args(["--permission-mode", "dontAsk", "--tools", "", "--disable-slash-commands", "--system-prompt", SYSTEM]);
    if let Some(model) = model {
        call.args(["--model", model]);
    }
    call
}

/// Reads its events. A subtype of `success` says nothing; `is_error` does.
pub(super) fn read(printed: &Printed) -> Result<Heard, Trouble> {
    let mut heard = Heard::default();
    let (mut result, mut error_word) = (None, None);
    for event in printed.events() {
        match event["type"].as_str() {
            Some("assistant") => {
                let message = &event["message"];
                for block in message["content"].as_array().into_iter().flatten() {
                    if block["type"] == "tool_use" {
                        return Err(Trouble::Lasting(format!("it used the tool {}", block["name"])));
                    }
                }
                error_word = event["error"].as_str().map(str::to_owned).or(error_word);
                // What the program itself says in the model's place.
                if let Some(model) = message["model"].as_str().filter(|model| *model != "<synthetic>") {
                    heard.by(model);
                }
            }
            // It asks the model itself to go on where it was cut off; the two halves are no answer.
            Some("user") => heard.is_cut_off |= event["message"].to_string().contains("Output token limit hit"),
            Some("result") => result = Some(event),
            _ => {}
        }
    }
    let Some(result) = result else {
        return Err(Trouble::Passing(format!("{} without a result", printed.ending())));
    };
    let text = result["result"].as_str().unwrap_or_default();
    if result["is_error"] != Value::Bool(false) {
        return Err(trouble(&result, error_word.as_deref(), text));
    }
    heard.is_cut_off |= result["stop_reason"] == "max_tokens";
    text.clone_into(&mut heard.text);
    Ok(heard)
}

fn trouble(result: &Value, error_word: Option<&str>, text: &str) -> Trouble {
    let said = if text.is_empty() { result["subtype"].as_str().unwrap_or("no reason given") } else { text };
    let reason = brief(said);
    if error_word == Some("authentication_failed") {
        return Trouble::Auth(reason);
    }
    if result["terminal_reason"] == "prompt_too_long" {
        return Trouble::TooLong(reason);
    }
    if result["stop_reason"] == "refusal" {
        return Trouble::Lasting(format!("the model refused: {reason}"));
    }
    match result["api_error_status"].as_u64() {
        Some(status) => Trouble::of_status(status, reason),
        // No status: the connection broke.
        None if error_word.is_some() => Trouble::Passing(reason),
        None => Trouble::Lasting(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::super::invocation::tests::said;
    use super::*;

    #[test]
    fn its_events_are_an_answer_or_a_reason() {
        let answer = r#"{"type":"assistant","message":{"model":"claude-a","content":[{"type":"thinking","thinking":"{}"},{"type":"text","text":"ok"}]}}"#;
        let other = r#"{"type":"assistant","message":{"model":"claude-b","content":[{"type":"text","text":"ok"}]}}"#;
        let own = r#"{"type":"assistant","error":"authentication_failed","message":{"model":"<synthetic>","content":[{"type":"text","text":"Not logged in"}]}}"#;
        let tool = r#"{"type":"assistant","message":{"model":"claude-a","content":[{"type":"tool_use","name":"Bash","input":{}}]}}"#;
        let again = r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Output token limit hit. Resume directly"}]}}"#;
        let done = |more: &str| format!(r#"{{"type":"result","subtype":"success"{more}}}"#);
        for (lines, want) in [
            (vec![answer.to_owned(), done(r#","is_error":false,"result":"ok""#)], "ok by claude-a"),
            (
                vec![answer.to_owned(), other.to_owned(), done(r#","is_error":false,"result":"ok""#)],
                "ok by claude-a, claude-b",
            ),
            (
                vec![answer.to_owned(), again.to_owned(), done(r#","is_error":false,"result":"half""#)],
                "half by claude-a, cut off",
            ),
            (
                vec![answer.to_owned(), done(r#","is_error":false,"result":"h","stop_reason":"max_tokens""#)],
                "h by claude-a, cut off",
            ),
            (vec![tool.to_owned()], r#"Lasting("it used the tool \"Bash\"")"#),
            (vec![answer.to_owned()], r#"Passing("it ended with code 0 without a result")"#),
            (vec!["Segmentation fault".to_owned()], r#"Passing("it ended with code 0 without a result")"#),
            (
                vec![own.to_owned(), done(r#","is_error":true,"api_error_status":null,"result":"Not logged in""#)],
                r#"Auth("Not logged in")"#,
            ),
            (vec![done(r#","is_error":true,"api_error_status":401,"result":"bad key""#)], r#"Auth("bad key")"#),
            (
                vec![done(r#","is_error":true,"api_error_status":529,"result":"overloaded""#)],
                r#"Passing("overloaded")"#,
            ),
            (
                vec![done(
                    r#","is_error":true,"api_error_status":400,"terminal_reason":"prompt_too_long","result":"long""#,
                )],
                r#"TooLong("long")"#,
            ),
            (
                vec![done(r#","is_error":true,"stop_reason":"refusal","result":"no""#)],
                r#"Lasting("the model refused: no")"#,
            ),
            // Without `is_error` there is no saying.
            (vec![done(r#","result":"ok""#)], r#"Lasting("ok")"#),
        ] {
            assert_eq!(said(read, &lines, 0), want, "{lines:?}");
        }
    }
}
