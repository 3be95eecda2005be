//! Servers that others wrote. The folder `MST_CI_SERVERS` holds them: `npm/node_modules/.bin/…` and `py/bin/…`.
//!
//! The server, the fake provider and `mst` all live in one network namespace that has a loopback alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mst_testkit::{TestEnv, fake_binary};
use serde_json::{Value, json};

/// A server, what is asked of it, and the call that is expected.
struct Server {
    program: &'static str,
    arguments: Vec<String>,
    writes: bool,
    prompt: String,
    tool: &'static str,
    arguments_of_call: Value,
    answer: &'static str,
}

#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' programs")]
fn folder() -> PathBuf {
    PathBuf::from(std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names the folder with npm/ and py/"))
}

fn program(name: &str) -> PathBuf {
    let path = folder().join(name);
    assert!(path.exists(), "{} is not there", path.display());
    path
}

/// A variant for each wire form, by the model that is spoken to in it.
const FORMS: [(&str, &str); 4] =
    [("messages", "claude-x"), ("responses", "gpt-x"), ("gemini", "gemini-x"), ("chat", "mistral-x")];

/// A folder, a script for the provider, and `mst` beside both without a network.
struct Bench {
    env: TestEnv,
}

impl Bench {
    fn new() -> Self {
        let env = TestEnv::new()
            .with_limit(Duration::from_mins(2))
            .with_variable("ANTHROPIC_API_KEY", "sk-fake-anthropic-0001")
            .with_variable("OPENAI_API_KEY", "sk-fake-openai-0001")
            .with_variable("GOOGLE_GENERATIVE_AI_API_KEY", "fake-google-0001")
            .with_variable("MISTRAL_API_KEY", "fake-mistral-0001")
            .with_variable("MST_MCP_READINESS_RETRY_S", "")
            .with_variable("NO_PROXY", "127.0.0.1");
        env.write("files/part.txt", "p-1 is in bin 7\n");
        Self { env }
    }

    fn write(&self, entry: &Value, server: &Server, with_writes: bool) {
        let mut config = json!({ "name": "real", "datasets": ["cases.json"], "client": "api", "servers": { "s": entry },
            "redactStoredResponses": false });
        let models = FORMS.into_iter().chain([("offline", "lexical-1")]);
        config["variants"] = models.map(|(name, model)| json!({ "name": name, "model": model })).collect();
        if with_writes {
            config["writes"] = json!({ "s": "unguarded" });
        }
        self.env.write_json("eval.json", &config);
        let case = json!({ "id": "call", "input": server.prompt });
        self.env.write_json("cases.json", &json!({ "name": "cases", "cases": [case] }));
        let call = json!({ "tool_calls": [{ "suffix": server.tool, "arguments": server.arguments_of_call }] });
        let rules = json!([{ "when": {}, "replies": [call, { "text": "It says: {{last_tool_result}}" }] }]);
        self.env.write_json("script.json", &json!({ "rules": rules, "fallback": "refuse" }));
    }

    /// Runs the eval; `first` is what the shell does before.
    fn run(&self, first: &str, code: i32) -> mst_testkit::Finished {
        let script = format!(
            "ip link set lo up; {first}
             mkfifo stop; {fake} provider --script script.json <stop >provider.json & exec 9>stop
             while [ ! -s provider.json ]; do sleep 0.05; done
             base() {{ sed 's/.*\"'$1'\":\"\\([^\"]*\\)\".*/\\1/' provider.json; }}
             export ANTHROPIC_BASE_URL=$(base anthropic) OPENAI_BASE_URL=$(base openai) MISTRAL_BASE_URL=$(base openai)
             export GOOGLE_GENERATIVE_AI_BASE_URL=$(base google)
             {mst} run -c eval.json --output-dir out; status=$?
             exec 9>&-; [ -z \"$server\" ] || kill $server; wait; rm stop provider.json; exit $status",
            fake = fake_binary().display(),
            mst = TestEnv::mst().display(),
        );
        let finished = self.env.run(Path::new("unshare"), ["--net", "sh", "-c", &script]);
        assert_eq!(finished.code, Some(code), "{}\n{}", finished.stdout, finished.stderr);
        assert_eq!(finished.left_over, []);
        finished
    }

    fn run_dir(&self) -> crate::run_dir::RunDir {
        let runs = fs_err::read_dir(self.env.path("out/runs")).expect("a run");
        let path = runs.map(|entry| entry.expect("an entry").path()).max().expect("a run");
        crate::run_dir::RunDir::new(path)
    }
}

fn check(bench: &Bench, server: &Server, entry: &Value, first: &str) {
    if server.writes {
        bench.write(entry, server, false);
        let refused = bench.run(first, 2);
        assert!(
            refused.stderr.contains("aren't read-only") && !bench.env.path("out").join("runs").exists(),
            "{}",
            refused.stderr
        );
    }
    bench.write(entry, server, server.writes);
    bench.run(first, 0);
    let dir = bench.run_dir();
    for (form, _) in FORMS {
        let events = crate::run_dir::events(&dir.trial_of(Some(form), "call"));
        assert_eq!(events.len(), 1, "{form}: {events:?}");
        assert_eq!(
            (&events[0]["name"], &events[0]["isError"]),
            (&json!(server.tool), &json!(false)),
            "{form}: {}",
            events[0]
        );
        let response = dir.case_of(Some(form), "call")["response"].as_str().unwrap_or_default().to_owned();
        assert!(response.contains(server.answer), "{form}: {response}");
    }
    assert_eq!(dir.trial_of(Some("offline"), "call")["ending"], json!({ "kind": "trial" }));
    let listed = dir.run()["variants"][0]["readiness"].to_string();
    assert!(listed.contains(server.tool), "{listed}");
}

fn stdio(server: &Server) -> Value {
    json!({ "transport": "stdio", "command": program(server.program), "args": server.arguments, "inheritEnv": false })
}

fn everything(arguments: &[&str]) -> Server {
    Server {
        program: "npm/node_modules/.bin/mcp-server-everything",
        arguments: arguments.iter().map(ToString::to_string).collect(),
        writes: true,
        prompt: "Echo the message \"hello\".".to_owned(),
        tool: "echo",
        arguments_of_call: json!({ "message": "hello" }),
        answer: "Echo: hello",
    }
}

#[test]
#[ignore = "needs node"]
fn everything_over_stdio() {
    let server = everything(&["stdio"]);
    check(&Bench::new(), &server, &stdio(&server), "");
}

#[test]
#[ignore = "needs node"]
fn everything_over_http() {
    let server = everything(&[]);
    let first = format!(
        "rm -f server.log; PORT=3917 {} streamableHttp >server.log 2>&1 & server=$!
         until grep -q 3917 server.log 2>/dev/null; do sleep 0.1; done",
        program(server.program).display()
    );
    let entry = json!({ "transport": "http", "serverUrl": "http://127.0.0.1:3917/mcp" });
    check(&Bench::new(), &server, &entry, &first);
}

#[test]
#[ignore = "needs node"]
fn filesystem() {
    let bench = Bench::new();
    let files = bench.env.path("files");
    let server = Server {
        program: "npm/node_modules/.bin/mcp-server-filesystem",
        arguments: vec![files.display().to_string()],
        writes: true,
        prompt: format!("Read the text file \"{}\".", files.join("part.txt").display()),
        tool: "read_text_file",
        arguments_of_call: json!({ "path": files.join("part.txt") }),
        answer: "bin 7",
    };
    check(&bench, &server, &stdio(&server), "");
}

#[test]
#[ignore = "needs node"]
fn memory() {
    let bench = Bench::new();
    let server = Server {
        program: "npm/node_modules/.bin/mcp-server-memory",
        arguments: Vec::new(),
        writes: true,
        prompt: "Read the whole knowledge graph.".to_owned(),
        tool: "read_graph",
        arguments_of_call: json!({}),
        answer: "entities",
    };
    let mut entry = stdio(&server);
    entry["env"] = json!({ "MEMORY_FILE_PATH": bench.env.path("memory.jsonl") });
    check(&bench, &server, &entry, "");
}

#[test]
#[ignore = "needs python"]
fn git() {
    let bench = Bench::new();
    let repository = bench.env.path("repository");
    let server = Server {
        program: "py/bin/mcp-server-git",
        arguments: vec!["--repository".to_owned(), repository.display().to_string()],
        writes: true,
        prompt: format!("Show the git status of \"{}\".", repository.display()),
        tool: "git_status",
        arguments_of_call: json!({ "repo_path": repository }),
        answer: "branch",
    };
    bench.env.write("repository/new.txt", "new\n");
    let made = bench.env.run(Path::new("git"), ["init", "--quiet", "repository"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    check(&bench, &server, &stdio(&server), "");
}

#[test]
#[ignore = "needs python"]
fn time() {
    let server = Server {
        program: "py/bin/mcp-server-time",
        arguments: vec!["--local-timezone".to_owned(), "Etc/UTC".to_owned()],
        writes: false,
        prompt: "Get the current time in the timezone \"Etc/UTC\".".to_owned(),
        tool: "get_current_time",
        arguments_of_call: json!({ "timezone": "Etc/UTC" }),
        answer: "Etc/UTC",
    };
    let bench = Bench::new();
    let mut server = server;
    // Whether it says that its tools only read differs from version to version.
    server.writes = says_writes(&bench, &server);
    check(&bench, &server, &stdio(&server), "");
}

fn says_writes(bench: &Bench, server: &Server) -> bool {
    bench.write(&stdio(server), server, false);
    let script = format!(
        "ip link set lo up; exec {} run -c eval.json --output-dir probe --variant offline",
        TestEnv::mst().display()
    );
    bench.env.run(Path::new("unshare"), ["--net", "sh", "-c", &script]).code == Some(2)
}
