//! Servers that others wrote, scanned live in a network namespace that has a loopback alone. The folder `MST_CI_SERVERS` holds
//! them: `npm/node_modules/.bin/…` and `py/bin/…`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mst_testkit::TestEnv;

use crate::support::{gradable, run};
use crate::surfaces::{recompute, shared};

/// A server: where its surface was kept, its program, its arguments, and variables that it wants set.
type Server = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const FROM_NPM: [Server; 7] = [
    ("everything", "mcp-server-everything", &[], &[]),
    ("filesystem", "mcp-server-filesystem", &["."], &[]),
    ("memory", "mcp-server-memory", &[], &[]),
    ("sequential-thinking", "mcp-server-sequential-thinking", &[], &[]),
    ("github-ref", "mcp-server-github", &[], &[]),
    ("gitlab-ref", "mcp-server-gitlab", &[], &["GITLAB_PERSONAL_ACCESS_TOKEN=dummy"]),
    ("slack-ref", "mcp-server-slack", &[], &["SLACK_BOT_TOKEN=xoxb-dummy", "SLACK_TEAM_ID=T000"]),
];

const FROM_PYPI: [Server; 3] = [
    ("time", "mcp-server-time", &["--local-timezone=UTC"], &[]),
    ("git", "mcp-server-git", &[], &[]),
    ("fetch", "mcp-server-fetch", &[], &[]),
];

#[expect(clippy::disallowed_methods, reason = "the one setting of a test that needs others' programs")]
fn folder() -> PathBuf {
    PathBuf::from(std::env::var("MST_CI_SERVERS").expect("MST_CI_SERVERS names the folder with npm/ and py/"))
}

fn scan(bin: &Path, servers: &[Server]) {
    let env = TestEnv::new().with_limit(Duration::from_mins(2));
    for (slug, program, args, variables) in servers {
        let program = bin.join(program);
        assert!(program.exists(), "{} is not there", program.display());
        let mut words =
            vec![gradable().display().to_string(), "scan".to_owned(), "--name".to_owned(), (*slug).to_owned()];
        words.extend(variables.iter().flat_map(|pair| ["--env".to_owned(), (*pair).to_owned()]));
        words.extend(["--".to_owned(), program.display().to_string()]);
        words.extend(args.iter().map(|word| (*word).to_owned()));
        let line = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let inside = format!("ip link set lo up; exec {line}");
        let finished = env.run(Path::new("unshare"), ["--net", "sh", "-c", &inside]);
        finished.expect_code(0);
        let path = format!("gradable-reports/{slug}/report.json");
        let report = env.read_json(&path);
        let surface = shared().join(format!("surfaces/{slug}.json"));
        let kept: serde_json::Value =
            serde_json::from_str(&fs_err::read_to_string(&surface).expect("a surface")).expect("JSON");
        assert_eq!(
            report["target"]["toolCount"].as_u64(),
            kept["tools"].as_array().map(|tools| tools.len() as u64),
            "{slug} lists other tools than it did"
        );
        recompute(&env, &path, &surface);
        // It keeps to the published schema, and computes to what it says.
        run(&env, &["score", &path]).expect_code(0);
    }
}

#[test]
#[ignore = "needs node"]
fn servers_from_npm_are_graded() {
    scan(&folder().join("npm/node_modules/.bin"), &FROM_NPM);
}

#[test]
#[ignore = "needs python"]
fn servers_from_pypi_are_graded() {
    scan(&folder().join("py/bin"), &FROM_PYPI);
}
