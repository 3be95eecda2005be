//! The report of a run and the page of a history: whole pages, what a redacted run hides, and texts that try something.

use indexmap::IndexMap;
use mst_model::{CaseResult, History, RunRecord, Summary};
use mst_report::{Finished, ReportKey, RunReport, Script, history_html};
use serde_json::{Value, json};

use crate::pages::without_style;

pub(crate) const ID: &str = "20261007T182504Z-7f3c2a";

/// A run of two variants by `run.json`'s fields that differ from a plain one's.
pub(crate) fn record(more: &Value) -> RunRecord {
    let variant = |name: &str, model: &str| {
        json!({ "name": name, "client": "api", "model": model, "servers": [{ "label": "parts", "transport": "stdio", "command": "parts" }],
            "clientOptions": { "maxTokens": if name == "a&b" { 64 } else { 128 } }, "writeModes": { "parts": "planned" } })
    };
    let mut run = json!({
        "format": "mst.run/v1", "kind": "run", "runId": ID, "evalName": "parts", "configId": "parts", "contentHash": "ab12",
        "createdAt": "2026-10-07T18:25:04.000Z", "finishedAt": "2026-10-07T18:26:04.000Z", "mst": { "version": "0.1.0" },
        "baseline": "base", "variants": [variant("base", "claude-x"), variant("a&b", "claude-y")],
        "datasets": [{ "name": "parts", "caseCount": 2, "contentHash": "cd34" }], "partial": false,
        "redactStoredResponses": false, "runner": { "name": "local", "shards": 1 },
        "phases": { "collect": "complete", "grade": "complete" },
    });
    run.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(run).unwrap()
}

pub(crate) fn summary(more: &Value) -> Summary {
    let variant = |name: &str, cost: f64| {
        json!({ "name": name, "servers": [], "result": { "total": 2, "passed": 1, "failed": 1, "durationMs": 1.0 },
            "metrics": { "trial_pass_rate": 0.5, "cost_usd_mean": cost, "tool_count_mean": 1.0 }, "costSource": "pricing" })
    };
    let mut summary = json!({
        "format": "mst.run/v1", "kind": "summary", "runId": ID, "configId": "parts", "contentHash": "ab12",
        "timestamp": "2026-10-07T18:25:04.000Z", "durationMs": 60000.0, "configName": "parts",
        "variants": [variant("base", 0.01), variant("a&b", 0.002)], "metrics": {},
    });
    summary.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(summary).unwrap()
}

/// A trial with one call, which passes when it calls `find`.
pub(crate) fn trial(number: u32, called: Option<&str>, texts: &str) -> Value {
    let pass = called == Some("find");
    let events: Vec<Value> = called
        .iter()
        .map(|name| json!({ "kind": "tool_call", "source": "mcp", "server": "parts", "name": name, "id": "c1",
            "arguments": { "q": texts, "__proto__": { "x": 1 } }, "output": texts, "isError": !pass, "durationMs": 12.0 }))
        .collect();
    let calls: Vec<Value> = called
        .iter()
        .map(|name| json!({ "name": name, "status": if pass { "expected" } else { "unexpected" } }))
        .collect();
    let missed = if pass { json!([]) } else { json!([{ "name": "find" }]) };
    let judge = json!({ "pass": pass, "score": f64::from(u8::from(pass)), "reasoning": texts, "judgeName": "rubric", "judgeModel": "claude-z",
        "judgeIdentity": "0123456789", "criteria": [{ "id": "named", "text": texts, "verdict": "unknown", "reasoning": texts }],
        "jury": [{ "pass": pass, "judgeModel": "gpt-5", "judgeIdentity": "m1", "reasoning": texts }, { "pass": true, "judgeModel": "claude-z", "judgeIdentity": "m2" }] });
    json!({
        "trial": number, "pass": pass, "durationMs": 500.0 + f64::from(number), "ending": { "kind": "trial" }, "evidence": "structured",
        "scores": { "toolsTriggered": { "pass": pass, "details": texts }, "judge": judge },
        "toolCallTrace": { "calls": calls, "missed": missed },
        "transcript": { "events": events, "finalText": texts, "modelCalls": [
            { "id": "m1", "model": "claude-x", "text": "I look.", "finishReason": "tool_use", "toolCallIds": ["c1"], "usage": { "inputTokens": 10, "outputTokens": 2 } },
            { "id": "m2", "model": "claude-x", "text": texts, "finishReason": "end_turn" } ] },
        "clientUsage": { "inputTokens": 20, "outputTokens": 4, "totalCostUsd": 0.01 },
    })
}

