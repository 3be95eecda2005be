//! What a finished run prints: the verdict, the variants side by side, and what finishes an incomplete run.

use std::fmt::Write as _;
use std::path::Path;

use mst_cli::{ExitClass, Ui, plural, printable, table};
use mst_engine::{Failure, IncompleteReason, RunOutcome, Shortfall};
use mst_model::{CaseId, Phase, VariantName, VariantSummary};
use serde_json::{Value, json};

use crate::args::BudgetFlags;
use crate::publish::Published;
use crate::{preferences, previous};

/// How many names a list shows.
const NAMES: usize = 5;

/// Prints what a run and the steps after it came to: with `json` as one value on stdout, which is the error where a step
/// failed that must not.
pub(crate) fn show(outcome: &RunOutcome, published: &Published, again: &Again<'_>, json: bool, ui: &Ui) {
    match (&published.failure, json) {
        (Some(failure), true) => ui.data(&failure.to_json()),
        (None, true) => {
            let mut shown = to_json(outcome);
            published.judged.add_to(&mut shown);
            ui.data(&shown);
        }
        (_, false) => result(outcome, ui),
    }
    notes(outcome, again, ui);
    published.judged.print(ui);
    report(published, ui);
    if let Some(failure) = &published.failure {
        ui.error(failure);
    }
}

/// Says where a run's report is.
pub(crate) fn report(published: &Published, ui: &Ui) {
    if let Some(page) = &published.report {
        ui.status(&printable(&format!("Report: {}", page.display())));
    }
}

/// Prints a run's result on stdout.
fn result(outcome: &RunOutcome, ui: &Ui) {
    ui.status("");
    ui.text(&headline(outcome));
    failures(outcome, |line| ui.text(line));
    let judged = outcome.summary.variants.iter().any(|variant| variant.metrics.contains_key(JUDGE_PASS));
    let rows: Vec<Vec<String>> = outcome.summary.variants.iter().map(|variant| variant_row(variant, judged)).collect();
    if !rows.is_empty() {
        let columns: Vec<&str> = COLUMNS.into_iter().filter(|column| judged || *column != JUDGE_COLUMN).collect();
        ui.text(&table(&columns, &rows, ui.width()));
        if outcome.summary.variants.iter().any(is_estimated) {
            ui.text("* estimated from the eval config's pricing; tokens, cost and time are means per trial");
        }
    }
    let reached = outcome.budget.as_ref().map(ToString::to_string);
    for note in outcome.record.notes.iter().filter(|note| Some(*note) != reached.as_ref()) {
        ui.text(&format!("Note: {note}."));
    }
    for line in delta_lines(outcome).iter().chain(&watched_lines(outcome)) {
        ui.text(line);
    }
    for line in previous::lines(&outcome.summary) {
        ui.text(&line);
    }
    preferences::table(&outcome.summary, ui);
    if let Some(line) = judges_line(outcome) {
        ui.text(&line);
    }
}

/// Tells the first cases that failed, each with why.
pub(crate) fn failures(outcome: &RunOutcome, tell: impl Fn(&str)) {
    for failure in outcome.failures.iter().take(NAMES) {
        tell(&failure_lines(failure, outcome));
    }
    if outcome.failed_cases > NAMES {
        tell(&format!("  and {} more", outcome.failed_cases - NAMES));
    }
}

/// How the run was started, so that a hint can be typed as it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Again<'a> {
    pub(crate) config: &'a Path,
    pub(crate) output_dir: Option<&'a Path>,
    pub(crate) root_dir: Option<&'a Path>,
    pub(crate) secrets_file: Option<&'a Path>,
    pub(crate) judge_cache: Option<&'a Path>,
    /// `--results`, as typed.
    pub(crate) results: Option<&'a str>,
    pub(crate) allow_live_writes: bool,
    /// What the run was limited to.
    pub(crate) budget: BudgetFlags,
}

/// Prints what a person should do next, on stderr.
pub(crate) fn notes(outcome: &RunOutcome, again: &Again<'_>, ui: &Ui) {
    if outcome.record.partial {
        let stopped = outcome.record.selection.as_ref().is_some_and(|selection| selection.stopped_when.is_some());
        ui.status(if stopped {
            "A partial run: it stopped when it was decided, so it is not the eval's latest."
        } else {
            "A partial run: flags chose what ran, so it is not the eval's latest."
        });
    }
    for line in throttling_lines(outcome) {
        ui.status(&line);
    }
    for line in incomplete_lines(outcome) {
        ui.remark(&line);
    }
    if let Some(reached) = &outcome.budget {
        ui.remark(&printable(&format!("Stopped: {reached}.")));
    }
    for line in preferences::missing_lines(&outcome.summary) {
        ui.remark(&line);
    }
    for hint in next_steps(outcome, again) {
        ui.hint(&hint);
    }
    ui.status(&format!("Run directory: {}", printable(&outcome.directory.display().to_string())));
}

