//! The tutorial, run as it is written: its files, its commands, its exit codes and what it says they print.

use std::path::Path;

use mst_testkit::TestEnv;

/// A fenced block of a page: what stands behind the opening fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => open = Some((info.to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Returns the last six characters of the newest run's id.
fn newest(env: &TestEnv) -> String {
    let runs = env.path(".mcp-test-results/parts/runs");
    let names = fs_err::read_dir(runs).expect("a run was made").map(|entry| entry.expect("an entry").file_name());
    let newest = names.map(|name| name.to_string_lossy().into_owned()).max().expect("a run was made");
    newest[newest.len() - 6..].to_owned()
}

#[test]
fn the_tutorial_does_what_it_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial.md");
    let page = fs_err::read_to_string(page).expect("the tutorial");
    let env = TestEnv::new().with_variable("MST_MCP_READINESS_RETRY_S", "");
    let mut printed = String::new();
    let mut commands = 0;
    for (info, text) in blocks(&page) {
        match info.split_once(' ') {
            Some(("json", name)) => drop(env.write(name, text)),
            _ if info == "sh" => {
                for line in text.lines() {
                    let (command, comment) = line.split_once('#').unwrap_or((line, ""));
                    let code = comment.trim().strip_prefix("exit ").map_or(0, |code| code.parse().expect("a code"));
                    // Two runs of one second are told apart by random digits, so the newest of them is not known.
                    let command = if command.contains("RUN") {
                        command.replace("RUN", &newest(&env))
                    } else {
                        command.to_owned()
                    };
                    let words: Vec<&str> = command.split_whitespace().collect();
                    let (program, arguments) = words.split_first().expect("a command");
                    assert_eq!(*program, "mst", "{line}");
                    let finished = env.run(&TestEnv::mst(), arguments);
                    assert_eq!(finished.code, Some(code), "{line}\n{}\n{}", finished.stdout, finished.stderr);
                    printed = finished.stdout;
                    commands += 1;
                    if line.starts_with("mst run") && code == 1 {
                        std::thread::sleep(std::time::Duration::from_millis(1100));
                    }
                }
            }
            _ if info == "text" => {
                for line in text.lines() {
                    assert!(printed.contains(line.trim_end()), "the tutorial says {line:?}, mst printed:\n{printed}");
                }
            }
            _ => panic!("a block of the tutorial is {info:?}"),
        }
    }
    assert!(commands >= 6, "{commands}");
}
