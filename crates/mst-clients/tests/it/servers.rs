//! What servers list and answer, as the model and the transcript see it.

use std::collections::BTreeSet;
use std::time::Duration;

use mst_model::{Broke, ClientRun, ServerLabel};
use mst_testkit::{Mode, Reply, Script, ToolCall};
use serde_json::json;

use crate::bench::{Bench, broke};

/// A script that calls `lookup` so many times and answers.
fn lookups(times: usize) -> Script {
    let calls = (0..times).map(|_| Reply::tool(ToolCall::ending("lookup", json!({ "id": "p-1" }))));
    Script::strict().on("p-1", calls.chain([Reply::text("Bin 7.")]))
}

fn outputs(run: &ClientRun) -> Vec<&str> {
    run.events.iter().filter_map(|event| event.output.as_deref()).collect()
}

#[tokio::test]
async fn a_call_goes_to_the_server_and_its_result_to_the_model() {
    let bench = Bench::new(lookups(1)).server("parts", Mode::Plain);
    let run = bench.run().await;
    assert_eq!((run.error.as_deref(), run.final_text.as_str()), (None, "Bin 7."));
    assert_eq!(outputs(&run), ["bin 7"]);
    assert_eq!(bench.called("parts"), ["lookup"]);
    let views = bench.provider.views();
    assert_eq!(views[1].tool_results[0].text, "bin 7");
    assert_eq!(run.model_calls.as_ref().map(Vec::len), Some(2));
    assert!(run.usage.as_ref().and_then(|usage| usage.input_tokens).is_some());
    assert!(run.diagnostics.servers[0].protocol_version.is_some(), "{:?}", run.diagnostics);
}

#[tokio::test]
async fn fc06_every_result_form_reaches_the_model_and_the_transcript() {
    for model in ["claude-x", "gpt-x", "gemini-x"] {
        let bench = Bench::new(lookups(6))
            .server("parts", Mode::ResultForms)
            .options(json!({ "model": model, "maxToolCalls": 10 }));
        let run = bench.run().await;
        assert_eq!(run.error, None, "{model}");
        let failed: Vec<_> = run.events.iter().map(|event| event.is_error).collect();
        assert_eq!(failed, [Some(true), Some(false), Some(true), Some(false), Some(false), Some(false)], "{model}");
        let views = bench.provider.views();
        let told: Vec<&str> =
            views.last().expect("it was asked").tool_results.iter().map(|result| result.text.as_str()).collect();
        for (at, words) in
            [(0, ["no part", "E404"]), (1, ["bin", "7"]), (2, ["BUSY", "retry_after"]), (4, ["bin 7", ""])]
        {
            for word in words {
                assert!(told[at].contains(word), "{model} {at}: {:?} lacks {word}", told[at]);
                assert!(outputs(&run)[at].contains(word), "{model} {at}: the transcript lacks {word}");
            }
        }
        assert!(outputs(&run)[3].contains("image/png") && outputs(&run)[3].len() < 1000, "{model}");
        assert!(told[3].len() < 1000, "{model}: the picture is not sent as text");
        let warned = run.diagnostics.servers.iter().flat_map(|server| &server.warnings);
        assert_eq!(warned.filter(|text| text.contains("outputSchema")).count(), 1, "{:?}", run.diagnostics);
    }
}

#[tokio::test]
async fn fc11_a_tool_that_was_not_there_at_the_check_is_not_called() {
    let script = Script::strict()
        .on("p-1", [Reply::call("list_notes", json!({})), Reply::call("purge", json!({})), Reply::text("done")]);
    let mut bench = Bench::new(script).server("docs", Mode::ListChanged);
    bench.context.ready_tools.insert(ServerLabel::from("docs"), BTreeSet::from(["list_notes".to_owned()]));
    let run = bench.run().await;
    assert_eq!(broke(&run), Some((Broke::Setup, false)));
    assert!(run.error.as_deref().is_some_and(|error| error.contains("docs.purge")), "{:?}", run.error);
    assert_eq!(bench.called("docs"), ["list_notes"]);
    assert!(bench.provider.views()[1].tool_names().contains(&"purge"), "it is offered once the server lists it");
}