/// Returns a run's result as `--json` prints it: the summary, and beside it the first cases without a result, each with why.
pub(crate) fn to_json(outcome: &RunOutcome) -> Value {
    let mut shown = json!(outcome.summary);
    if let Some(reached) = &outcome.budget {
        shown["budgetReached"] = json!({
            "flag": reached.limit.flag(),
            "used": reached.used,
            "next": reached.next,
            "unmeasured": reached.unmeasured,
        });
    }
    if !outcome.incomplete.is_empty() {
        shown["incomplete"] = outcome.incomplete.reasons().iter().flat_map(incomplete_json).collect();
    }
    shown
}

fn incomplete_json(why: &IncompleteReason) -> impl Iterator<Item = Value> {
    why.named.iter().map(|case| {
        json!({
            "variant": case.variant,
            "caseId": case.case_id,
            "reason": why.reason,
            "retryable": why.retryable,
        })
    })
}

/// Says what providers' throttling did to the run.
fn throttling_lines(outcome: &RunOutcome) -> Vec<String> {
    let seen = outcome.record.throttling.iter();
    seen.map(|(provider, seen)| {
        format!(
            "{provider} throttled: {}, lowest concurrency {}, calls waited {:.1} s in all",
            plural(seen.refused as usize, "time"),
            seen.lowest_concurrency,
            seen.waited_ms as f64 / 1000.0
        )
    })
    .collect()
}

/// Says which cases are incomplete and why, each reason once.
fn incomplete_lines(outcome: &RunOutcome) -> Vec<String> {
    let shown = &outcome.incomplete.reasons()[..outcome.incomplete.reasons().len().min(NAMES)];
    let mut lines: Vec<String> = shown
        .iter()
        .map(|reason| {
            let named = reason.named.iter().take(NAMES);
            let names: Vec<String> = named.map(|case| case_name(&case.variant, &case.case_id, outcome)).collect();
            let rest = reason.count - names.len();
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            printable(&format!("Incomplete: {}{rest}: {}", names.join(", "), shortened(&reason.reason)))
        })
        .collect();
    let more = outcome.incomplete.len() - shown.iter().map(|reason| reason.count).sum::<usize>();
    if more > 0 {
        lines.push(format!("and {} for other reasons", plural(more, "case")));
    }
    lines
}

/// Returns a case's name, with its variant where there are several.
fn case_name(variant: &VariantName, case: &CaseId, outcome: &RunOutcome) -> String {
    if outcome.summary.variants.len() > 1 { format!("{variant}/{case}") } else { case.to_string() }
}

/// Returns the exit class of what a run came to.
pub(crate) fn exit_class(outcome: &RunOutcome) -> ExitClass {
    let failed = (outcome.failed_cases > 0).then_some(ExitClass::Failed);
    ExitClass::first(shortfall_classes(outcome).into_iter().chain(failed))
}

/// Returns the classes of what kept a run from being whole, whatever its cases came to.
pub(crate) fn shortfall_classes(outcome: &RunOutcome) -> Vec<ExitClass> {
    let mut classes = vec![ExitClass::Success];
    if outcome.interrupted {
        classes.push(ExitClass::Interrupted);
    }
    if outcome.budget.is_some() {
        classes.push(ExitClass::Budget);
    }
    if !outcome.incomplete.is_empty() || outcome.record.phases.collect != Phase::Complete {
        classes.push(ExitClass::Incomplete);
    }
    classes.extend(outcome.shortfalls.iter().map(|shortfall| match shortfall {
        Shortfall::Authentication => ExitClass::Authentication,
        Shortfall::Server => ExitClass::Server,
        Shortfall::Provider | Shortfall::Judge => ExitClass::Provider,
        Shortfall::Ungraded | Shortfall::Other => ExitClass::Incomplete,
    }));
    classes
}

fn headline(outcome: &RunOutcome) -> String {
    format!("{}: {}", printable(&outcome.record.eval_name), verdict(outcome))
}