pub(crate) fn case(id: &str, variant: &str, trials: &[Value], texts: &str) -> CaseResult {
    let pass = trials.iter().all(|trial| trial["pass"] == true);
    let broken = trials.iter().any(|trial| trial["ending"]["kind"] == "infrastructure");
    let mut case = json!({
        "id": id, "datasetName": "parts", "variant": variant, "source": "client", "pass": pass && !broken, "durationMs": 1.0,
        "request": { "input": texts, "assertions": { "containsText": [texts] }, "passThreshold": 1.0 }, "tags": ["lookup"],
        "scores": {}, "trialResults": trials,
    });
    if broken {
        case["incomplete"] = json!(true);
    }
    serde_json::from_value(case).unwrap()
}

pub(crate) fn broken(number: u32, reason: &str) -> Value {
    json!({ "trial": number, "scores": {}, "durationMs": 5.0, "error": reason,
        "ending": { "kind": "infrastructure", "broke": "provider", "retryable": true, "reason": reason } })
}

/// Builds a report and returns its page and scripts.
pub(crate) fn built(record: &RunRecord, summary: Option<&Summary>, cases: &[CaseResult]) -> (String, Vec<Script>) {
    let key = ReportKey { stamp: "1-0123".to_owned(), nonce: "abc123".to_owned() };
    let mut report = RunReport::new(record, summary, key);
    let mut scripts: Vec<Script> = cases.iter().filter_map(|case| report.add(case)).collect();
    let Finished { page, scripts: last, .. } = report.finish();
    scripts.extend(last);
    (page, scripts)
}

fn two_variants() -> Vec<CaseResult> {
    let good = |number| trial(number, Some("find"), "It is in bin 7.");
    let wrong = |number| trial(number, Some("list"), "No idea.");
    vec![
        case("bin", "base", &[good(0), good(1)], "Which bin?"),
        case("port/1", "base", &[good(0), broken(1, "overloaded")], "Which port?"),
        case("bin", "a&b", &[good(0), wrong(1)], "Which bin?"),
        case("port/1", "a&b", &[trial(0, None, "No."), trial(1, None, "No.")], "Which port?"),
    ]
}

/// Takes out what changes with every change of the page's own code.
fn without_code(page: &str) -> String {
    let page = without_style(page);
    let start = page.find("<script nonce").unwrap();
    let end = start + page[start..].find("</script>").unwrap();
    format!("{}<script>…{}", &page[..start], &page[end..])
}

#[test]
fn a_report_says_everything_that_needs_no_script_in_its_page() {
    let previous = json!({ "previousRun": { "runId": "20261001T182504Z-000001", "timestamp": "2026-10-01T18:25:04.000Z", "sameConfig": true,
        "variants": { "base": { "change": { "mean": -0.1, "lower": -0.3, "upper": 0.1, "cases": 2, "pBetter": 0.9, "pWorse": 0.2, "assessment": "unclear" } } } } });
    let (page, scripts) = built(&record(&json!({})), Some(&summary(&previous)), &two_variants());
    insta::assert_snapshot!("report.html", without_code(&page));
    let names: Vec<&str> = scripts.iter().map(|script| script.name.as_str()).collect();
    assert_eq!(names, ["0.js", "index.js"]);
    insta::assert_snapshot!("report.index.js", scripts[1].text);
    insta::assert_snapshot!("report.0.js", scripts[0].text);
}

