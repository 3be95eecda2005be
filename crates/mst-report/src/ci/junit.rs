//! JUnit's XML, as Jenkins' `junit-10.xsd` has it: what CI systems read as a report of tests.

use std::fmt::Write as _;

use mst_model::VariantRecord;

use super::case_end::{CaseEnd, NO_LONGER_FAILS, Standing};
use super::run_ends::{Counts, RunEnds};
use super::xml::{attribute, content};

/// Returns runs as one report: a suite a variant, a test a case.
///
/// A failed case is a `failure`, one without a verdict (an infrastructure failure, an ungraded or a missing trial) an
/// `error`, a known failure is `skipped`, and a known failure that passes is a `failure`. Times are in seconds. `broken` are
/// evals that left no run, by name, each with why: a suite with one `error`, since a report without them looks whole.
pub fn junit(runs: &[RunEnds], broken: &[(String, String)]) -> String {
    let mut all = Counts::of(runs.iter().flat_map(|run| &run.cases));
    all.no_verdict += broken.len();
    let seconds: f64 = runs.iter().flat_map(|run| &run.cases).map(|case| case.seconds).sum();
    let name = match runs {
        [only] => only.record.eval_name.as_str(),
        _ => "mst",
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _written = writeln!(
        out,
        "<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{seconds:.3}\">",
        attribute(name),
        all.total(),
        all.failed,
        all.no_verdict,
    );
    for run in runs {
        for (index, (variant, cases)) in run.by_variant().into_iter().enumerate() {
            let eval = &run.record.eval_name;
            let name = if runs.len() == 1 { variant.to_string() } else { format!("{eval}/{variant}") };
            let record = run.record.variants.iter().find(|record| record.name == *variant);
            suite(&mut out, run, &Suite { name, class: format!("{eval}.{variant}"), index, record, cases });
        }
    }
    for (eval, why) in broken {
        let (eval, why) = (attribute(eval), content(why));
        let _written = writeln!(
            out,
            "  <testsuite name=\"{eval}\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    \
             <testcase name=\"run\" classname=\"{eval}\">\n      <error message=\"the eval did not run to its end\" \
             type=\"infrastructure\">{why}</error>\n    </testcase>\n  </testsuite>",
        );
    }
    out.push_str("</testsuites>\n");
    out
}

/// A variant of a run.
struct Suite<'a> {
    name: String,
    class: String,
    index: usize,
    record: Option<&'a VariantRecord>,
    cases: Vec<&'a CaseEnd>,
}

fn suite(out: &mut String, run: &RunEnds, suite: &Suite<'_>) {
    let counts = Counts::of(suite.cases.iter().copied());
    let seconds: f64 = suite.cases.iter().map(|case| case.seconds).sum();
    let _written = writeln!(
        out,
        "  <testsuite name=\"{}\" id=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\" \
         timestamp=\"{}\">",
        attribute(&suite.name),
        suite.index,
        counts.total(),
        counts.failed,
        counts.no_verdict,
        counts.known,
        run.record.created_at,
    );
    out.push_str("    <properties>\n");
    let record = suite.record;
    let properties = [
        ("run", Some(run.record.run_id.as_str())),
        ("client", record.and_then(|record| record.client.as_deref())),
        ("model", record.and_then(|record| record.model.as_deref())),
        ("offline", record.filter(|record| record.offline).map(|_| "the offline baseline, not a language model")),
    ];
    for (name, value) in properties.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        let _written = writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", attribute(value));
    }
    out.push_str("    </properties>\n");
    for case in &suite.cases {
        test(out, &suite.class, case);
    }
    out.push_str("  </testsuite>\n");
}

fn test(out: &mut String, class: &str, case: &CaseEnd) {
    let _written = write!(
        out,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
        attribute(case.id.as_str()),
        attribute(class),
        case.seconds,
    );
    match case.standing() {
        Standing::Passed => {
            out.push_str("/>\n");
            return;
        }
        Standing::Failed { by, why } => outcome(out, "failure", by, why, case),
        Standing::NoLongerFails => outcome(out, "failure", "known-failure", NO_LONGER_FAILS, case),
        Standing::NoVerdict { lack, why } => outcome(out, "error", lack.as_str(), why, case),
        Standing::KnownFailure { reason, why, .. } => {
            outcome(out, "skipped", "known-failure", &format!("known failure: {reason}\n{why}"), case);
        }
    }
    out.push_str("    </testcase>\n");
}

/// Writes why a test did not pass: its first line where readers show one, and the whole of it as content.
fn outcome(out: &mut String, element: &str, kind: &str, why: &str, case: &CaseEnd) {
    let first = why.lines().next().unwrap_or_default();
    let _written = write!(out, ">\n      <{element} message=\"{}\" type=\"{}\">", attribute(first), attribute(kind));
    out.push_str(&content(why));
    if let Some(place) = &case.place {
        let _written = write!(out, "\n{}:{}", content(&place.file), place.line);
    }
    if case.counted > 1 {
        let _written = write!(out, "\n{} of {} counted trials passed", case.passed, case.counted);
    }
    let _written = writeln!(out, "</{element}>");
}
