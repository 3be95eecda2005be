//! opencode, `opencode run`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::home::Home;
use super::invocation::{Heard, Invocation, Printed, Trouble, brief};

/// What stands in the place of its own long system prompt, which is about writing code.
const SYSTEM: &str = "You answer the user's question as it asks you to, with one JSON object. You use no tools.";

pub(super) fn invocation(
    model: Option<&str>,
    home: &Home,
    env: &BTreeMap<String, String>,
) -> Result<Invocation, String> {
    let mut call = Invocation::new(home, env);
    let keys = ["_API_KEY", "_API_TOKEN", "_AUTH_TOKEN", "_BASE_URL", "_RESOURCE_NAME"];
    let clouds = ["AWS_", "GOOGLE_", "AZURE_", "CLOUDFLARE_", "GITHUB_TOKEN", "GITLAB_TOKEN", "HF_TOKEN"];
    call.pass(env, |name| {
        keys.iter().any(|end| name.ends_with(end)) || clouds.iter().any(|start| name.starts_with(start))
    });
    for (name, folder) in [
        ("XDG_CONFIG_HOME", "cfg"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_STATE_HOME", "state"),
    ] {
        call.set(name, home.path(folder));
    }
    for off in ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_PROJECT_CONFIG"] {
        call.set(off, "1");
    }
    let user = env.get("XDG_DATA_HOME").map(|folder| Path::new(folder).to_owned());
    let user = user.or_else(|| Some(Path::new(env.get("HOME")?).join(".local/share")));
    home.link_login(user.map(|folder| folder.join("opencode/auth.json")).as_deref(), "data/opencode/auth.json");
    home.write("judge.json", &settings(model, env).to_string())
        .map_err(|error| format!("no settings for it: {error}"))?;
    call.set("OPENCODE_CONFIG", home.path("judge.json"));
    // Its log tells the model, which its events do not. A title of ours saves a second question to the model.
    call.args(["run", "--pure", "--format", "json", "--print-logs", "--log-level", "INFO"]);
    call.args(["--agent", "judge", "--title", "judge"]);
    if let Some(model) = model {
        call.args(["-m", model]);
    }
    Ok(call)
}

/// Returns its settings: nothing is allowed, and a provider whose base URL the environment names is found there.
fn settings(model: Option<&str>, env: &BTreeMap<String, String>) -> Value {
    let mut settings = json!({
        "permission": { "*": "deny" },
        "tools": { "*": false },
        "share": "disabled",
        "agent": { "judge": { "mode": "primary", "prompt": SYSTEM, "permission": { "*": "deny" }, "tools": { "*": false } } },
    });
    let Some((provider, name)) = model.and_then(|model| model.split_once('/')) else { return settings };
    let prefix = provider.to_uppercase().replace('-', "_");
    let Some(url) = env.get(&format!("{prefix}_BASE_URL")).filter(|url| !url.is_empty()) else { return settings };
    let mut url = url.trim_end_matches('/').to_owned();
    // The root that other programs take is not the one that this one takes.
    if provider == "anthropic" && !url.ends_with("/v1") {
        url.push_str("/v1");
    }
    let mut entry = json!({
        "options": { "baseURL": url },
        "models": { name: { "name": name, "status": "active", "limit": { "context": 200_000, "output": 32_000 } } },
    });
    let key = format!("{prefix}_API_KEY");
    if env.contains_key(&key) {
        entry["options"]["apiKey"] = Value::String(format!("{{env:{key}}}"));
    }
    if !["anthropic", "openai", "google"].contains(&provider) {
        entry["npm"] = "@ai-sdk/openai-compatible".into();
        entry["name"] = provider.into();
    }
    settings["provider"] = json!({ provider: entry });
    settings
}

