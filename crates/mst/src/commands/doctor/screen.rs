//! The report for people: one line a thing, with `ok` or `--` in front of it.

use mst_cli::plural;
use serde_json::Value;

/// Returns the report as text.
pub(crate) fn text(report: &Value) -> String {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let each = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut lines = vec![format!(
        "mst {} on {} ({})",
        text(&report["mst"], "version"),
        text(&report["mst"], "system"),
        text(&report["mst"], "machine")
    )];
    lines.push("\nPrograms".to_owned());
    for program in each(&report["programs"]) {
        let name = text(&program, "name");
        lines.push(match (program["version"].as_str(), program["problem"].as_str()) {
            (Some(version), _) => mark(true, &format!("{name}: {version}")),
            (None, Some(problem)) => mark(false, &format!("{name}: {problem}")),
            (None, None) => mark(false, &format!("{name}: not found")),
        });
    }
    lines.push("\nKeys, by name".to_owned());
    for key in each(&report["keys"]) {
        let names = |of: &str| each(&key[of]).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
        let set = names("set");
        let provider = text(&key, "provider");
        lines.push(if set.is_empty() {
            mark(false, &format!("{provider}: not set ({})", names("variables")))
        } else {
            mark(true, &format!("{provider}: {set}"))
        });
    }
    for url in each(&report["baseUrls"]) {
        lines.push(mark(true, &format!("{}: {}", text(&url, "name"), text(&url, "url"))));
    }
    lines.push("\nServers that other programs list".to_owned());
    let found = each(&report["found"]);
    if found.is_empty() {
        lines.push("  none".to_owned());
    }
    for server in found {
        let file = server["files"][0].as_str().unwrap_or_default().to_owned();
        let off = if server["disabled"] == true { ", switched off there" } else { "" };
        let reason = server["reason"].as_str().map(|reason| format!("; {reason}")).unwrap_or_default();
        let usable = server["usable"] == true;
        lines.push(mark(usable, &format!("{}{off}: {file}{reason}", text(&server, "label"))));
    }
    if !report["config"].is_null() {
        config(&report["config"], &mut lines);
    }
    lines.join("\n")
}

fn config(config: &Value, lines: &mut Vec<String>) {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let each = |value: &Value| value.as_array().cloned().unwrap_or_default();
    lines.push(format!("\nEval {}", text(config, "name")));
    for server in each(&config["servers"]) {
        let ready = server["ready"] == true;
        let what = if ready {
            format!(
                "{}, protocol {}",
                plural(server["tools"].as_u64().unwrap_or(0) as usize, "tool"),
                text(&server, "protocolVersion")
            )
        } else {
            text(&server, "reason")
        };
        let flag = server["needsFlag"].as_str().map(|flag| format!("; its writes are live, so a run needs {flag}"));
        lines.push(mark(ready, &format!("server {}: {what}{}", text(&server, "label"), flag.unwrap_or_default())));
    }
    for client in each(&config["clients"]) {
        let ready = client["ready"] == true;
        let model = client["model"].as_str().map(|model| format!(" with {model}")).unwrap_or_default();
        let what = if ready { "can open".to_owned() } else { text(&client, "reason") };
        lines.push(mark(ready, &format!("client {}{model}: {what}", text(&client, "client"))));
    }
    for judge in each(&config["judges"]) {
        let ready = judge["ready"] == true;
        let models = each(&judge["models"]).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
        let models = if models.is_empty() { models } else { format!(" with {models}") };
        let what = if ready { "can judge".to_owned() } else { text(&judge, "reason") };
        lines.push(mark(ready, &format!("judge {}{models}: {what}", text(&judge, "judge"))));
    }
    let output = &config["output"];
    let writable = output["writable"] == true;
    let problem = output["problem"].as_str().map(|problem| format!(": {problem}")).unwrap_or_default();
    lines.push(mark(writable, &format!("output directory {}{problem}", text(output, "directory"))));
}

fn mark(good: bool, line: &str) -> String {
    format!("  {} {}", if good { "ok" } else { "--" }, line.replace('\n', " "))
}
