//! What a run tells the machines around it.

use mst_model::{RunRecord, Summary};
use mst_report::{
    CaseEnd, CasePlace, CaseVerdict, Gate, GateEnd, Lack, RunEnds, annotations, badge_svg, cases_sarif, junit,
    step_summary,
};
use serde_json::{Value, json};

/// Text that ends or bends what does not escape it.
const HOSTILE: &str =
    "\0\u{1b}[31m]]></failure>\r\n::error::gone\r\n<script>\u{202e} | ![x](https://example.invalid/p.png) @me";

fn stored(name: &str) -> Value {
    let text = match name {
        "run" => include_str!("../../../../fixtures/runs/v1/small/runs/20261007T182504Z-7f3c2a/run.json"),
        _ => include_str!("../../../../fixtures/runs/v1/small/runs/20261007T182504Z-7f3c2a/summary.json"),
    };
    serde_json::from_str(text).unwrap()
}

fn end(id: &str, verdict: CaseVerdict, known: Option<&str>) -> CaseEnd {
    CaseEnd {
        id: id.into(),
        variant: "default".into(),
        dataset: "parts".to_owned(),
        verdict,
        seconds: 1.25,
        passed: 1,
        counted: 3,
        known: known.map(str::to_owned),
        place: Some(CasePlace { file: "evals/my parts.json".to_owned(), line: 12 }),
    }
}

fn failed(why: &str) -> CaseVerdict {
    CaseVerdict::Failed { by: "textContains".to_owned(), why: why.to_owned() }
}

/// A run with a case of every standing.
fn run() -> RunEnds {
    let record: RunRecord = serde_json::from_value(stored("run")).unwrap();
    let mut summary: Summary = serde_json::from_value(stored("summary")).unwrap();
    summary.previous_run =
        serde_json::from_value(json!({ "runId": "20261006T182504Z-7f3c2b", "timestamp": "2026-10-06T18:25:04.000Z",
        "sameConfig": true, "passRate": 0.5, "passRateDelta": -0.25, "variants": { "default": { "passRateDelta": -0.25,
        "change": { "mean": -0.25, "lower": -0.5, "upper": 0.0, "cases": 4, "pBetter": 1.0, "pWorse": 0.125,
        "assessment": "unclear" }, "regressed": ["<b>"], "improved": [], "added": [], "removed": [] } } }))
        .unwrap();
    let lack = CaseVerdict::None { lack: Lack::Infrastructure, why: "the provider is gone".to_owned() };
    let cases = vec![
        end("good", CaseVerdict::Passed, None),
        end("<b>", failed(HOSTILE), None),
        end("gone", lack, None),
        end("guesses", failed("no bin"), Some("ticket <7>")),
        end("fixed", CaseVerdict::Passed, Some("ticket 8")),
        CaseEnd { place: None, ..end("nowhere", failed("no bin"), None) },
    ];
    RunEnds { record, summary, cases }
}

fn gates() -> Vec<Gate> {
    vec![
        Gate { name: "worse", end: GateEnd::CannotTell, why: "nothing to compare with".to_owned() },
        Gate { name: "regressed", end: GateEnd::Failed, why: "1 case passed and failed now: <b>".to_owned() },
        Gate { name: "cases", end: GateEnd::Failed, why: "2 cases failed: <b>, nowhere".to_owned() },
    ]
}

#[test]
fn each_form_tells_every_standing_and_no_text_bends_it() {
    insta::assert_snapshot!("run.junit", junit(&[run()], &[]));
    insta::assert_snapshot!("run.markdown", step_summary(&run(), &gates()));
    insta::assert_snapshot!("run.annotations", annotations(&run(), &gates()).join("\n"));
    insta::assert_json_snapshot!("run.sarif", cases_sarif(&run()));
    insta::assert_snapshot!("run.badge", badge_svg(&run(), &gates()));
}

#[test]
fn a_report_of_several_evals_names_each_and_those_that_left_no_run() {
    let text = junit(&[run(), run()], &[("<broken>".to_owned(), "no such server".to_owned())]);
    assert!(text.contains("<testsuites name=\"mst\" tests=\"13\" failures=\"6\" errors=\"3\""), "{text}");
    assert_eq!(text.matches("<testsuite name=\"parts-eval/default\"").count(), 2, "{text}");
    assert!(text.contains("<testsuite name=\"&lt;broken&gt;\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">"));
}

#[test]
fn a_badge_is_green_only_when_everything_is_known_and_holds() {
    let only = |verdict: CaseVerdict| RunEnds { cases: vec![end("one", verdict, None)], ..run() };
    let lack = CaseVerdict::None { lack: Lack::Trial, why: String::new() };
    let gate = |end: GateEnd| [Gate { name: "cases", end, why: String::new() }];
    for (run, gates, colour) in [
        (only(CaseVerdict::Passed), &gate(GateEnd::Held)[..], "#2a7d2e"),
        (only(failed("x")), &gate(GateEnd::Failed), "#c0322b"),
        (only(failed("x")), &gate(GateEnd::Held), "#2a7d2e"),
        (only(CaseVerdict::Passed), &gate(GateEnd::CannotTell), "#6a6a6a"),
        (only(lack), &gate(GateEnd::Held), "#6a6a6a"),
        (RunEnds { cases: Vec::new(), ..run() }, &gate(GateEnd::Held), "#6a6a6a"),
    ] {
        let svg = badge_svg(&run, gates);
        assert!(svg.contains(&format!("fill=\"{colour}\"")), "{svg}");
    }
}