/// Says in a line what a run came to.
pub(crate) fn verdict(outcome: &RunOutcome) -> String {
    let number = |key: &str| outcome.summary.metrics.get(key).and_then(Value::as_u64).unwrap_or(0);
    let mut line = String::new();
    if outcome.interrupted || outcome.budget.is_some() {
        let (saved, planned) = outcome.trials;
        let by = if outcome.interrupted { "before the end" } else { "by its budget" };
        let _written = write!(line, "stopped {by}; {saved} of {} saved", plural(planned, "trial"));
        if outcome.summary.variants.is_empty() {
            return line;
        }
        line.push_str(". ");
    }
    if outcome.record.phases.grade == Phase::Skipped {
        let _written = write!(
            line,
            "{} of {} collected, not graded",
            number("collected"),
            plural(number("total") as usize, "case")
        );
        return line;
    }
    let (passed, total) = (number("passed"), number("total"));
    let _written = match outcome.summary.metrics.get("passRate").and_then(Value::as_f64) {
        Some(rate) => write!(line, "{passed} of {} passed ({})", plural(total as usize, "case"), percent(rate)),
        None => write!(line, "no case is complete"),
    };
    let incomplete = number("incomplete");
    if incomplete > 0 {
        let _written = write!(line, ", {incomplete} incomplete");
    }
    line
}

/// Returns a failed case with what it says, as many lines as a screen can spare.
fn failure_lines(failure: &Failure, outcome: &RunOutcome) -> String {
    const LINES: usize = 4;
    let name = case_name(&failure.variant, &failure.case_id, outcome);
    let why: Vec<String> = failure.why.lines().take(LINES).map(shortened).collect();
    printable(&format!("  {name}: {}", why.join("\n    ")))
}

const COLUMNS: [&str; 9] =
    ["Variant", "Passed", "Trial pass", JUDGE_COLUMN, "MCP calls / events", "Input", "Output", "Cost", "Time"];

/// The column that stands there when judges gave verdicts, and its metric.
const JUDGE_COLUMN: &str = "Judge pass";
const JUDGE_PASS: &str = "judge_pass_rate";

/// Names the judges that variants list, with the models that they ask.
fn judges_line(outcome: &RunOutcome) -> Option<String> {
    let judges = outcome.judges.iter().map(|(name, models)| match models.as_slice() {
        [] => name.clone(),
        models => format!("{name} ({})", models.join(", ")),
    });
    let judges: Vec<String> = judges.collect();
    (!judges.is_empty() && outcome.record.phases.grade != Phase::Skipped)
        .then(|| printable(&format!("Judges: {}", judges.join(", "))))
}

fn variant_row(variant: &VariantSummary, judged: bool) -> Vec<String> {
    let metric = |key: &str| variant.metrics.get(key).and_then(Value::as_f64);
    let shown = |value: Option<f64>, form: fn(f64) -> String| value.map_or_else(|| "-".to_owned(), form);
    let calls = format!(
        "{} / {}",
        shown(metric("mcp_call_count_mean"), short),
        shown(metric("builtin_event_count_mean"), short)
    );
    let star = if is_estimated(variant) { "*" } else { "" };
    let mut row = vec![
        printable(variant.name.as_str()),
        format!("{}/{}", variant.result.passed, variant.result.total),
        shown(metric("trial_pass_rate"), percent),
    ];
    row.extend(judged.then(|| shown(metric(JUDGE_PASS), percent)));
    row.extend([
        calls,
        shown(metric("input_tokens_mean"), short),
        shown(metric("output_tokens_mean"), short),
        metric("cost_usd_mean").map_or_else(|| "-".to_owned(), |cost| format!("${cost:.4}{star}")),
        shown(metric("duration_s_mean"), |seconds| format!("{seconds:.2} s")),
    ]);
    row
}

fn is_estimated(variant: &VariantSummary) -> bool {
    matches!(variant.cost_source.as_deref(), Some("pricing" | "mixed"))
}

