//! The readiness check before a batch: who is checked again, how often, and what the trials say.

use mst_testkit::{Mode, fake_binary};
use serde_json::json;

use crate::eval::{Eval, case, looks_up, lookup};

#[test]
fn a_server_that_stays_unready_is_checked_again_after_each_delay() {
    let mut eval = Eval::new(looks_up());
    eval.env.set_variable("MST_MCP_READINESS_RETRY_S", "0.1,0.1");
    eval.write(
        &json!({ "parts": eval.stdio("parts", Mode::NoTools), "spare": eval.stdio("spare", Mode::Plain) }),
        &json!([case("bin", lookup())]),
        &json!({}),
    );
    let run = eval.run(4);
    let ending = run.trial("bin")["ending"].clone();
    assert_eq!((&ending["broke"], &ending["retryable"]), (&json!("setup"), &json!(true)), "{ending}");
    let wanted = "MCP server not ready, so no trial was sent: parts listed no tools. Checked 3 times.";
    assert_eq!(ending["reason"], wanted);
    // Only the server that failed is checked again. One of each was started for the trial, beside the first check.
    assert_eq!((eval.processes("parts"), eval.processes("spare")), (3 + 1, 1 + 1));
    assert_eq!(eval.provider.stats().requests, 0);
}

#[test]
fn a_server_that_is_ready_at_the_second_check_gets_its_trials() {
    let mut eval = Eval::new(looks_up());
    eval.env.set_variable("MST_MCP_READINESS_RETRY_S", "0.1");
    let script = format!("[ -e up ] || {{ : >up; exit 3; }}; exec '{}' mcp --mode plain", fake_binary().display());
    let server = json!({ "transport": "stdio", "command": "sh", "args": ["-c", script], "cwd": eval.env.root() });
    eval.write(&json!({ "parts": server }), &json!([case("bin", lookup())]), &json!({}));
    let run = eval.run(0);
    assert_eq!(run.trial("bin")["ending"], json!({ "kind": "trial" }));
}

#[test]
fn a_program_that_is_not_there_is_not_waited_for() {
    let mut eval = Eval::new(looks_up());
    eval.env.set_variable("MST_MCP_READINESS_RETRY_S", "30");
    let server = json!({ "transport": "stdio", "command": "no-such-program" });
    eval.write(&json!({ "parts": server }), &json!([case("bin", lookup())]), &json!({}));
    let ending = eval.run(4).trial("bin")["ending"].clone();
    assert!(ending["reason"].as_str().is_some_and(|reason| reason.ends_with("Checked once.")), "{ending}");
}
