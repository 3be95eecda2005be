//! How trials end.

use std::collections::BTreeSet;
use std::time::Duration;

use mst_llm::{Finish, LlmError};
use mst_model::{Broke, Ending, Provider, ServerLabel};
use serde_json::json;

use super::super::scripted::{Bench, call_parts, calls, fail, give, reply, say, surface};
use super::{broke, lookup, shown};

#[tokio::test]
async fn fc09_errors_of_the_provider_are_infrastructure_and_words_decide_nothing() {
    let limited = || fail(LlmError::RateLimited { provider: Provider::Anthropic, attempts: 4, retry_after_ms: None });
    let run = Bench::new(vec![limited()]).run().await;
    assert_eq!(broke(&run).map(|(broke, retryable, _)| (broke, retryable)), Some((Broke::Provider, true)));
    let bench = Bench::new(vec![lookup("p-1"), limited()]);
    let run = bench.run().await;
    assert_eq!(broke(&run).map(|(broke, _, _)| broke), Some(Broke::Provider));
    assert_eq!(shown(&run), ["parts.lookup: lookup says bin 7"], "what was done before is kept");
    assert_eq!(run.usage.and_then(|usage| usage.input_tokens), Some(10), "the first call's usage is kept");
    assert_eq!(bench.released(), ["parts"]);

    let mut words = reply(vec![], Finish::Stop, "end_turn");
    words.parts = vec![mst_llm::AssistantPart::Text { text: "HTTP 429: quota exceeded".into() }];
    let run = Bench::new(vec![give(words)]).run().await;
    assert_eq!((run.ending, run.error), (None, None));
}

#[tokio::test]
async fn fc11_a_tool_that_appears_later_is_offered_and_its_call_is_not_sent() {
    let mut bench = Bench::with_servers(
        &[("docs", &["list_notes"])],
        vec![
            calls(&[("list_notes", json!({}))]),
            calls(&[("list_notes", json!({})), ("purge", json!({}))]),
            say("done"),
        ],
    );
    bench.later = Some(surface(&["list_notes", "purge"]));
    bench.context.ready_tools.insert(ServerLabel::from("docs"), BTreeSet::from(["list_notes".to_owned()]));
    let run = bench.run().await;
    assert_eq!(
        broke(&run),
        Some((
            Broke::Setup,
            false,
            "The client called docs.purge, which its server didn't list when MST checked it: list_notes."
        ))
    );
    assert_eq!(bench.sent().len(), 1, "no call of that turn is sent");
    assert_eq!(bench.requests()[1].tools.len(), 2, "the new listing is presented before the next step");
    assert_eq!(run.events.len(), 3);
    assert_eq!(bench.released(), ["docs"]);
}

#[tokio::test]
async fn fc11_what_one_server_listed_says_nothing_of_another_s_tool_whatever_it_is_called() {
    let replies = vec![calls(&[("wiki__keep", json!({}))]), calls(&[("docs__save", json!({}))]), say("done")];
    let servers: [(&str, &[&str]); 2] = [("docs", &["search", "save"]), ("wiki", &["search", "save"])];
    let mut bench = Bench::with_servers(&servers, replies);
    bench.context.tools = serde_json::from_value(json!({ "wiki.save": { "name": "keep" } })).expect("tool metadata");
    for (label, listed) in [("docs", &["search"][..]), ("wiki", &["search", "save"])] {
        let listed = listed.iter().map(|tool| (*tool).to_owned()).collect();
        bench.context.ready_tools.insert(ServerLabel::from(label), listed);
    }
    let run = bench.run().await;
    assert_eq!(
        broke(&run),
        Some((
            Broke::Setup,
            false,
            "The client called docs.save, which its server didn't list when MST checked it: search."
        ))
    );
    assert_eq!(bench.sent().len(), 1, "the renamed tool's own name was listed");
}

#[tokio::test]
async fn metadata_that_fits_no_tool_is_a_setup_failure() {
    let mut bench = Bench::new(vec![say("ok")]);
    bench.context.tools = serde_json::from_value(json!({ "lokup": {} })).expect("it is tool metadata");
    let run = bench.run().await;
    assert_eq!(broke(&run), Some((Broke::Setup, false, "tool metadata names \"lokup\", which no server lists")));
    assert_eq!(bench.requests().len(), 0);
}