/// Returns a line, cut where it would fill a screen.
pub(crate) fn shortened(line: &str) -> String {
    const LONGEST: usize = 300;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Says what the looks at the comparison came to, when it was watched.
fn watched_lines(outcome: &RunOutcome) -> Vec<String> {
    let Some(watched) = &outcome.record.sequential else { return Vec::new() };
    let candidate = printable(watched.candidate.as_str());
    let Some(last) = watched.looks.last() else {
        return vec![format!("{candidate} was not looked at: too few cases were complete")];
    };
    let stopped = outcome.record.selection.as_ref().is_some_and(|selection| selection.stopped_when.is_some());
    let end = if stopped { "stopped there" } else { "every case ran" };
    let p = if watched.assessment == "better" { last.p_better } else { last.p_worse };
    vec![format!(
        "{candidate} is {} at look {} ({} of {}): p {p:.5}, and at most {:.5} decides; {end}",
        if watched.assessment == "unclear" { "undecided" } else { watched.assessment.as_str() },
        watched.looks.len(),
        last.cases,
        plural(watched.planned, "case"),
        last.bound,
    )]
}

/// Says how each variant's pass rate differs from the baseline's.
fn delta_lines(outcome: &RunOutcome) -> Vec<String> {
    let deltas = outcome.summary.variant_deltas.iter();
    deltas
        .filter_map(|(name, delta)| {
            let change = delta.pass_rate_delta? * 100.0;
            let (name, baseline) = (printable(name.as_str()), printable(delta.baseline.as_str()));
            Some(format!("{name} against {baseline}: {change:+.1} points of cases passed"))
        })
        .collect()
}

/// Says what finishes an incomplete run, and only what would work.
fn next_steps(outcome: &RunOutcome, again: &Again<'_>) -> Vec<String> {
    let mut hints = Vec::new();
    let mut again = *again;
    if outcome.budget.as_ref().is_some_and(|reached| reached.unmeasured.is_some()) {
        again.budget = again.budget.measurable();
        hints.push("the command below leaves out the limit that cannot be held".to_owned());
    } else if outcome.budget.is_some() {
        hints.push("a resume counts from zero: with the same flags it may use as much again".to_owned());
    }
    let record = &outcome.record;
    let missing = record.phases.collect != Phase::Complete;
    let lacks_verdicts = record.phases.grade == Phase::Partial && outcome.shortfalls.iter().copied().any(is_verdict);
    let retryable = missing || lacks_verdicts || outcome.incomplete.retryable() > 0;
    let only_verdicts = !missing && outcome.shortfalls.iter().copied().all(is_verdict);
    if retryable && record.replayed.is_some() {
        hints.push("a replayed run cannot be resumed; replay the tape again".to_owned());
    } else if retryable && record.redact_stored_responses {
        hints.push(
            "a run that drops answers cannot be resumed; set \"redactStoredResponses\": false in the eval config, and the \
             next run can"
                .to_owned(),
        );
    } else if retryable && only_verdicts {
        let command = again.grade_command(record.run_id.as_str());
        hints.push(format!("to grade what has no verdict: {command} --resume"));
    } else if retryable && record.run_id.is_regrade() {
        let collecting = record.run_id.collecting();
        hints.push(format!("to collect what is missing: {}", again.command(collecting.as_str())));
        hints.push(format!("then grade it again: {}", again.grade_command(collecting.as_str())));
    } else if retryable {
        hints.push(format!("to collect what is missing: {}", again.command(record.run_id.as_str())));
        if outcome.shortfalls.contains(&Shortfall::Server) {
            hints.push(
                "if it takes a change to the eval config, start a new run instead: a resume keeps the config"
                    .to_owned(),
            );
        }
    }
    if outcome.incomplete.len() > outcome.incomplete.retryable() {
        hints.push(
            "a reason above that a retry cannot help needs a fix to the eval, the case or the setup, and a new run"
                .to_owned(),
        );
    }
    hints
}

/// Returns whether what is lacking is a verdict, which grading alone can give.
fn is_verdict(shortfall: Shortfall) -> bool {
    matches!(shortfall, Shortfall::Judge | Shortfall::Ungraded)
}

impl Again<'_> {
    /// Returns the command that resumes a run, ready to be typed.
    fn command(&self, run_id: &str) -> String {
        let mut command = format!("mst run --config {}", quoted(self.config));
        self.add_places(&mut command);
        if self.allow_live_writes {
            command.push_str(" --allow-live-writes");
        }
        let _written = write!(command, " --resume {run_id}");
        command
    }

    /// Returns the command that grades a run's trials again, ready to be typed.
    fn grade_command(&self, run_id: &str) -> String {
        let mut command = format!("mst grade {run_id} --config {}", quoted(self.config));
        self.add_places(&mut command);
        command
    }

    fn add_places(&self, command: &mut String) {
        let flags = [
            ("--output-dir", self.output_dir),
            ("--root-dir", self.root_dir),
            ("--secrets-file", self.secrets_file),
            ("--judge-cache", self.judge_cache),
        ];
        for (flag, path) in flags {
            if let Some(path) = path {
                let _written = write!(command, " {flag} {}", quoted(path));
            }
        }
        if let Some(store) = self.results {
            let _written = write!(command, " --results {}", quoted(Path::new(store)));
        }
        self.budget.add_to(command);
    }
}

/// Returns a path as a shell reads it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |char: char| char.is_alphanumeric() || "/._-+=:@%,".contains(char);
    if !text.is_empty() && text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

pub(crate) fn percent(rate: f64) -> String {
    format!("{:.1}%", rate * 100.0)
}

/// Returns a mean with as many decimals as it needs, at most one.
fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}
