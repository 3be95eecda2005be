//! One eval in a folder of its own, with a fake provider, run by the real binary.

use std::ffi::OsStr;

use mst_testkit::mcp::stdio_entry;
use mst_testkit::{FakeProvider, Finished, Mode, Reply, Rule, Script, TestEnv, ToolCall, When};
use serde_json::{Map, Value, json};

use crate::run_dir::RunDir;

/// The eval's directory in the test's folder.
const OUT: &str = "out";

/// An eval config, a dataset, a provider and the folder that they live in.
pub(crate) struct Eval {
    pub(crate) env: TestEnv,
    pub(crate) provider: FakeProvider,
}

impl Eval {
    /// Makes a folder and starts a provider with a script.
    pub(crate) fn new(script: Script) -> Self {
        let provider = FakeProvider::start_now(script);
        let env = TestEnv::new().with_provider(&provider);
        Self { env, provider }
    }

    /// Makes an eval of one plain stdio server and one case that looks part p-1 up, and passes.
    pub(crate) fn passing() -> Self {
        let eval = Self::new(looks_up());
        eval.write(&json!({ "parts": eval.stdio("parts", Mode::Plain) }), &json!([case("bin", lookup())]), &json!({}));
        eval
    }

    /// Returns a stdio server that logs under its label.
    pub(crate) fn stdio(&self, label: &str, mode: Mode) -> Value {
        stdio_entry(mode, Some(&self.env.path(format!("{label}.log"))))
    }

    /// Writes `eval.json` and `parts.json`. `more` goes over the config's keys; null removes one.
    pub(crate) fn write(&self, servers: &Value, cases: &Value, more: &Value) {
        self.env.write_json("parts.json", &json!({ "name": "parts", "cases": cases }));
        self.write_config(servers, more);
    }

    /// Writes `eval.json` alone.
    pub(crate) fn write_config(&self, servers: &Value, more: &Value) {
        let mut config = json!({ "name": "parts-eval", "datasets": ["parts.json"], "client": "api", "model": "claude-x",
            "redactStoredResponses": false, "servers": servers });
        let keys: &mut Map<String, Value> = config.as_object_mut().expect("an object");
        for (key, value) in more.as_object().expect("keys of a config") {
            if value.is_null() {
                keys.remove(key);
            } else {
                keys.insert(key.clone(), value.clone());
            }
        }
        self.env.write_json("eval.json", &config);
    }

    /// Returns the arguments of a run with more behind them.
    pub(crate) fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["run", "--config", "eval.json", "--output-dir", OUT], more].concat()
    }

    /// Runs `mst run` with more flags.
    pub(crate) fn run_with(&self, more: &[&str]) -> Finished {
        self.mst(&Self::arguments(more))
    }

    /// Runs `mst`.
    pub(crate) fn mst<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Finished {
        let finished = self.env.run(&TestEnv::mst(), arguments);
        assert!(!finished.stderr.contains("panicked at"), "{}", finished.stderr);
        finished
    }

    /// Runs the eval, expects an exit status, and reads what it left.
    #[track_caller]
    pub(crate) fn run(&self, code: i32) -> RunDir {
        self.run_expecting(&[], code).1
    }

    /// Runs the eval with more flags, expects an exit status, and reads what it left.
    #[track_caller]
    pub(crate) fn run_expecting(&self, more: &[&str], code: i32) -> (Finished, RunDir) {
        let finished = self.run_with(more);
        finished.expect_code(code);
        (finished, self.newest())
    }

    /// Returns every run directory, the oldest first.
    pub(crate) fn runs(&self) -> Vec<RunDir> {
        let Ok(entries) = fs_err::read_dir(self.env.path(OUT).join("runs")) else { return Vec::new() };
        let mut found: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        found.sort_by_key(|path| fs_err::metadata(path).and_then(|data| data.modified()).expect("a file system"));
        found.into_iter().map(RunDir::new).collect()
    }

    /// Returns the newest run.
    #[track_caller]
    pub(crate) fn newest(&self) -> RunDir {
        self.runs().pop().expect("a run left its directory")
    }

    /// Returns the run that `latest.json` names.
    pub(crate) fn latest(&self) -> Option<String> {
        let text = fs_err::read_to_string(self.env.path(OUT).join("latest.json")).ok()?;
        let latest: Value = serde_json::from_str(&text).expect("latest.json holds JSON");
        Some(latest["runId"].as_str().expect("a run id").to_owned())
    }

    /// Returns the messages of a method that reached a server.
    pub(crate) fn received(&self, label: &str, method: &str) -> Vec<Value> {
        let lines = self.env.read_lines(format!("{label}.log"));
        lines.into_iter().filter(|line| line["in"]["method"] == method).map(|line| line["in"].clone()).collect()
    }

    /// Returns the names and arguments of the calls that reached a server.
    pub(crate) fn calls(&self, label: &str) -> Vec<(String, Value)> {
        let name = |call: &Value| call["params"]["name"].as_str().expect("a tool's name").to_owned();
        let calls = self.received(label, "tools/call");
        calls.iter().map(|call| (name(call), call["params"]["arguments"].clone())).collect()
    }

    /// Returns how many processes a server had.
    pub(crate) fn processes(&self, label: &str) -> usize {
        self.env.read_lines(format!("{label}.log")).iter().filter(|line| line.get("start").is_some()).count()
    }

    /// Returns the texts of the tool results that the last request about a prompt brought.
    pub(crate) fn results_told(&self, prompt: &str) -> Vec<String> {
        let last = self.provider.views().into_iter().rfind(|view| view.prompt().contains(prompt));
        last.map(|view| view.tool_results.into_iter().map(|result| result.text).collect()).unwrap_or_default()
    }

    /// Returns how many requests there were about a prompt.
    pub(crate) fn asked(&self, prompt: &str) -> usize {
        self.provider.views().iter().filter(|view| view.prompt().contains(prompt)).count()
    }
}

/// Returns a case whose prompt starts with `Case <id>:`.
pub(crate) fn case(id: &str, assertions: Value) -> Value {
    let mut case = json!({ "id": id, "input": prompt(id) });
    case["assertions"] = assertions;
    case
}

/// Returns the prompt of [`case`].
pub(crate) fn prompt(id: &str) -> String {
    format!("Case {id}: which bin is part p-1 in?")
}

/// Asserts that part p-1 is looked up.
pub(crate) fn lookup() -> Value {
    json!({ "toolsTriggered": { "calls": [{ "name": "lookup", "arguments": { "id": "p-1" } }] } })
}

/// Looks part p-1 up and answers.
pub(crate) fn done() -> [Reply; 2] {
    [Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" }))), Reply::text("Part p-1 is in bin 7.")]
}

/// A script that always looks part p-1 up and answers.
pub(crate) fn looks_up() -> Script {
    Script::strict().rule(Rule::new(When::default(), done()).repeating())
}
