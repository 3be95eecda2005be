//! A small stdio MCP server inside the binary: a parts catalog, read-only, for the quickstart and for trying things out.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// Part id, name, bin, how many.
const PARTS: [(&str, &str, u64, u64); 6] = [
    ("p-1", "hex bolt M6", 7, 120),
    ("p-2", "flat washer M6", 3, 400),
    ("p-3", "lock nut M6", 3, 75),
    ("p-4", "wood screw 4x40", 12, 900),
    ("p-5", "spring washer M8", 7, 60),
    ("p-6", "cable tie 200 mm", 1, 250),
];

/// The newest protocol revision the server speaks; it answers with the client's own when that is older.
const REVISION: &str = "2025-11-25";

/// Serves until `input` ends.
///
/// # Errors
/// When a line cannot be read or an answer cannot be written.
pub(crate) fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    for line in input.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let Some(answer) = answer(&line) else { continue };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

/// Returns the answer to one message; `None` for a notification.
fn answer(line: &str) -> Option<Value> {
    let message: Value = match serde_json::from_str(line) {
        Ok(message) => message,
        Err(_) => return Some(error(&Value::Null, -32700, "the line is not JSON")),
    };
    let id = message.get("id").filter(|id| !id.is_null())?.clone();
    let params = message.get("params").unwrap_or(&Value::Null);
    let result = match message.get("method").and_then(Value::as_str) {
        Some("initialize") => json!({
            "protocolVersion": revision(params),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "mst-demo-parts", "version": env!("CARGO_PKG_VERSION") },
            "instructions": "A small, fixed parts catalog. Every tool only reads."
        }),
        Some("ping") => json!({}),
        Some("tools/list") => json!({ "tools": tools() }),
        Some("tools/call") => match call(params) {
            Some(result) => result,
            None => return Some(error(&id, -32602, "no such tool")),
        },
        _ => return Some(error(&id, -32601, "no such method")),
    };
    Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// Revisions are dates, so the older of two is the smaller text.
fn revision(params: &Value) -> &str {
    params.get("protocolVersion").and_then(Value::as_str).filter(|asked| *asked < REVISION).unwrap_or(REVISION)
}

fn tools() -> Value {
    let reads = json!({ "readOnlyHint": true, "openWorldHint": false });
    json!([
        {
            "name": "find_part",
            "description": "Find which bin a part is in, by the part's id.",
            "inputSchema": {
                "type": "object",
                "properties": { "id": { "type": "string", "description": "The part's id, such as p-1." } },
                "required": ["id"]
            },
            "annotations": reads
        },
        {
            "name": "list_bin",
            "description": "List the stock of one bin: every part in it and how many there are.",
            "inputSchema": {
                "type": "object",
                "properties": { "bin": { "type": "integer", "minimum": 1, "description": "The bin's number." } },
                "required": ["bin"]
            },
            "annotations": reads
        },
        {
            "name": "search_catalog",
            "description": "Search the catalog for parts whose name contains a text.",
            "inputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string", "description": "The text to look for." } },
                "required": ["text"]
            },
            "annotations": reads
        }
    ])
}

fn call(params: &Value) -> Option<Value> {
    let argument = |name: &str| params.get("arguments").and_then(|arguments| arguments.get(name));
    Some(match params.get("name").and_then(Value::as_str)? {
        "find_part" => match argument("id").and_then(Value::as_str) {
            None => failed("id must be a text"),
            Some(id) => match PARTS.iter().find(|part| part.0 == id) {
                Some((id, name, bin, _)) => text(&format!("{id} ({name}) is in bin {bin}.")),
                None => failed(&format!("there is no part {id}")),
            },
        },
        "list_bin" => match argument("bin").and_then(Value::as_u64) {
            None => failed("bin must be a number of 1 or more"),
            Some(bin) => listing(PARTS.iter().filter(|part| part.2 == bin), &format!("bin {bin} is empty")),
        },
        "search_catalog" => match argument("text").and_then(Value::as_str) {
            None => failed("text must be a text"),
            Some(text) => listing(PARTS.iter().filter(|part| part.1.contains(text)), "no part has that in its name"),
        },
        _ => return None,
    })
}

fn listing<'a>(parts: impl Iterator<Item = &'a (&'a str, &'a str, u64, u64)>, none: &str) -> Value {
    let lines: Vec<String> = parts.map(|(id, name, bin, count)| format!("{id} x {count}, {name}, bin {bin}")).collect();
    if lines.is_empty() { failed(none) } else { text(&lines.join("\n")) }
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn failed(reason: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": reason }], "isError": true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(lines: &str) -> Vec<Value> {
        let mut out = Vec::new();
        serve(lines.as_bytes(), &mut out).expect("memory does not fail");
        String::from_utf8(out).expect("text").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn every_tool_is_read_only_and_answers() {
        let listed = answers(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        let tools = listed[0]["result"]["tools"].as_array().expect("a list").clone();
        assert_eq!(tools.len(), 3);
        assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true));
        let call =
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_part","arguments":{"id":"p-1"}}}"#;
        assert_eq!(answers(call)[0]["result"]["content"][0]["text"], "p-1 (hex bolt M6) is in bin 7.");
    }

    #[test]
    fn bad_input_gets_an_answer_and_notifications_none() {
        let got = answers(
            "nonsense\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\"}",
        );
        assert_eq!(got.iter().map(|answer| answer["error"]["code"].clone()).collect::<Vec<_>>(), [-32700, -32601]);
    }
}