/// Reads its events, and its log for the model.
pub(super) fn read(printed: &Printed) -> Result<Heard, Trouble> {
    let mut heard = Heard::default();
    for event in printed.events() {
        let part = &event["part"];
        match event["type"].as_str() {
            Some("text") => {
                heard.text.push_str(part["text"].as_str().unwrap_or_default());
                heard.text.push('\n');
            }
            Some("tool_use") => return Err(Trouble::Lasting(format!("it used the tool {}", part["tool"]))),
            Some("step_finish") => match part["reason"].as_str() {
                Some("length") => heard.is_cut_off = true,
                Some("content-filter") => return Err(Trouble::Lasting("the answer was filtered".to_owned())),
                _ => {}
            },
            Some("error") => return Err(trouble(&event["error"])),
            _ => {}
        }
    }
    if printed.code != Some(0) {
        return Err(Trouble::Passing(printed.ending()));
    }
    for line in printed.stderr.lines().filter(|line| line.contains(" message=stream ")) {
        let word = |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key)).unwrap_or_default();
        if word("small=") != "true" {
            heard.by(&format!("{}/{}", word("providerID="), word("modelID=")));
        }
    }
    Ok(heard)
}

fn trouble(error: &Value) -> Trouble {
    let (name, data) = (error["name"].as_str().unwrap_or("error"), &error["data"]);
    let reason = brief(data["message"].as_str().unwrap_or(name));
    match name {
        "ProviderAuthError" => Trouble::Auth(reason),
        "ContextOverflowError" => Trouble::TooLong(reason),
        _ => match data["statusCode"].as_u64() {
            Some(status) => Trouble::of_status(status, reason),
            None => Trouble::Lasting(format!("{name}: {reason}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::invocation::tests::said_with;
    use super::*;

    #[test]
    fn its_events_are_an_answer_or_a_reason() {
        let text = r#"{"type":"text","part":{"type":"text","text":"ok"}}"#;
        let finish = |reason: &str| format!(r#"{{"type":"step_finish","part":{{"reason":"{reason}"}}}}"#);
        let error = |body: &str| format!(r#"{{"type":"error","error":{body}}}"#);
        let log = "timestamp=x level=INFO message=stream providerID=p modelID=title small=true agent=title\n\
                   timestamp=x level=INFO message=stream providerID=p modelID=m small=false agent=judge\n";
        for (lines, want) in [
            (vec![text.to_owned(), finish("stop")], "ok by p/m"),
            (vec![text.to_owned(), finish("length")], "ok by p/m, cut off"),
            (vec![finish("content-filter")], r#"Lasting("the answer was filtered")"#),
            (
                vec![r#"{"type":"tool_use","part":{"tool":"bash"}}"#.to_owned()],
                r#"Lasting("it used the tool \"bash\"")"#,
            ),
            (vec![error(r#"{"name":"APIError","data":{"statusCode":401,"message":"bad key"}}"#)], r#"Auth("bad key")"#),
            (vec![error(r#"{"name":"APIError","data":{"statusCode":503,"message":"down"}}"#)], r#"Passing("down")"#),
            (vec![error(r#"{"name":"ContextOverflowError","data":{"message":"long"}}"#)], r#"TooLong("long")"#),
            (vec![error(r#"{"name":"UnknownError","data":{"message":"odd"}}"#)], r#"Lasting("UnknownError: odd")"#),
        ] {
            assert_eq!(said_with(read, &lines, log, 0), want, "{lines:?}");
        }
        assert_eq!(said_with(read, &[], log, 1), r#"Passing("it ended with code 1")"#);
    }

    #[test]
    fn a_base_url_makes_a_provider() {
        let env = [("DEEPSEEK_BASE_URL", "http://127.0.0.1:1/v1/"), ("DEEPSEEK_API_KEY", "secret")];
        let env: BTreeMap<String, String> = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let made = settings(Some("deepseek/v4/flash"), &env);
        assert_eq!(made["provider"]["deepseek"]["options"]["baseURL"], "http://127.0.0.1:1/v1");
        assert!(made["provider"]["deepseek"]["models"]["v4/flash"].is_object());
        assert!(!made.to_string().contains("secret"), "the key stays in the environment: {made}");
        assert_eq!(made["permission"], json!({ "*": "deny" }));
        for model in [None, Some("no-provider"), Some("openai/x")] {
            assert!(settings(model, &env).get("provider").is_none(), "{model:?}");
        }
    }
}
