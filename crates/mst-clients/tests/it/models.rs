//! What models are sent, and what they send back, in every wire form.

use mst_testkit::{Mode, Reply, Script, ToolCall};
use serde_json::json;

use crate::bench::{Bench, broke};

const MODELS: [&str; 3] = ["claude-x", "gpt-x", "gemini-x"];

#[tokio::test]
async fn fc15_broken_arguments_are_a_tool_error_and_replayed_as_an_object() {
    let script =
        Script::strict().on("p-1", [Reply::tool(ToolCall::named("lookup", "{\"id\":\"p-1\"")), Reply::text("done")]);
    let bench = Bench::new(script).server("parts", Mode::Plain).options(json!({ "model": "gpt-x" }));
    let run = bench.run().await;
    assert_eq!((broke(&run), run.final_text.as_str()), (None, "done"));
    assert_eq!(run.events[0].raw_arguments.as_deref(), Some("{\"id\":\"p-1\""));
    assert_eq!(bench.called("parts"), [] as [&str; 0]);
    let view = bench.provider.views().remove(1);
    assert!(view.tool_results[0].text.contains("JSON"), "{:?}", view.tool_results);
    assert_eq!(view.assistant_calls[0].arguments, json!("{}"));
}

#[tokio::test]
async fn fc17_three_calls_of_one_turn_come_back_in_order() {
    for model in MODELS {
        let three = Reply::tools([
            ToolCall::ending("lookup", json!({ "id": "p-1" })),
            ToolCall::ending("echo", json!({ "text": "two" })),
            ToolCall::ending("lookup", json!({ "id": "p-3" })),
        ])
        .with_text("Looking them up.");
        let bench = Bench::new(Script::strict().on("p-1", [three, Reply::text("done")]))
            .server("parts", Mode::FailsSecond)
            .options(json!({ "model": model }));
        let run = bench.run().await;
        assert_eq!((run.error.as_deref(), run.final_text.as_str()), (None, "done"), "{model}");
        let names: Vec<_> = run.events.iter().map(|event| (event.name.as_str(), event.is_error)).collect();
        assert_eq!(names, [("lookup", Some(false)), ("echo", Some(true)), ("lookup", Some(false))], "{model}");
        let results = bench.provider.views().remove(1).tool_results;
        let told: Vec<_> = results.iter().map(|result| result.name.as_deref()).collect();
        assert_eq!(told, [Some("lookup"), Some("echo"), Some("lookup")], "{model}");
    }
}

#[tokio::test]
async fn fc19_an_unknown_name_gets_the_offered_names() {
    for model in MODELS {
        let script =
            Script::strict().on("p-1", [Reply::call("search_parts", json!({ "q": "p-1" })), Reply::text("ok")]);
        let bench = Bench::new(script).server("parts", Mode::Plain).options(json!({ "model": model }));
        let run = bench.run().await;
        assert_eq!((broke(&run), run.final_text.as_str()), (None, "ok"), "{model}");
        assert_eq!(bench.called("parts"), [] as [&str; 0], "{model}");
        let view = bench.provider.views().remove(1);
        assert!(view.tool_results[0].text.contains("lookup"), "{model}: {:?}", view.tool_results);
        assert!(!run.events[0].is_mcp_call(), "{model}");
    }
}

#[tokio::test]
async fn a_turn_cut_inside_its_calls_sends_none_and_is_not_asked_again() {
    for model in MODELS {
        let cut = Reply::call("lookup", json!({ "id": "p-1" })).with_finish_reason("max_tokens");
        let bench = Bench::new(Script::strict().always("p-1", cut))
            .server("parts", Mode::Plain)
            .options(json!({ "model": model }));
        let run = bench.run().await;
        assert_eq!(broke(&run), None, "{model}");
        assert!(run.error.as_deref().is_some_and(|error| error.starts_with("maxTokens")), "{model}: {:?}", run.error);
        assert_eq!((bench.called("parts").len(), bench.provider.requests().len()), (0, 1), "{model}");
        assert_eq!(run.events.len(), 1, "{model}: the call is visible");
    }
}

#[tokio::test]
async fn the_system_prompt_and_limits_reach_the_model() {
    for model in MODELS {
        let bench = Bench::new(Script::strict().on("p-1", [Reply::text("ok")]))
            .options(json!({ "model": model, "systemPrompt": "Call find_skills first.", "maxTokens": 77 }));
        assert_eq!(bench.run().await.final_text, "ok", "{model}");
        assert_eq!(bench.provider.views()[0].system, "Call find_skills first.", "{model}");
        assert!(bench.provider.last_request().text().contains("77"), "{model}");
    }
}

#[tokio::test]
async fn the_offline_model_needs_neither_network_nor_key() {
    let mut bench = Bench::new(Script::strict()).server("parts", Mode::Plain).options(json!({ "model": "lexical-1" }));
    bench.env.retain(|name, _| name == "PATH");
    let run = bench.run().await;
    assert_eq!((broke(&run), bench.called("parts")), (None, vec!["lookup".to_owned()]));
    assert!(run.final_text.contains("bin 7"), "{}", run.final_text);
    assert_eq!(run.usage, None, "a lexical model reports no tokens");
    assert_eq!(bench.provider.stats().requests, 0);
}
