//! Workflow commands of GitHub Actions: a run's failures, shown beside the lines that ask for what failed.

use super::case_end::{CaseEnd, NO_LONGER_FAILS, Standing};
use super::gate::{Gate, GateEnd};
use super::run_ends::RunEnds;
use crate::text::Shown;

/// How many annotations of a level GitHub shows for a step; the last one says how many more there are.
const SHOWN: usize = 10;

/// The most characters of a reason: an annotation is a note, not a log.
const LONGEST: usize = 1_000;

/// Returns a run's failed cases and gates as errors and its cases without a verdict as warnings, a line each.
///
/// At most ten of each, which is what GitHub shows of a step.
pub fn annotations(run: &RunEnds, gates: &[Gate]) -> Vec<String> {
    let mut errors: Vec<String> = gates
        .iter()
        // The failed cases stand there themselves.
        .filter(|gate| gate.end == GateEnd::Failed && gate.name != "cases")
        .map(|gate| command("error", None, &format!("Gate {} failed", gate.name), &gate.why))
        .collect();
    let mut warnings: Vec<String> = gates
        .iter()
        .filter(|gate| gate.end == GateEnd::CannotTell)
        .map(|gate| command("warning", None, &format!("Gate {} cannot tell", gate.name), &gate.why))
        .collect();
    for case in &run.cases {
        match case.standing() {
            Standing::Failed { by, why } => errors.push(of_case("error", run, case, "failed", &format!("{by}: {why}"))),
            Standing::NoLongerFails => errors.push(of_case("error", run, case, "no longer fails", NO_LONGER_FAILS)),
            Standing::NoVerdict { why, .. } => warnings.push(of_case("warning", run, case, "is incomplete", why)),
            Standing::Passed | Standing::KnownFailure { .. } => {}
        }
    }
    limited(errors, "error").chain(limited(warnings, "warning")).collect()
}

/// Returns what GitHub shows of a list.
fn limited(mut list: Vec<String>, level: &str) -> impl Iterator<Item = String> {
    if list.len() > SHOWN {
        let more = list.split_off(SHOWN - 1).len();
        list.push(command(level, None, "mst", &format!("and {more} more, in the run's report")));
    }
    list.into_iter()
}

fn of_case(level: &str, run: &RunEnds, case: &CaseEnd, what: &str, why: &str) -> String {
    let variant = if run.record.variants.len() > 1 { format!(" in variant {}", case.variant) } else { String::new() };
    command(level, Some(case), &format!("Case {} {what}{variant}", case.id), why)
}

fn command(level: &str, case: Option<&CaseEnd>, title: &str, message: &str) -> String {
    let place = case.and_then(|case| case.place.as_ref());
    let place = place.map(|place| format!("file={},line={},", property(&place.file), place.line)).unwrap_or_default();
    let short: String = message.chars().take(LONGEST).collect();
    let rest = if short.len() < message.len() { "…" } else { "" };
    format!(
        "::{level} {place}title={}::{}{rest}",
        property(Shown::line(title).as_str()),
        data(Shown::block(&short).as_str())
    )
}

/// Returns a text as a command's message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Returns a text as the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_a_command_or_begins_another() {
        assert_eq!(property("a,b:c%\r\n::error::x"), "a%2Cb%3Ac%25%0D%0A%3A%3Aerror%3A%3Ax");
        let line = command("error", None, "t,\u{202e}", "50%\n::error::x\r\nend");
        assert_eq!(line, "::error title=t%2C\\u{202e}::50%25%0A::error::x%0Aend");
        assert!(!line.contains('\n'));
    }

    #[test]
    fn what_github_would_drop_is_counted() {
        let list = |number| limited((0..number).map(|n| n.to_string()).collect(), "error").collect::<Vec<_>>();
        assert_eq!(list(10).len(), 10);
        let many = list(13);
        assert_eq!((many.len(), many[8].as_str()), (10, "8"));
        assert_eq!(many[9], "::error title=mst::and 4 more, in the run's report");
    }
}
