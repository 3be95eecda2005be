//! What a model is shown.

use mst_testkit::Script;
use serde_json::{Value, json};

use crate::bench::{Bench, good, options_for};

async fn user_text(name: &str, options: &Value, input: &Value) -> String {
    let bench = Bench::new(Script::automatic());
    bench.ask(name, options, input).await.expect("a verdict");
    bench.provider.views()[0].last_user_text().to_owned()
}

#[tokio::test]
async fn a_question_shows_the_request_the_calls_and_the_answer() {
    let mut input = good();
    input["trial"]["write_record"] = json!({ "writes": [{ "tool": "move_part", "mode": "plan" }] });
    input["trial"]["evidence"] = json!("observed");
    let text = user_text("task-completion", &options_for("task-completion", "claude-x"), &input).await;
    insta::assert_snapshot!(text, @r#"
    Did the assistant do what the `request` asks for, as the record shows?

    - Take the request apart: what was to be found out, what was to be done, under which conditions. All of it has to be done. One part that is missing or wrong makes the answer `no`.
    - An action is done when a call that performs it succeeded. Information is delivered when the `answer` gives it and a call's result, or the request itself, bears it out.
    - A success that the answer claims and no result supports is `no`: nothing was called, the call failed, or the result says something else.
    - An honest "I could not" is `no` too, since the request is not done. The exception is a request that the record shows to be impossible, where saying so is what there was to do.
    - `unknown` is for an outcome that the record cannot show: the decisive result is cut off, not recorded, or lies outside of what the tools return.
    - A `reference`, where there is one, is a right answer from whoever wrote the task. An answer that contradicts it is `no`. It need not be worded like it, and it does not make up for a result that the record should show and does not.

    <<<request ed90471fcaa47fc0>>>
    Which bin is part p-1 in?
    <<<end of request ed90471fcaa47fc0>>>
    <<<reference ed90471fcaa47fc0>>>
    It is in bin 12 (reference).
    <<<end of reference ed90471fcaa47fc0>>>
    <<<calls ed90471fcaa47fc0>>>
    {"n":1,"tool":"parts.lookup","arguments":{"id":"p-1"},"result":"{\"bin\":12}"}
    <<<end of calls ed90471fcaa47fc0>>>
    <<<write_record ed90471fcaa47fc0>>>
    {
      "writes": [
        {
          "tool": "move_part",
          "mode": "plan"
        }
      ]
    }
    <<<end of write_record ed90471fcaa47fc0>>>
    <<<answer ed90471fcaa47fc0>>>
    Part p-1 is in bin 12.
    <<<end of answer ed90471fcaa47fc0>>>

    Note: the list of calls was observed from outside and may have gaps. A call that is not listed may still have been made.

    Note: `write_record` lists the changes to outside systems that this attempt asked for. Changes marked as planned, mocked or simulated were held back on purpose. Such a change counts as the action that was asked for, carried out as far as it was allowed to be; it did not take place in the outside system.

    Think first, then end with the one JSON object in the form you were told.
    "#);
}

#[tokio::test]
async fn the_reference_is_shown_where_the_judge_may_see_it() {
    for (name, shown) in [
        ("rubric", true),
        ("task-completion", true),
        ("grounded-in-tools", false),
        ("tool-use", false),
        ("criteria", true),
    ] {
        let options = options_for(name, "claude-x");
        let text = user_text(name, &options, &good()).await;
        assert_eq!(text.contains("(reference)"), shown, "{name}");
        for expected in [json!({ "bins": [1] }), json!({ "answer": null }), json!({ "answer": " " })] {
            let mut input = good();
            input["case"]["expected"] = expected;
            let text = user_text(name, &options, &input).await;
            assert_eq!(text.contains("there is no reference answer"), shown, "{name}");
        }
    }
}

#[tokio::test]
async fn a_long_result_is_cut_and_the_judge_is_told_how_much() {
    let mut input = good();
    input["trial"]["events"] = json!([
        { "kind": "tool_call", "source": "mcp", "name": "dump", "output": format!("{}END", "ä".repeat(10_000)) },
        { "kind": "tool_call", "source": "mcp", "name": "lookup", "output": "short" },
    ]);
    for name in ["task-completion", "grounded-in-tools", "tool-use", "criteria"] {
        let mut options = options_for(name, "claude-x");
        let text = user_text(name, &options, &input).await;
        assert!(
            text.contains(&format!(
                "{}\",\"resultCut\":\"the last 3 of 10003 characters are not shown\"",
                "ä".repeat(50)
            ))
        );
        assert!(text.contains("\"result\":\"short\"}"), "{name}");
        assert!(!text.contains("END"), "{name}");
        options["maxToolOutputSize"] = json!(10_003);
        assert!(user_text(name, &options, &input).await.contains("END\"}"), "{name}");
    }
}

#[tokio::test]
async fn a_final_answer_is_whole_however_long_and_whatever_it_holds() {
    let answer = format!("Line one \"quoted\"\n\tline two \\ {}\nEND", "x".repeat(50_000));
    let mut input = good();
    input["trial"]["response"] = json!(answer);
    for name in ["rubric", "task-completion", "grounded-in-tools", "tool-use", "criteria"] {
        assert!(user_text(name, &options_for(name, "claude-x"), &input).await.contains(&answer), "{name}");
    }
}

#[tokio::test]
async fn only_the_rubric_of_groundedness_sees_the_calls() {
    for (rubric, shown) in [
        ("correctness", false),
        ("completeness", false),
        ("groundedness", true),
        ("instruction-following", false),
        ("conciseness", false),
    ] {
        let options = json!({ "rubric": rubric, "model": "claude-x" });
        let text = user_text("rubric", &options, &good()).await;
        assert_eq!(text.contains("parts.lookup"), shown, "{rubric}");
        let levels = ["- 1: ", "- 0.75: ", "- 0.5: ", "- 0.25: ", "- 0: "].map(|level| text.matches(level).count());
        assert_eq!(levels, [1; 5], "{rubric}");
    }
}
