//! All graders of a case on one trial.

use indexmap::IndexMap;
use mst_model::{Assertions, EvalCase, GraderName, GraderScore, Scrubbed, ToolCallTrace, TrialRecord};

use crate::answer::Answer;
use crate::assertion::{contains_text, matches_pattern, tool_call_count, tools_triggered};
use crate::judge::judge_grader;
use crate::no_verdict::NoVerdict;
use crate::observed::{KnownTools, Observed};
use crate::pattern_threads::PatternThreads;
use crate::tool_map::ToolMap;
use tools_triggered::Tools;

/// What a trial is graded from.
#[derive(Clone, Copy, Debug)]
pub struct GradeInput<'a> {
    /// The case.
    pub case: &'a EvalCase,
    /// The trial in full: with its answer and tool outputs, before response redaction.
    pub trial: &'a Scrubbed<TrialRecord>,
    /// The variant's tool map: canonical names to native ones.
    pub tool_map: &'a IndexMap<String, Vec<String>>,
    /// The tools that the variant's servers listed when they were checked; empty when none was checked.
    pub known_tools: &'a KnownTools,
    /// Whether messages may quote the answer: not in a run that does not store answers.
    pub quote_answers: bool,
    /// Where patterns run.
    pub patterns: &'a PatternThreads,
}

/// What the graders say of one trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graded {
    /// The scores in a fixed order: `textContains`, `regex`, `toolsTriggered`, `toolCallCount`, then judges. An assertion
    /// without a verdict has none; a judge without one has a score with its `error`.
    pub scores: IndexMap<GraderName, GraderScore>,
    /// `<grader>: <error>` when a grader gave no verdict.
    pub grading_error: Option<String>,
    /// Events that are of an expected call, over all events.
    pub tool_precision: Option<f64>,
    /// Required calls that were made, over required calls.
    pub tool_recall: Option<f64>,
    /// Which observed calls were expected, and which required ones were missed.
    pub tool_call_trace: Option<ToolCallTrace>,
}

impl Graded {
    /// Takes in what a judge said. One without a verdict is the trial's grading error, unless another grader was before.
    pub fn add_judge(&mut self, name: &str, score: GraderScore) {
        let grader = judge_grader(name);
        if let (None, Some(error)) = (&self.grading_error, &score.error) {
            self.grading_error = Some(format!("{grader}: {error}"));
        }
        self.scores.insert(grader, score);
    }

    /// Writes a missing verdict into the trial: the grading error, and, unless something else fails the trial, the
    /// error `Not graded: …`. What an earlier grading wrote is taken back, so that a trial graded again can pass.
    pub fn note_on(&self, trial: &mut TrialRecord) {
        let not_graded = |error: &String| format!("Not graded: {error}");
        let earlier = std::mem::replace(&mut trial.grading_error, self.grading_error.clone());
        if earlier.is_some() && trial.error == earlier.as_ref().map(not_graded) {
            trial.error = None;
        }
        let is_fail = |score: &GraderScore| !score.pass && score.skipped != Some(true) && score.error.is_none();
        let failed = trial.client_error().is_some() || self.scores.values().any(is_fail);
        if !failed && trial.error.is_none() {
            trial.error = self.grading_error.as_ref().map(not_graded);
        }
    }
}

/// Returns what is wrong with a case's expected calls whose names could mean two of the tools that servers listed, or
/// none of them, so that it can be said before anything is spent.
pub fn doubtful_calls(
    case: &EvalCase,
    tool_map: &IndexMap<String, Vec<String>>,
    known_tools: &KnownTools,
) -> Vec<String> {
    let expected = case.assertions.as_ref().and_then(|assertions| assertions.tools_triggered.as_ref());
    let Some(expected) = expected else { return Vec::new() };
    let tools = Tools { known: known_tools.clone(), map: ToolMap::new(tool_map) };
    expected.calls.iter().filter_map(|call| tools_triggered::explain_doubt(call, &tools)).collect()
}

/// Returns the graders of a case's assertions: each gives a score, unless it can come to no verdict.
pub fn assertion_graders(case: &EvalCase) -> impl Iterator<Item = &'static str> {
    let has = |is_asserted: fn(&Assertions) -> bool| case.assertions.as_ref().is_some_and(is_asserted);
    [
        ("textContains", has(|all| all.contains_text.is_some())),
        ("regex", has(|all| all.matches_pattern.is_some())),
        ("toolsTriggered", has(|all| all.tools_triggered.is_some())),
        ("toolCallCount", has(|all| all.tool_call_count.is_some())),
    ]
    .into_iter()
    .filter_map(|(grader, is_asserted)| is_asserted.then_some(grader))
}

