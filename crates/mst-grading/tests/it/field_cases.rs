//! Failures seen in the field, as recorded trials.

use indexmap::IndexMap;
use mst_grading::{GradeInput, Graded, KnownTools, PatternThreads, grade_trial};
use mst_model::{EvalCase, Scrubber, ServerLabel, TrialRecord};
use serde_json::{Value, json};

/// A recorded trial of a case.
pub(crate) struct Trial {
    pub(crate) case: EvalCase,
    pub(crate) record: TrialRecord,
    pub(crate) known: KnownTools,
    pub(crate) patterns: PatternThreads,
}

impl Trial {
    pub(crate) fn new(assertions: Value, events: Value) -> Self {
        let record = json!({
            "format": "mst.run/v1", "kind": "trial", "runId": "20261003T180211Z-a3f9c1", "variant": "default",
            "caseId": "case", "datasetName": "parts", "trial": 0, "durationMs": 5.0, "infrastructureError": false,
            "ending": { "kind": "trial" }, "transcript": { "events": events, "evidence": "structured" },
        });
        Self {
            case: serde_json::from_value(json!({ "id": "case", "input": "Find it.", "assertions": assertions }))
                .unwrap(),
            record: serde_json::from_value(record).unwrap(),
            known: KnownTools::default(),
            patterns: PatternThreads::default(),
        }
    }

    pub(crate) fn answer(mut self, text: &str) -> Self {
        self.record.transcript.as_mut().unwrap().final_text = Some(text.to_owned());
        self
    }

    pub(crate) async fn grade(&self) -> Graded {
        let trial = Scrubber::default().scrub(self.record.clone());
        grade_trial(GradeInput {
            case: &self.case,
            trial: &trial,
            tool_map: &IndexMap::new(),
            known_tools: &self.known,
            quote_answers: true,
            patterns: &self.patterns,
        })
        .await
    }

    /// Returns why the only grader failed; `None` when it passed.
    async fn failure(&self) -> Option<String> {
        let graded = self.grade().await;
        assert_eq!(graded.grading_error, None);
        let score = graded.scores.into_values().next().expect("one grader");
        assert_eq!(score.pass, score.details.is_none());
        score.details
    }
}

/// A call to a tool of the server `parts`.
pub(crate) fn event(name: &str, arguments: Value) -> Value {
    json!({ "kind": "tool_call", "source": "mcp", "server": "parts", "name": name, "arguments": arguments })
}