#[test]
fn how_a_run_ended_stands_before_its_numbers() {
    for (more, words) in [
        (json!({ "phases": { "collect": "partial", "grade": "partial" } }), "<strong>Incomplete.</strong>"),
        (json!({ "phases": { "collect": "failed", "grade": "partial" } }), "<strong>Stopped early.</strong>"),
        (
            json!({ "phases": { "collect": "partial", "grade": "partial" }, "notes": ["the budget --max-minutes 1 was reached: 61 s used"] }),
            "<strong>Budget reached.</strong>",
        ),
        (json!({ "phases": { "collect": "complete", "grade": "skipped" } }), "<strong>Not graded.</strong>"),
        (json!({ "partial": true, "selection": { "cases": ["<b>x</b>"] } }), "<strong>Partial run.</strong>"),
        (json!({ "redactStoredResponses": true }), "<strong>Redacted.</strong>"),
        (json!({ "gradedFrom": "20261007T182504Z-7f3c2b" }), "<strong>Graded again.</strong>"),
        (
            json!({ "replayed": { "tape": "t.jsonl", "sha256": "", "recordedAt": "2026-10-01T18:25:04.000Z", "recordedWith": "0.1.0" } }),
            "<strong>Replayed.</strong>",
        ),
    ] {
        let (page, _) = built(&record(&more), Some(&summary(&json!({}))), &two_variants());
        let (at, verdict) = (page.find(words), page.find("class=\"verdict ").unwrap());
        assert!(at.is_some_and(|at| at < verdict), "{words}");
        assert!(!page.contains("<b>x</b>"));
    }
    let mut offline = record(&json!({}));
    offline.variants[1].offline = true;
    let (page, _) = built(&offline, Some(&summary(&json!({}))), &two_variants());
    assert!(
        page.contains("<strong>Offline model.</strong>") && page.contains("not compared"),
        "never compared with a model"
    );
}

#[test]
fn a_run_that_stopped_before_its_first_variant_ended_has_a_page() {
    let run = record(&json!({ "variants": [], "phases": { "collect": "partial", "grade": "partial" } }));
    let (page, scripts) = built(&run, None, &[]);
    assert!(page.contains("No variant has ended yet"), "{page}");
    assert_eq!(scripts.len(), 1);
}

#[test]
fn a_redacted_run_hides_what_judges_wrote() {
    let secret = "the answer quotes hunter2";
    let words = |redacted: bool| {
        let run = record(&json!({ "redactStoredResponses": redacted }));
        let mut one = trial(0, Some("list"), secret);
        one["transcript"].as_object_mut().unwrap().remove("finalText");
        one["transcript"]["events"] = json!([]);
        one["transcript"]["modelCalls"] = json!([]);
        one["scores"].as_object_mut().unwrap().remove("toolsTriggered");
        one["scores"]["judge"]["criteria"][0]["text"] = json!("is it named");
        let (_, scripts) = built(&run, Some(&summary(&json!({}))), &[case("c", "base", &[one], "?")]);
        scripts[0].text.matches(secret).count()
    };
    assert_eq!((words(false), words(true)), (3, 0));
}

#[test]
fn scripts_hold_about_two_hundred_trials_and_cases_stay_whole() {
    let trials = |count: u32| (0..count).map(|number| trial(number, Some("find"), "x")).collect::<Vec<_>>();
    let cases: Vec<CaseResult> = [150, 50, 60, 500, 1]
        .iter()
        .enumerate()
        .map(|(at, count)| case(&format!("c{at}"), "base", &trials(*count), "?"))
        .collect();
    let (_, scripts) = built(&record(&json!({})), None, &cases);
    let counts: Vec<usize> = scripts.iter().map(|script| script.text.matches("\"trial\":").count()).collect();
    assert_eq!(counts, [200, 60, 500, 1, 0]);
}

/// Texts that each try something (FC-33).
pub(crate) fn hostile_texts() -> String {
    [
        "</script><img src=x onerror=alert(1)>",
        "\" onmouseover=\"alert(1)",
        "[x](javascript:alert(1)) ![x](https://example.invalid/p.png)",
        "<svg onload=alert(1)><script>alert(2)</script></svg><style>*{display:none}</style>",
        "\u{202e}desrever\u{2066} \u{200b}hidden\u{feff} \u{2028}\u{2029} \u{0} \u{fffd}",
        "\u{1b}]8;;https://example.invalid\u{7}x \u{1b}[31mred",
        "مرحبا בעולם 検索 e\u{301}",
    ]
    .join("\n")
}

/// A run in which every text and name tries something.
pub(crate) fn hostile() -> (String, Vec<Script>) {
    let texts = hostile_texts();
    let run = record(&json!({ "evalName": "<b>e</b>", "notes": [texts], "variants": [
        { "name": "base", "description": texts, "model": "<i>m</i>", "clientOptions": { "<u>": texts } },
        { "name": "a&b", "description": texts, "model": "m", "inputTemplate": texts, "tools": { "find": { "description": texts } } } ],
        "datasets": [{ "name": "<em>d</em>", "caseCount": 1, "contentHash": "<hr>" }] }));
    let mut one = trial(0, Some("</script>"), &texts);
    one["error"] = json!(texts);
    let long = trial(1, Some("find"), &"<b>".repeat(1_700_000));
    let cases = [
        case("<b>x</b>", "base", &[trial(0, Some("find"), &texts), long], &texts),
        case("<b>x</b>", "a&b", &[one, broken(1, &texts)], &texts),
        case(&format!("{}\u{202e}\"'#&=%+", "w".repeat(200)), "base", &[trial(0, None, &texts)], &texts),
    ];
    built(&run, Some(&summary(&json!({}))), &cases)
}