#[tokio::test]
async fn fc20_refusals_are_errors_and_an_empty_answer_says_so() {
    let refused = Finish::Refused { text: Some("I can't help with that.".into()) };
    let bench = Bench::new(vec![give(reply(vec![], refused, "stop"))]);
    let run = bench.run().await;
    assert_eq!(run.ending, Some(Ending::Trial));
    assert_eq!(run.error.as_deref(), Some("the model refused: I can't help with that."));
    assert_eq!(run.model_calls.expect("they are known")[0].finish_reason.as_deref(), Some("stop"));
    assert_eq!(bench.requests().len(), 1);

    let run = Bench::new(vec![say("")]).run().await;
    assert_eq!((run.ending, run.error), (None, None));
    assert_eq!(run.diagnostics.notes, ["empty answer: the model answered nothing"]);
}

#[tokio::test]
async fn calls_of_a_turn_cut_at_max_tokens_are_not_sent() {
    let cut = reply(call_parts(&[("ping", json!({})), ("lookup", json!("{\"id\":"))]), Finish::MaxTokens, "max_tokens");
    let bench = Bench::new(vec![give(cut)]);
    let run = bench.run().await;
    assert_eq!(run.ending, Some(Ending::Trial));
    assert!(run.error.as_deref().is_some_and(|error| error.starts_with("maxTokens was reached")), "{:?}", run.error);
    assert_eq!((bench.sent().len(), bench.requests().len(), run.events.len()), (0, 1, 2));

    let half = reply(vec![mst_llm::AssistantPart::Text { text: "Bin".into() }], Finish::MaxTokens, "max_tokens");
    let run = Bench::new(vec![give(half)]).run().await;
    assert_eq!((run.error.as_deref(), run.final_text.as_str()), (None, "Bin"));
    assert_eq!(run.diagnostics.notes, ["the answer was cut at maxTokens"]);
}

#[tokio::test]
async fn a_prompt_too_long_is_the_setups_fault_and_a_filled_context_the_trials() {
    let full = || fail(LlmError::ContextOverflow { model: "m".into() });
    let run = Bench::new(vec![full()]).run().await;
    assert_eq!(broke(&run).map(|(broke, retryable, _)| (broke, retryable)), Some((Broke::Setup, false)));
    let run = Bench::new(vec![lookup("p-1"), full()]).run().await;
    assert_eq!(run.ending, Some(Ending::Trial));
    assert_eq!(run.error.as_deref(), Some("the prompt does not fit the context of m"));
}

#[tokio::test]
async fn the_step_limit_leaves_calls_and_no_error() {
    let bench = Bench::new(vec![lookup("p-1")]).options(&json!({ "maxToolCalls": 1 }));
    let run = bench.run().await;
    assert_eq!((run.error, run.events.len(), bench.requests().len()), (None, 1, 1));
    let bench = Bench::new(vec![lookup("p-1")]).options(&json!({ "maxToolCalls": 0 }));
    let run = bench.run().await;
    assert_eq!(run.error.as_deref(), Some("the model called more tools than maxToolCalls (0); not run: lookup"));
    assert_eq!(bench.sent(), []);
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_a_setup_failure_and_the_others_are_given_back() {
    let mut bench = Bench::with_servers(&[("docs", &["search"]), ("wiki", &["edit"])], vec![say("ok")]);
    bench.unreachable = Some("wiki".into());
    let run = bench.run().await;
    assert_eq!(broke(&run), Some((Broke::Setup, true, "wiki did not answer initialize")));
    assert_eq!(bench.released(), ["docs"]);
    assert_eq!(bench.requests().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_trials_own_timeout_is_a_trial_with_what_was_done() {
    let mut bench = Bench::new(vec![lookup("p-1"), say("never")]).options(&json!({ "timeout": 2000 }));
    bench.slow = true;
    let run = bench.run().await;
    assert_eq!(run.ending, Some(Ending::Trial));
    assert_eq!(run.error.as_deref(), Some("the trial's timeout (2000 ms) was reached"));
    assert_eq!(shown(&run), ["parts.lookup failed: no result: the trial's timeout (2000 ms) was reached"]);
    assert_eq!(bench.released(), ["parts"]);

    let bench = Bench::new(vec![say("late")]).thinking(Duration::from_secs(9)).options(&json!({ "timeout": 1 }));
    let run = bench.run().await;
    assert_eq!((run.ending, run.final_text.as_str()), (Some(Ending::Trial), ""));
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_trial_counts_for_nothing() {
    let bench = Bench::new(vec![say("late")]).thinking(Duration::from_secs(9));
    let cancel = bench.cancel.clone();
    let stop = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (run, ()) = tokio::join!(bench.run(), stop);
    assert_eq!(broke(&run), Some((Broke::Deadline, true, "interrupted")));
    assert_eq!(bench.released(), ["parts"]);
}