/// Grades a trial by its case's assertions. An infrastructure failure is never graded: it gives nothing.
pub async fn grade_trial(input: GradeInput<'_>) -> Graded {
    let mut graded = Graded::default();
    let trial = input.trial.get();
    let Some(assertions) = &input.case.assertions else { return graded };
    if trial.ending.is_infrastructure() {
        return graded;
    }
    let transcript = trial.transcript.as_ref();
    let text = transcript.and_then(|transcript| transcript.final_text.as_deref()).unwrap_or_default();
    let answer = Answer { text, quote: input.quote_answers };
    let evidence = transcript.and_then(|transcript| transcript.evidence);
    let tools = Tools { known: input.known_tools.clone(), map: ToolMap::new(input.tool_map) };
    let events = observed(&input, &tools);

    if let Some(expected) = &assertions.contains_text {
        graded.add("textContains", Ok(contains_text::grade(expected, &answer)));
    }
    if let Some(expected) = &assertions.matches_pattern {
        let (expected, text, quote) = (expected.clone(), text.to_owned(), input.quote_answers);
        let work = move || matches_pattern::grade(&expected, &Answer { text: &text, quote });
        graded.add("regex", input.patterns.run(work).await);
    }
    let count = assertions.tool_call_count.as_ref().map(|expected| tool_call_count::grade(expected, evidence, &events));
    if let Some(report) = tools_report(&input, events, tools).await {
        graded.add_tools(report);
    }
    if let Some(score) = count {
        graded.add("toolCallCount", Ok(score));
    }
    graded
}

/// What the tool graders found in a trial beside their scores: what the trial's files do not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolMatch {
    /// Events that are of an expected call, over all events.
    pub precision: f64,
    /// Required calls that were made, over required calls.
    pub recall: f64,
    /// Which observed calls were expected, and which required ones were missed.
    pub trace: ToolCallTrace,
}

/// Finds again which of a trial's calls were expected, as [`grade_trial`] did; `None` where the case expects none, or
/// that has no answer. Arguments are stored in a redacted run too, so that a stored trial gives the same.
pub async fn match_tools(input: GradeInput<'_>) -> Option<ToolMatch> {
    input.case.assertions.as_ref()?.tools_triggered.as_ref()?;
    if input.trial.get().ending.is_infrastructure() {
        return None;
    }
    let tools = Tools { known: input.known_tools.clone(), map: ToolMap::new(input.tool_map) };
    let choice = tools_report(&input, observed(&input, &tools), tools).await?.ok()?.choice?;
    Some(ToolMatch { precision: choice.precision, recall: choice.recall, trace: choice.trace })
}

fn observed(input: &GradeInput<'_>, tools: &Tools) -> Vec<Observed> {
    let events = input.trial.get().transcript.iter().flat_map(|transcript| &transcript.events);
    events.map(|event| Observed::new(event, &tools.map)).collect()
}

/// Grades `toolsTriggered`; `None` where the case does not assert it.
async fn tools_report(
    input: &GradeInput<'_>,
    events: Vec<Observed>,
    tools: Tools,
) -> Option<Result<tools_triggered::ToolsReport, NoVerdict>> {
    let expected = input.case.assertions.as_ref()?.tools_triggered.clone()?;
    let evidence = input.trial.get().transcript.as_ref().and_then(|transcript| transcript.evidence);
    let has_patterns = tools_triggered::has_patterns(&expected);
    let work = move || tools_triggered::grade(&expected, evidence, &events, &tools);
    // Without patterns it ends by itself, and need not wait for threads that earlier patterns hold.
    Some(if has_patterns { input.patterns.run(work).await } else { work() })
}

impl Graded {
    fn add(&mut self, grader: &str, answer: Result<GraderScore, NoVerdict>) {
        match answer {
            Ok(score) => {
                self.scores.insert(GraderName::from(grader), score);
            }
            Err(error) => {
                let text = format!("{grader}: {error}");
                self.grading_error = Some(match self.grading_error.take() {
                    Some(earlier) => format!("{earlier}; {text}"),
                    None => text,
                });
            }
        }
    }

    fn add_tools(&mut self, report: Result<tools_triggered::ToolsReport, NoVerdict>) {
        let choice = report.as_ref().ok().and_then(|report| report.choice.clone());
        if let Some(choice) = choice {
            self.tool_precision = Some(choice.precision);
            self.tool_recall = Some(choice.recall);
            self.tool_call_trace = Some(choice.trace);
        }
        self.add("toolsTriggered", report.map(|report| report.score));
    }
}