#[test]
fn fc33_nothing_of_a_run_is_markup_and_nothing_in_a_script_ends_it() {
    let (page, scripts) = hostile();
    for never in
        ["<b>", "<img", "<svg onload", "<style>*", "onmouseover=\"", "<i>m", "<em>d", "href=\"http", "style=\""]
    {
        assert!(!without_code(&page).contains(never), "{never}");
    }
    let visible = |text: &str| {
        !text.chars().any(|char| matches!(char, '\u{202e}' | '\u{2066}' | '\u{200b}' | '\u{2028}' | '\u{0}' | '\u{1b}'))
    };
    assert!(visible(&page));
    for script in &scripts {
        assert!(!script.text.contains('<'), "{}", script.name);
        assert!(script.text.is_ascii() || !script.text.contains(['\u{2028}', '\u{2029}']));
        // A name stays what it is, for the address; a text is made visible here.
        assert!(script.name == "index.js" || visible(&script.text), "{}", script.name);
        assert!(script.text.len() < 400_000, "a text of 5 MB is cut: {}", script.text.len());
    }
}

/// A history of three runs of which the last measured in another way.
pub(crate) fn history(what: &str) -> History {
    let row = |number: u32, era: u32, worse: bool| {
        let variant = |rate: f64| {
            json!({ "setupHash": "s", "setup": {}, "era": era, "measures": { "headline": { "rate": rate, "range": { "lower": rate - 0.1, "upper": rate + 0.1 }, "cases": 9 },
                "judges": { what: { "passRate": 0.5, "verdicts": 4 } }, "costUsd": 0.01, "durationS": 2.5, "trials": 9, "infrastructureFailures": 0, "clientErrors": 0 },
                "change": { "mean": -0.1, "lower": -0.2, "upper": -0.01, "cases": 9, "pBetter": 1.0, "pWorse": 0.01, "assessment": if worse { "worse" } else { "unclear" } },
                "regressed": if worse { json!([what]) } else { json!([]) } })
        };
        let variants = IndexMap::from([("base", variant(0.8)), ("a&b", variant(0.6))]);
        json!({ "runId": format!("2026100{number}T182504Z-00000{number}"), "collectedAt": format!("2026-10-0{number}T18:25:04.000Z"), "status": "complete",
            "phases": { "collect": "complete", "grade": "complete" }, "partial": false, "configId": "parts", "contentHash": "ab", "mst": { "version": "0.1.0" },
            "datasets": [], "caseIds": [], "caseIdsHash": "h", "variants": variants, "era": era, "source": { "run": "r", "builder": 1 },
            "changes": if number == 3 { json!([{ "what": what, "variant": "a&b", "endsEra": true }]) } else { json!([]) } })
    };
    serde_json::from_value(
        json!({ "format": "mst.history/v1", "rows": [row(3, 2, false), row(2, 1, true), row(1, 1, false)],
        "skipped": [{ "path": "runs/old", "why": what }] }),
    )
    .unwrap()
}

#[test]
fn a_history_shows_its_lines_eras_and_runs_without_a_script() {
    let page = history_html(&history("the model changed"), "parts", &|id| id.as_str().contains("1003"));
    insta::assert_snapshot!("history.html", without_style(&page));
    assert!(!page.contains("<script"));
    assert!(
        page.contains("href=\"../runs/20261003T182504Z-000003/report/index.html\"")
            && !page.contains("../runs/20261001")
    );
}

#[test]
fn fc33_nothing_of_a_history_is_markup() {
    let page = history_html(&history("<b>x</b>\" onmouseover=\"alert(1)\u{202e}"), "<i>e</i>", &|_| true);
    for never in ["<b>", "<i>", "onmouseover=\"", "\u{202e}"] {
        assert!(!page.contains(never), "{never}");
    }
    let empty = History { format: "mst.history/v1".to_owned(), rows: Vec::new(), skipped: Vec::new() };
    assert!(history_html(&empty, "e", &|_| true).contains("There is no run yet"));
}
