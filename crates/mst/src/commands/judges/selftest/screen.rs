//! What a selftest prints.

use mst_cli::{Ui, printable};
use mst_judges::{Flaw, Injection, ProbeCount, ProbeVerdict};
use mst_model::Usage;
use serde_json::{Map, Value, json};

use super::Tried;
use super::trying::Said;

/// How many mistakes of a judge are named.
const NAMES: usize = 8;

/// The width of what stands before a figure.
const WIDTH: usize = 25;

/// Prints each judge with what it caught and what moved it.
pub(super) fn show(tried: &[Tried], ui: &Ui) {
    for one in tried {
        ui.text(&printable(&heading(one)));
        let line = |what: &str, says: String| ui.text(&format!("  {what:WIDTH$}{says}"));
        if one.tally.good != ProbeCount::default() {
            line("good trials", words(one.tally.good));
        }
        for (flaw, count) in &one.tally.flaws {
            line(flaw.as_str(), words(*count));
        }
        for (injection, count) in &one.tally.injections {
            line(&format!("orders {}", injection.as_str()), format!("{} of {} move it", count.moved, count.of));
        }
        for said in mistakes(one).take(NAMES) {
            ui.text(&printable(&format!("  - {}", mistake(said))));
        }
        let more = mistakes(one).count().saturating_sub(NAMES);
        if more > 0 {
            ui.text(&format!("  - and {more} more; --json has them all"));
        }
    }
    let usage = tried.iter().filter_map(|one| one.usage.as_ref());
    let total = usage.fold(None::<Usage>, |total, one| {
        let mut total = total.unwrap_or_default();
        total.add(one);
        Some(total)
    });
    if let Some(total) = total {
        let cost = total.cost_usd().map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
        let [input, output] = [total.input_tokens, total.output_tokens].map(Option::unwrap_or_default);
        ui.status(&format!("Used {input} input and {output} output tokens{cost}."));
    }
}

/// Returns the same as data.
pub(super) fn to_json(tried: &[Tried]) -> Value {
    json!({ "judges": tried.iter().map(judge_json).collect::<Vec<_>>() })
}

fn judge_json(one: &Tried) -> Value {
    let flaws: Map<String, Value> =
        one.tally.flaws.iter().map(|(flaw, count)| (flaw.key().to_owned(), count_json(*count))).collect();
    let injections: Map<String, Value> = one
        .tally
        .injections
        .iter()
        .map(|(injection, count)| (injection.key().to_owned(), json!({ "of": count.of, "moved": count.moved })))
        .collect();
    let mut shown = json!({
        "judge": one.subject.judge,
        "name": one.subject.name,
        "models": one.subject.question.models(),
        "configured": one.subject.is_configured,
        "trials": one.said.len(),
        "good": count_json(one.tally.good),
        "flaws": flaws,
        "injections": injections,
        "mistakes": mistakes(one).map(mistake_json).collect::<Vec<_>>(),
    });
    if let Some(usage) = &one.usage {
        shown["usage"] = json!(usage);
    }
    shown
}

fn count_json(count: ProbeCount) -> Value {
    json!({ "right": count.right, "wrong": count.wrong, "unknown": count.unknown, "errors": count.errors })
}

fn mistake_json(said: &Said) -> Value {
    let mut shown = json!({ "scenario": said.probe.scenario, "verdict": said.verdict.as_str() });
    if let Some(flaw) = said.probe.flaw {
        shown["flaw"] = json!(flaw.key());
    }
    if let Some(injection) = said.probe.injection {
        shown["injection"] = json!(injection.key());
    }
    if let Some(error) = &said.error {
        shown["error"] = json!(error);
    }
    shown
}

fn heading(one: &Tried) -> String {
    let models = one.subject.question.models().join(", ");
    format!("{} ({models})", one.subject.name)
}

fn words(count: ProbeCount) -> String {
    let of = count.right + count.wrong + count.unknown + count.errors;
    let rest = [(count.wrong, "wrong"), (count.unknown, "unknown"), (count.errors, "without a verdict")];
    let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    format!("{} of {of} right{}", count.right, rest.collect::<String>())
}

/// Returns the trials about which a judge was not right.
fn mistakes(one: &Tried) -> impl Iterator<Item = &Said> {
    one.said.iter().filter(|said| {
        let passes = said.probe.passes(&one.subject.judge, &one.subject.options);
        let verdict = if passes == Some(true) { ProbeVerdict::Pass } else { ProbeVerdict::Fail };
        said.verdict != verdict
    })
}

fn mistake(said: &Said) -> String {
    let flaw = said.probe.flaw.map_or("good", Flaw::as_str);
    let injection = said.probe.injection.map(Injection::as_str).map(|place| format!(", an order {place}"));
    let why = said.error.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("{}, {flaw}{}: {}{why}", said.probe.scenario, injection.unwrap_or_default(), said.verdict.as_str())
}
