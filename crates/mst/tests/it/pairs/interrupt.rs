//! Ctrl-C while every provider has a trial, on a server over HTTP.

use std::collections::BTreeSet;

use mst_testkit::mcp::{HttpOptions, McpOptions};
use mst_testkit::{FakeMcpHttp, Mode, Script};
use serde_json::{Value, json};

use super::endings::a_case_each;
use crate::background::Background;
use crate::eval::{Eval, looks_up, lookup};
use crate::run_dir::RunDir;
use crate::wire;

fn saved(dir: &RunDir) -> BTreeSet<String> {
    let id = |(_, trial): (String, Value)| trial["caseId"].as_str().unwrap_or_default().to_owned();
    if dir.path.join("transcripts").is_dir() { dir.trials().into_iter().map(id).collect() } else { BTreeSet::new() }
}

#[test]
fn fc30_an_interrupt_over_http_keeps_what_is_finished_of_every_provider() {
    let mcp = McpOptions { delay_ms: Some(500), ..McpOptions::mode(Mode::SlowCall) };
    let server = FakeMcpHttp::start(HttpOptions { mcp, ..HttpOptions::default() });
    let mut eval = Eval::new(Script::strict());
    wire::with_google_login(&mut eval);
    eval.provider.set_script(looks_up());
    let cases = a_case_each(&eval, "bin", &lookup());
    let entry = json!({ "transport": "http", "serverUrl": server.url() });
    eval.write(&json!({ "parts": entry }), &json!(cases), &json!({ "concurrency": 2 }));
    let mut run = Background::start(&eval, &[]);
    run.wait_until("three trials were saved", || eval.runs().pop().is_some_and(|dir| saved(&dir).len() >= 3));
    run.interrupt_group();
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    let dir = eval.newest();
    let kept = saved(&dir);
    assert!((3..cases.len()).contains(&kept.len()), "{kept:?}");
    assert_eq!((dir.run()["phases"]["collect"].as_str(), eval.latest()), (Some("partial"), None));
    assert!(ended.stderr.contains(&format!("--resume {}", dir.id())), "{}", ended.stderr);
    let before = eval.provider.requests().len();
    let (_, resumed) = eval.run_expecting(&["--resume", &dir.id()], 0);
    let models: BTreeSet<_> = eval.provider.requests().drain(before..).filter_map(|request| request.model).collect();
    let of = |case: &&Value| !kept.contains(case["id"].as_str().expect("an id"));
    let missing: BTreeSet<_> =
        cases.iter().filter(of).map(|case| case["model"].as_str().expect("a model").to_owned()).collect();
    assert_eq!(models, missing, "what was kept is not collected again");
    assert!(resumed.states().values().all(|state| *state == "pass"), "{:?}", resumed.states());
    assert_eq!((resumed.trials().len(), eval.latest()), (cases.len(), Some(dir.id())));
}
