//! Programs of others, in a network namespace that has a loopback alone, with a fake provider in it. The folder
//! `MST_CI_SERVERS` holds them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mst_testkit::{Finished, TestEnv, fake_binary};
use serde_json::{Value, json};

use crate::support::gradable;
use crate::surfaces::{recompute, shared};

/// Where the fake provider listens, inside.
const PROVIDER: &str = "http://127.0.0.1:18431";

/// Starts a fake provider, then runs the rest.
const INSIDE: &str = r#"
ip link set lo up
"$FAKE" provider --port 18431 --record --stay > fake.out 2>&1 & fake=$!
until [ -s fake.out ]; do sleep 0.05; done
"$@"; code=$?
kill $fake
exit $code
"#;

/// A server of others: where its surface was kept, its program below `MST_CI_SERVERS`, its arguments, and variables that it
/// wants set.
pub(crate) type Server = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

/// Returns the folder of others' programs.
#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' programs")]
pub(crate) fn programs() -> PathBuf {
    PathBuf::from(std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names the folder with npm/, py/ and judges/"))
}

/// Returns a folder of its own whose variables lead every provider to the fake one, and whose programs are the judges too.
pub(crate) fn place() -> TestEnv {
    let mut env = TestEnv::new().with_limit(Duration::from_mins(9)).with_provider_at(PROVIDER);
    let path = format!("{}:{}", programs().join("judges/node_modules/.bin").display(), env.variables()["PATH"]);
    env.set_variable("PATH", path);
    env.set_variable("FAKE", fake_binary().display().to_string());
    let login = json!({ "type": "authorized_user", "client_id": "fake-client", "client_secret": "fake-secret-0001",
        "refresh_token": "fake-refresh-0001", "token_uri": format!("{PROVIDER}/token") });
    let login = env.write_json("home/login.json", &login).display().to_string();
    env.set_variable("GOOGLE_APPLICATION_CREDENTIALS", login);
    env.set_variable("GOOGLE_VERTEX_PROJECT", "parts-project");
    env
}

/// Scans a server live, checks that it lists what it did when its surface was kept, has the report computed again by itself
/// and by another program, and returns it.
#[track_caller]
pub(crate) fn scan(env: &TestEnv, flags: &[&str], server: &Server) -> Value {
    let (slug, program, args, variables) = server;
    let program = programs().join(program);
    assert!(program.exists(), "{} is not there", program.display());
    let (gradable, program) = (gradable().display().to_string(), program.display().to_string());
    let mut words = vec!["--net", "sh", "-c", INSIDE, "sh", &gradable, "scan", "--name", slug, "--force"];
    words.extend(variables.iter().flat_map(|pair| ["--env", *pair]));
    words.extend(flags.iter().copied().chain(["--", &program]).chain(args.iter().copied()));
    let finished: Finished = env.run(Path::new("unshare"), words);
    finished.expect_code(0);
    let path = format!("gradable-reports/{slug}/report.json");
    let report = env.read_json(&path);
    let surface = shared().join(format!("surfaces/{slug}.json"));
    let kept: Value = serde_json::from_str(&fs_err::read_to_string(&surface).expect("a surface")).expect("JSON");
    let count = |tools: &Value| tools.as_array().map(|tools| tools.len() as u64);
    assert_eq!(report["target"]["toolCount"].as_u64(), count(&kept["tools"]), "{slug} lists other tools than it did");
    recompute(env, &path, &surface);
    // It keeps to the published schema, and computes to what it says.
    env.run(Path::new(&gradable), ["score", &path]).expect_code(0);
    report
}