#[tokio::test]
async fn fc12_every_tool_is_offered_and_the_notes_name_the_adapted_ones() {
    for model in ["claude-x", "gpt-x", "gemini-x"] {
        let bench = Bench::new(Script::strict().on("p-1", [Reply::text("ok")]))
            .server("parts", Mode::Schemas)
            .options(json!({ "model": model }));
        let run = bench.run().await;
        assert_eq!(bench.provider.views()[0].tools.len(), 8, "{model}");
        let notes = run.diagnostics.notes.join("\n");
        for tool in ["t_any", "t_all", "t_far"] {
            assert!(notes.contains(tool), "{model}: {notes}");
        }
    }
}

#[tokio::test]
async fn fc14_names_are_the_same_whichever_server_comes_first() {
    let names = async |first: (&'static str, Mode), second: (&'static str, Mode)| {
        let bench = Bench::new(Script::strict().on("p-1", [Reply::text("ok")]))
            .server(first.0, first.1)
            .server(second.0, second.1);
        bench.run().await;
        let view = bench.provider.views().remove(0);
        view.tools.into_iter().map(|tool| (tool.name, tool.description)).collect::<BTreeSet<_>>()
    };
    let docs = ("docs", Mode::Names);
    let wiki = ("wiki", Mode::OtherNames);
    let one = names(docs, wiki).await;
    assert_eq!(one.len(), 7);
    assert_eq!(one, names(wiki, docs).await);
}

#[tokio::test]
async fn fc14_a_call_is_recorded_under_the_name_its_server_lists() {
    let script = Script::strict()
        .on("p-1", [Reply::tool(ToolCall::described("as 検索.", json!({ "query": "x" }))), Reply::text("ok")]);
    let bench = Bench::new(script).server("docs", Mode::Names).server("wiki", Mode::OtherNames);
    let run = bench.run().await;
    let event = &run.events[0];
    assert_eq!((event.name.as_str(), event.server.as_ref().map(ServerLabel::as_str)), ("検索", Some("docs")));
    assert!(event.raw_name.as_deref().is_some_and(|name| name.starts_with("docs_")), "{:?}", event.raw_name);
    assert_eq!(bench.called("docs"), ["検索"]);
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_fails_the_call_and_not_the_trial() {
    let bench = Bench::new(lookups(2)).server("parts", Mode::DiesInCall);
    let run = bench.run().await;
    assert_eq!((broke(&run), run.final_text.as_str()), (None, "Bin 7."));
    assert_eq!(run.events.iter().map(|event| event.is_error).collect::<Vec<_>>(), [Some(true), Some(true)]);
    assert!(outputs(&run)[0].contains("panic: out of memory"), "{:?}", outputs(&run));
}

#[tokio::test]
async fn a_server_that_dies_at_the_start_is_a_setup_failure_that_names_it() {
    let bench = Bench::new(lookups(1)).server("parts", Mode::DiesAtStart).server("other", Mode::Plain);
    let run = bench.run().await;
    assert_eq!(broke(&run), Some((Broke::Setup, true)));
    assert!(run.error.as_deref().is_some_and(|error| error.contains("parts")), "{:?}", run.error);
    assert_eq!(bench.provider.requests().len(), 0);
}

#[tokio::test]
async fn the_trials_timeout_ends_a_call_that_hangs_and_a_server_that_is_silent() {
    for (mode, asked) in [(Mode::HangsInCall, 1), (Mode::Silent, 0)] {
        let bench =
            Bench::new(lookups(1)).server("parts", mode).options(json!({ "model": "claude-x", "timeout": 1500 }));
        let run = tokio::time::timeout(Duration::from_secs(10), bench.run()).await.expect("it ends");
        assert_eq!(broke(&run), None);
        assert_eq!(run.error.as_deref(), Some("the trial's timeout (1500 ms) was reached"));
        assert_eq!((bench.provider.requests().len(), run.events.len()), (asked, asked));
    }
}

#[tokio::test]
async fn trials_have_a_process_each_unless_the_server_is_shared() {
    let bench = Bench::new(lookups(1)).server("parts", Mode::Plain).shared_server("common", Mode::Plain);
    let runs = bench.run_times(3).await.expect("the client opens");
    assert!(runs.iter().all(|run| run.error.is_none() && run.final_text == "Bin 7."), "{runs:?}");
    assert_eq!((bench.started("parts").len(), bench.started("common").len()), (3, 1));
}
