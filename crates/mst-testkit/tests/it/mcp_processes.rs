//! Modes that are about the server's process: how it starts, dies and outlives its client.

use std::time::{Duration, Instant};

use mst_testkit::mcp::Mode;
use mst_testkit::{TestEnv, fake_binary};
use serde_json::json;

use crate::mcp_modes::start;

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"lookup\"}}\n";

#[test]
fn a_server_dies_in_a_call_or_at_its_start() {
    let env = TestEnv::new();
    let finished = env.run_with_stdin(&fake_binary(), ["mcp", "--mode", "dies-in-call"], CALL.as_bytes());
    finished.expect_code(3);
    assert_eq!((finished.stderr.trim(), finished.stdout.as_str()), ("panic: out of memory", ""));
    let finished = env.run(&fake_binary(), ["mcp", "--mode", "dies-at-start"]);
    assert_eq!((finished.code, finished.stderr.trim()), (Some(3), "fatal: no configuration found"));
}

#[test]
fn slow_modes_take_their_time_and_answer_others_meanwhile() {
    let env = TestEnv::new();
    let mut fake = start(&env, Mode::SlowCall, &["--delay-ms", "300"]);
    let began = Instant::now();
    fake.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "lookup"}}));
    fake.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    assert_eq!((fake.json()["id"].clone(), fake.json()["id"].clone()), (json!(2), json!(1)));
    assert!(began.elapsed() >= Duration::from_millis(300));
    let mut fake = start(&env, Mode::SlowStart, &["--delay-ms", "100"]);
    fake.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}));
    assert_eq!(fake.json()["id"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn servers_outlive_their_client_and_are_found_as_left_over() {
    for (mode, processes) in [("stays-after-eof", 1), ("never-answers", 2)] {
        let env = TestEnv::new().with_limit(Duration::from_millis(500));
        let mut command = env.command(&fake_binary(), ["mcp", "--mode", mode]);
        let mut child = command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null()).spawn().unwrap();
        let patience = Instant::now() + Duration::from_secs(5);
        while env.left_over().len() < processes && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(200));
        let left = env.left_over();
        assert_eq!(left.len(), processes, "{mode}: {left:?}");
        assert_eq!(left.iter().any(|process| process.command == "sleep 999"), processes == 2, "{left:?}");
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(child.try_wait().unwrap().is_none(), mode == "never-answers", "{mode}");
        child.kill().ok();
        child.wait().unwrap();
        // What is left is killed with the environment.
        let (tag, root) = (env.variables()["MST_TESTKIT_TAG"].clone(), env.root().to_owned());
        drop(env);
        assert!(!root.exists() && !tag.is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_at_its_time_limit_is_killed_with_its_group() {
    let env = TestEnv::new().with_limit(Duration::from_millis(500));
    let finished = env.run(&fake_binary(), ["mcp", "--mode", "never-answers"]);
    assert!(finished.timed_out && finished.code.is_none() && finished.left_over.is_empty(), "{finished:?}");
    assert_eq!(env.left_over(), []);
}