#[tokio::test]
async fn fc28_arguments_match_by_the_table() {
    let none = || Value::Null;
    let p = |n: u8| json!({ "id": format!("p-{n}") });
    let big = |n: u64| json!({ "big": n });
    // name, arguments of each expected call (null: left out), of each observed one, exclusive, passes
    let table = [
        ("1", vec![json!({ "n": 10 })], vec![json!({ "n": 10.0 })], false, true),
        ("2", vec![json!({ "n": 10 })], vec![json!({ "n": "10" })], false, false),
        ("3", vec![json!({ "ids": ["a"] })], vec![json!({ "ids": ["a", "b"] })], false, false),
        ("4", vec![json!({ "ids": [] })], vec![json!({ "ids": ["a"] })], false, false),
        ("5", vec![json!({ "f": { "s": "open" } })], vec![json!({ "f": { "s": "open", "page": 1 } })], false, true),
        ("6", vec![json!({ "f": {} })], vec![json!({ "f": [] })], false, false),
        ("7a", vec![none()], vec![json!({})], false, true),
        ("7b", vec![none()], vec![json!({ "x": 1 })], false, true),
        ("8", vec![json!({ "k": null })], vec![json!({})], false, false),
        ("9", vec![big(9_007_199_254_740_993)], vec![big(9_007_199_254_740_992)], false, false),
        ("10", vec![p(1), p(1)], vec![p(1)], false, false),
        ("10b", vec![p(1), p(1)], vec![p(1), p(1)], false, true),
        ("11", vec![json!({}), p(1)], vec![p(1), p(2)], false, true),
        ("12", vec![p(1)], vec![p(1), p(9)], true, true),
        ("12b", vec![p(1)], vec![p(1), none()], true, false),
    ];
    let mut failures = Vec::new();
    for (name, expected, observed, exclusive, passes) in table {
        let calls: Vec<Value> = expected
            .into_iter()
            .map(|arguments| match arguments {
                Value::Null => json!({ "name": "lookup" }),
                arguments => json!({ "name": "lookup", "arguments": arguments }),
            })
            .collect();
        let events: Vec<Value> = observed
            .into_iter()
            .map(|arguments| if arguments.is_null() { event("ping", json!({})) } else { event("lookup", arguments) })
            .collect();
        let assertions = json!({ "toolsTriggered": { "calls": calls, "exclusive": exclusive } });
        let failure = Trial::new(assertions, events.into()).failure().await;
        assert_eq!(failure.is_none(), passes, "item {name}: {failure:?}");
        failures.extend(failure.map(|failure| format!("{name}. {failure}")));
    }
    insta::assert_snapshot!(failures.join("\n\n"), @r#"
    2. expected call: lookup {"n":10}
    closest observed call: parts.lookup {"n":"10"} (event 0)
    first difference: $.n: expected the number 10, observed the string "10"

    3. expected call: lookup {"ids":["a"]}
    closest observed call: parts.lookup {"ids":["a","b"]} (event 0)
    first difference: $.ids: expected 1 item ["a"], observed 2 items ["a","b"]

    4. expected call: lookup {"ids":[]}
    closest observed call: parts.lookup {"ids":["a"]} (event 0)
    first difference: $.ids: expected 0 items [], observed 1 item ["a"]

    6. expected call: lookup {"f":{}}
    closest observed call: parts.lookup {"f":[]} (event 0)
    first difference: $.f: expected an object, observed the array []

    8. expected call: lookup {"k":null}
    closest observed call: parts.lookup {} (event 0)
    first difference: $.k: expected null, observed nothing

    9. expected call: lookup {"big":9007199254740993}
    closest observed call: parts.lookup {"big":9007199254740992} (event 0)
    first difference: $.big: expected 9007199254740993, observed 9007199254740992

    10. expected call: lookup {"id":"p-1"}
    closest observed call: parts.lookup {"id":"p-1"} (event 0)
    first difference: the number of calls: every expected call needs an event of its own, and this one serves another

    12b. unexpected call: parts.ping {} (event 1)
    "#);
}

#[tokio::test]
async fn fc15_argument_text_that_is_no_object_satisfies_no_arguments() {
    for raw in ["null", "5", "[1]", r#"{"id":"p-1""#, r#"{"id":"p-1"}{"id":"p-2"}"#] {
        let call = json!({ "source": "mcp", "server": "parts", "name": "lookup", "rawArguments": raw });
        for (arguments, passes) in [(json!({ "id": "p-1" }), false), (json!({}), false)] {
            let expected = json!({ "toolsTriggered": { "calls": [{ "name": "lookup", "arguments": arguments }] } });
            assert_eq!(Trial::new(expected, json!([call])).failure().await.is_none(), passes, "{raw}");
        }
        let any = json!({ "toolsTriggered": { "calls": [{ "name": "lookup" }] } });
        assert_eq!(Trial::new(any, json!([call])).failure().await, None, "the call was made, whatever it carried");
    }
    let empty = json!({ "toolsTriggered": { "calls": [{ "name": "ping", "arguments": {} }] } });
    let call = json!({ "source": "mcp", "server": "parts", "name": "ping" });
    assert_eq!(Trial::new(empty, json!([call])).failure().await, None, "absent arguments are {{}}");
}

#[tokio::test]
async fn fc19_a_call_to_an_unknown_tool_is_a_call() {
    let events = || {
        let unknown = |name: &str| json!({ "kind": "tool_call", "source": "builtin", "name": name, "isError": true });
        json!([unknown("search_parts"), unknown("mcp__parts__lookup"), unknown("search_parts")])
    };
    let failure = |assertions: Value| async move {
        let mut trial = Trial::new(assertions, events());
        trial.known.insert(ServerLabel::from("parts"), ["lookup".to_owned()].into());
        trial.failure().await.expect("it fails")
    };
    let expects = failure(json!({ "toolsTriggered": { "calls": [{ "name": "lookup" }] } })).await;
    assert!(expects.contains(r#"the name: expected "lookup", observed "#), "{expects}");
    let none = failure(json!({ "toolCallCount": { "exact": 0 } })).await;
    assert!(none.contains("exactly 0; observed 3: search_parts, mcp__parts__lookup, search_parts"), "{none}");
    let only = json!({ "calls": [{ "name": "lookup", "required": false }], "exclusive": true });
    let only = failure(json!({ "toolsTriggered": only })).await;
    assert!(only.contains("unexpected call: search_parts"), "{only}");
}

#[tokio::test]
async fn fc20_a_refused_trial_is_graded_and_its_error_stays() {
    let mut refused = Trial::new(json!({ "toolCallCount": { "exact": 0 } }), json!([]));
    refused.record.transcript.as_mut().unwrap().error = Some("the model refused".to_owned());
    let graded = refused.grade().await;
    assert!(graded.scores["toolCallCount"].pass, "the grader is right; the client's error fails the trial");
    let mut record = refused.record.clone();
    graded.note_on(&mut record);
    assert_eq!((record.grading_error, record.error), (None, None));
}

#[tokio::test]
async fn fc14_calls_are_told_apart_by_server_and_exact_name() {
    let known = || {
        KnownTools::from([
            (ServerLabel::from("docs"), ["search", "docs.search", "検索"].map(str::to_owned).into()),
            (ServerLabel::from("wiki"), ["search"].map(str::to_owned).into()),
        ])
    };
    for (expected, server, name, passes) in [
        (json!({ "name": "search", "server": "docs" }), "docs", "search", true),
        (json!({ "name": "search", "server": "docs" }), "docs", "docs.search", false),
        (json!({ "name": "検索", "server": "docs" }), "docs", "検索", true),
        (json!({ "name": "wiki.search" }), "wiki", "search", true),
        (json!({ "name": "docs.search" }), "docs", "search", false),
    ] {
        let call = json!({ "source": "mcp", "server": server, "name": name, "rawName": "docs_search" });
        let mut trial = Trial::new(json!({ "toolsTriggered": { "calls": [expected] } }), json!([call]));
        trial.known = known();
        let failure = trial.failure().await;
        assert_eq!(failure.is_none(), passes, "{expected} on {server}/{name}: {failure:?}");
    }
}
