//! The texts that judges are asked with, and the version that shows a change of them.

use mst_model::{Evidence as Trust, JudgeCase, JudgeInput, JudgeTrial, PairwiseInput, sha256_hex};

use crate::evidence::Evidence;
use crate::settings::{Settings, defaults};
use crate::transcript;

/// Changes when evidence is written, or answers are read, in another way.
const FORM: &str = "1";

const RULES_QUESTION: &str = include_str!("../prompts/rules-question.md");
const RULES_RUBRIC: &str = include_str!("../prompts/rules-rubric.md");
/// What a pairwise judge is told beside its question.
pub(crate) const RULES_PREFERENCE: &str = include_str!("../prompts/rules-preference.md");
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

/// Makes a comparison's call; what the input has as the baseline is shown first, as A.
pub(crate) fn comparison(text: &str, input: &PairwiseInput, settings: &Settings, reference: bool) -> Prompt {
    let mut material = Material::of(&input.case, reference);
    material.trial(&input.baseline, Some(settings), &FIRST);
    material.trial(&input.candidate, Some(settings), &SECOND);
    material.into_prompt(RULES_PREFERENCE, text)
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
    let mut material = Material::of(&input.case, shown.reference);
    if let Some((name, standard)) = shown.standard {
        material.evidence = Evidence::default().with(name, standard).followed_by(material.evidence);
    }
    material.trial(&input.trial, shown.calls.then_some(settings), &ALONE);
    material.into_prompt(rules, text)
}

/// What the parts of a trial are called, and what stands before a note about it.
struct Names {
    calls: &'static str,
    writes: &'static str,
    answer: &'static str,
    whose: &'static str,
}

const ALONE: Names = Names { calls: "calls", writes: "write_record", answer: "answer", whose: "" };
const FIRST: Names =
    Names { calls: "calls_A", writes: "write_record_A", answer: "answer_A", whose: "About assistant A. " };
const SECOND: Names =
    Names { calls: "calls_B", writes: "write_record_B", answer: "answer_B", whose: "About assistant B. " };

/// What a model is shown, and what is said about it.
struct Material {
    evidence: Evidence,
    notes: Vec<String>,
    last: Option<&'static str>,
}

impl Material {
    /// Begins with the request and the reference answer.
    fn of(case: &JudgeCase, shows_reference: bool) -> Self {
        let reference = case.expected.answer().filter(|value| shows_reference && !transcript::is_blank(value));
        let reference = reference.map(transcript::value_text);
        let last = (shows_reference && reference.is_none()).then_some(NOTE_NO_REFERENCE);
        let evidence =
            Evidence::default().with("request", case.input.prompt.as_str()).with_some("reference", reference);
        Self { evidence, notes: Vec::new(), last }
    }

    /// Adds a trial, with its calls where settings say how much of their results is shown.
    fn trial(&mut self, trial: &JudgeTrial, calls: Option<&Settings>, names: &Names) {
        let mut evidence = std::mem::take(&mut self.evidence);
        let mut note = |text: &str| self.notes.push(format!("{}{}", names.whose, text.trim_end()));
        if let Some(settings) = calls {
            match trial.evidence {
                // An empty list would read as "nothing was called".
                Some(Trust::None) => note(NOTE_UNREPORTED),
                trust => {
                    evidence = evidence.with(names.calls, transcript::calls(trial, settings.max_tool_output));
                    if trust != Some(Trust::Structured) {
                        note(NOTE_PARTIAL);
                    }
                }
            }
        }
        if let Some(record) = &trial.write_record {
            note(NOTE_WRITES);
            evidence = evidence.with(names.writes, transcript::value_text(record));
        }
        self.evidence = evidence.with(names.answer, transcript::answer(trial));
    }

    fn into_prompt(self, rules: &str, text: &str) -> Prompt {
        let evidence = self.evidence.render();
        let notes = self.notes.iter().map(String::as_str).chain(self.last);
        let parts = [text, &evidence].into_iter().chain(notes).chain([REMINDER]);
        let parts: Vec<&str> = parts.map(str::trim_end).collect();
        Prompt { system: rules.trim_end().to_owned(), user: parts.join("\n\n") }
    }
}
