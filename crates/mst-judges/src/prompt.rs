//! The texts that judges are asked with, and the version that shows a change of them.

use mst_model::{Evidence as Trust, JudgeInput, sha256_hex};

use crate::evidence::Evidence;
use crate::settings::{Settings, defaults};
use crate::transcript;

/// Changes when evidence is written, or answers are read, in another way.
const FORM: &str = "1";

const RULES_QUESTION: &str = include_str!("../prompts/rules-question.md");
const RULES_RUBRIC: &str = include_str!("../prompts/rules-rubric.md");
const NOTE_UNREPORTED: &str = include_str!("../prompts/notes/unreported.md");
const NOTE_PARTIAL: &str = include_str!("../prompts/notes/partial.md");
const NOTE_WRITES: &str = include_str!("../prompts/notes/writes.md");
const NOTE_NO_REFERENCE: &str = include_str!("../prompts/notes/no-reference.md");

const REMINDER: &str = "Think first, then end with the one JSON object in the form you were told.";

/// A call to a model, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt {
    pub(crate) system: String,
    pub(crate) user: String,
}

/// What a judge shows of a trial beside the request and the answer.
#[derive(Clone, Debug)]
pub(crate) struct Shown<'a> {
    /// A standard that stands before all else: its name and text.
    pub(crate) standard: Option<(&'static str, &'a str)>,
    /// Whether tool calls are shown.
    pub(crate) calls: bool,
    /// Whether the reference answer is shown.
    pub(crate) reference: bool,
}

/// Makes a yes-or-no question.
pub(crate) fn question(text: &str, input: &JudgeInput, settings: &Settings, shown: &Shown<'_>) -> Prompt {
    prompt(RULES_QUESTION, text, input, settings, shown)
}

/// Makes a rubric's call.
pub(crate) fn rubric(text: &str, input: &JudgeInput, settings: &Settings, shown: &Shown<'_>) -> Prompt {
    prompt(RULES_RUBRIC, text, input, settings, shown)
}

/// Returns the version of a judge that asks with these texts. It covers them, the rules and notes, and the defaults.
pub(crate) fn version(texts: &[&str]) -> String {
    let shared =
        [FORM, RULES_QUESTION, RULES_RUBRIC, NOTE_UNREPORTED, NOTE_PARTIAL, NOTE_WRITES, NOTE_NO_REFERENCE, REMINDER];
    let defaults = defaults();
    let defaults = [defaults.as_str()];
    let all = shared.iter().chain(texts).chain(&defaults);
    let hashed: Vec<String> = all.map(|text| format!("{} {text}", text.len())).collect();
    let mut digest = sha256_hex(hashed.join("\n").as_bytes());
    digest.truncate(12);
    format!("v1-{digest}")
}

fn prompt(rules: &str, text: &str, input: &JudgeInput, settings: &Settings, shown: &Shown<'_>) -> Prompt {
    let trial = &input.trial;
    let mut evidence = Evidence::default();
    if let Some((name, standard)) = shown.standard {
        evidence = evidence.with(name, standard);
    }
    evidence = evidence.with("request", input.case.input.prompt.as_str());
    let reference = input.case.expected.answer().filter(|_| shown.reference).map(transcript::value_text);
    let has_reference = reference.is_some();
    evidence = evidence.with_some("reference", reference);
    let mut notes = Vec::new();
    if shown.calls {
        match trial.evidence {
            // An empty list would read as "nothing was called".
            Some(Trust::None) => notes.push(NOTE_UNREPORTED),
            trust => {
                evidence = evidence.with("calls", transcript::calls(trial, settings.max_tool_output));
                if trust != Some(Trust::Structured) {
                    notes.push(NOTE_PARTIAL);
                }
            }
        }
    }
    let writes = trial.write_record.as_ref().map(transcript::value_text);
    if writes.is_some() {
        notes.push(NOTE_WRITES);
    }
    evidence = evidence.with_some("write_record", writes).with("answer", transcript::answer(trial));
    if shown.reference && !has_reference {
        notes.push(NOTE_NO_REFERENCE);
    }
    let evidence = evidence.render();
    let parts = [text, &evidence].into_iter().chain(notes).chain([REMINDER]);
    let parts: Vec<&str> = parts.map(str::trim_end).collect();
    Prompt { system: rules.trim_end().to_owned(), user: parts.join("\n\n") }
}
