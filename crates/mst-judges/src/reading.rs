//! Reading what a model answers.

use mst_llm::JsonAnswer;
use mst_model::Preferred;
use serde_json::{Map, Value};

use crate::ask::Answer;

/// From which score on a rubric calls an answer passable; only to show a model's contradiction.
const PASSABLE: f64 = 0.75;

/// An answer to a yes-or-no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Yes,
    No,
    Unknown,
}

/// A readable answer to a yes-or-no question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) choice: Choice,
    pub(crate) reasoning: String,
}

/// A readable answer of a rubric.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rated {
    pub(crate) score: f64,
    /// The model's own word, only where it gave no score.
    pub(crate) pass: Option<bool>,
    pub(crate) reasoning: String,
}

/// Why an answer is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// `maxTokens` ended it.
    CutOff,
    /// It holds no verdict, or one that breaks the form.
    NoVerdict(String),
}

/// A readable answer to a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Favoured {
    pub(crate) preference: Preferred,
    pub(crate) reasoning: String,
}

/// Reads the last `{ answer, reasoning }` object.
pub(crate) fn said(answer: &Answer) -> Result<Said, Unread> {
    let object = chosen(answer, "answer", "{answer, reasoning}")?;
    let choice = match word(&object, "answer").as_str() {
        "yes" => Choice::Yes,
        "no" => Choice::No,
        "unknown" => Choice::Unknown,
        _ => return Err(no_verdict(format!("its answer is {}, not yes, no or unknown", short(&object["answer"])))),
    };
    Ok(Said { choice, reasoning: reasoning(&object) })
}

/// Reads the last `{ preferred, reasoning }` object; A is what was shown as the baseline.
pub(crate) fn favoured(answer: &Answer) -> Result<Favoured, Unread> {
    let object = chosen(answer, "preferred", "{preferred, reasoning}")?;
    let preference = match word(&object, "preferred").as_str() {
        "a" => Preferred::Baseline,
        "b" => Preferred::Candidate,
        "tie" => Preferred::Tie,
        _ => return Err(no_verdict(format!("its preferred is {}, not A, B or tie", short(&object["preferred"])))),
    };
    Ok(Favoured { preference, reasoning: reasoning(&object) })
}

/// Returns the last object with a key. What cut the answer off may have cut off a later one, unless the object is the end.
fn chosen(answer: &Answer, key: &str, form: &str) -> Result<Map<String, Value>, Unread> {
    if answer.is_cut_off && !ends_with_object(&answer.text) {
        return Err(Unread::CutOff);
    }
    let object = last(answer, |object| object.contains_key(key), form);
    object.map_err(|unread| if answer.is_cut_off { Unread::CutOff } else { unread })
}

/// Returns a key's word in lower case; nothing when it is no text.
fn word(object: &Map<String, Value>, key: &str) -> String {
    object[key].as_str().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Reads the last `{ pass, score, reasoning }` object; one without a score only where there is none with one.
pub(crate) fn rated(answer: &Answer) -> Result<Rated, Unread> {
    let has = |object: &Map<String, Value>, keys: &[&str]| keys.iter().all(|key| object.contains_key(*key));
    if answer.is_cut_off {
        return Err(Unread::CutOff);
    }
    let scored = last(answer, |object| has(object, &["pass", "score", "reasoning"]), "{pass, score, reasoning}");
    let object = match scored {
        Ok(object) => object,
        Err(unread) => {
            let passed =
                last(answer, |object| has(object, &["pass", "reasoning"]) && !object.contains_key("score"), "");
            let Ok(object) = passed else { return Err(unread) };
            let pass = object["pass"].as_bool();
            let pass =
                pass.ok_or_else(|| no_verdict(format!("it has no score, and its pass is {}", short(&object["pass"]))))?;
            let score = if pass { 1.0 } else { 0.0 };
            return Ok(Rated { score, pass: Some(pass), reasoning: reasoning(&object) });
        }
    };
    let value = &object["score"];
    let score = value.as_f64().filter(|score| (0.0..=1.0).contains(score));
    let score = score.ok_or_else(|| no_verdict(format!("its score is {}, not a number from 0 to 1", short(value))))?;
    let mut reasoning = reasoning(&object);
    if let Some(pass) = object["pass"].as_bool().filter(|pass| *pass != (score >= PASSABLE)) {
        let word = if pass { "a pass" } else { "a fail" };
        let conflict = format!("[The model called it {word} with a score of {score}; the score counts.]");
        reasoning = if reasoning.is_empty() { conflict } else { format!("{reasoning} {conflict}") };
    }
    Ok(Rated { score, pass: None, reasoning })
}

fn last(
    answer: &Answer,
    is_verdict: impl Fn(&Map<String, Value>) -> bool,
    form: &str,
) -> Result<Map<String, Value>, Unread> {
    let read = JsonAnswer::read(&answer.text);
    let why = if answer.text.trim().is_empty() {
        "it is empty".to_owned()
    } else if read.is_unfinished {
        "it ends inside a JSON object".to_owned()
    } else if read.objects.is_empty() {
        "it holds no JSON object".to_owned()
    } else {
        format!("it holds no object {form}")
    };
    read.last(is_verdict).ok_or_else(|| no_verdict(why))
}

fn no_verdict(why: String) -> Unread {
    Unread::NoVerdict(why)
}

/// Returns whether a text ends with an object, so that what cut it off cut off nothing that counts.
fn ends_with_object(text: &str) -> bool {
    text.trim_end().trim_end_matches('`').trim_end().ends_with('}')
}

fn reasoning(object: &Map<String, Value>) -> String {
    match object.get("reasoning") {
        Some(Value::String(text)) => text.trim().to_owned(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    }
}

/// Returns a value as an error shows it.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Asked;

    fn answer(text: &str, is_cut_off: bool) -> Answer {
        Answer { text: text.to_owned(), is_cut_off, asked: Asked::default() }
    }

    #[test]
    fn fc21_fc22_a_rubric_is_read_from_the_last_whole_verdict_or_not_at_all() {
        let example = r#"If it were fine I'd say {"pass":true,"score":1,"reasoning":"x"}. It isn't: "#;
        let no = |why: &str| Err(Unread::NoVerdict(why.to_owned()));
        for (text, is_cut_off, want) in [
            ("```json\n{\"pass\":true,\"score\":1,\"reasoning\":\"ok\"}\n```".to_owned(), false, Ok((1.0, None, "ok"))),
            (
                format!(r#"{example}{{"pass":false,"score":0.25,"reasoning":"wrong bin"}}"#),
                false,
                Ok((0.25, None, "wrong bin")),
            ),
            (
                r#"{"pass":true,"score":1,"reasoning":"It printed ```json {\"a\":{}}``` as asked, } included"}"#
                    .to_owned(),
                false,
                Ok((1.0, None, r#"It printed ```json {"a":{}}``` as asked, } included"#)),
            ),
            (r#"{"pass":true,"score":0.75,"reasoning":"f"} {"note":"done"}"#.to_owned(), false, Ok((0.75, None, "f"))),
            ("Done.".to_owned(), false, no("it holds no JSON object")),
            (String::new(), false, no("it is empty")),
            (format!(r#"{example}{{"pass":false,"sco"#), true, Err(Unread::CutOff)),
            (format!("{example} …"), true, Err(Unread::CutOff)),
            (format!(r#"{example}{{"pass":false,"sco"#), false, no("it ends inside a JSON object")),
            ("{'pass': True, 'score': 1}".to_owned(), false, no("it holds no JSON object")),
            (r#"{"reasoning":"good"}"#.to_owned(), false, no("it holds no object {pass, score, reasoning}")),
            (
                r#"{"pass":true,"score":0,"reasoning":"?"}"#.to_owned(),
                false,
                Ok((0.0, None, "? [The model called it a pass with a score of 0; the score counts.]")),
            ),
            (
                r#"{"pass":false,"score":1,"reasoning":""}"#.to_owned(),
                false,
                Ok((1.0, None, "[The model called it a fail with a score of 1; the score counts.]")),
            ),
            (
                r#"{"pass":true,"score":9,"reasoning":""}"#.to_owned(),
                false,
                no("its score is 9, not a number from 0 to 1"),
            ),
            (
                r#"{"pass":true,"score":null,"reasoning":""}"#.to_owned(),
                false,
                no("its score is null, not a number from 0 to 1"),
            ),
            (
                r#"{"pass":true,"score":"0.9","reasoning":""}"#.to_owned(),
                false,
                no("its score is \"0.9\", not a number from 0 to 1"),
            ),
            (r#"{"pass":true,"reasoning":"r"}"#.to_owned(), false, Ok((1.0, Some(true), "r"))),
            (r#"{"pass":"yes","reasoning":"r"}"#.to_owned(), false, no("it has no score, and its pass is \"yes\"")),
        ] {
            let want = want.map(|(score, pass, reasoning)| Rated { score, pass, reasoning: reasoning.to_owned() });
            assert_eq!(rated(&answer(&text, is_cut_off)), want, "{text}");
        }
    }

    #[test]
    fn a_yes_or_no_answer_is_read_from_the_last_whole_verdict_or_not_at_all() {
        let example = r#"Good would be {"answer":"yes","reasoning":"x"}. Here: "#;
        let no = |why: &str| Err(Unread::NoVerdict(why.to_owned()));
        for (text, is_cut_off, want) in [
            (r#"{"answer":"yes","reasoning":" it is "}"#.to_owned(), false, Ok((Choice::Yes, "it is"))),
            (format!(r#"{example}{{"answer":"No","reasoning":"it is not"}}"#), false, Ok((Choice::No, "it is not"))),
            ("```\n{\"answer\":\"unknown\"}\n```".to_owned(), true, Ok((Choice::Unknown, ""))),
            (format!(r#"{example}{{"answer":"n"#), true, Err(Unread::CutOff)),
            (format!("{example} well"), true, Err(Unread::CutOff)),
            (format!(r#"{example}{{"list":[{{"answer":"no"}}"#), true, Err(Unread::CutOff)),
            (format!(r#"{example}{{"answer":"n"#), false, no("it ends inside a JSON object")),
            ("yes".to_owned(), false, no("it holds no JSON object")),
            (r#"{"verdict":"yes"}"#.to_owned(), false, no("it holds no object {answer, reasoning}")),
            (r#"{"answer":true}"#.to_owned(), false, no("its answer is true, not yes, no or unknown")),
            (
                r#"{"answer":"yes|no|unknown"}"#.to_owned(),
                false,
                no("its answer is \"yes|no|unknown\", not yes, no or unknown"),
            ),
        ] {
            let want = want.map(|(choice, reasoning)| Said { choice, reasoning: reasoning.to_owned() });
            assert_eq!(said(&answer(&text, is_cut_off)), want, "{text}");
        }
    }

    #[test]
    fn a_comparison_is_read_from_the_last_whole_verdict_or_not_at_all() {
        let no = |why: &str| Err(Unread::NoVerdict(why.to_owned()));
        for (text, is_cut_off, want) in [
            (r#"{"preferred":"A","reasoning":"r"}"#, false, Ok((Preferred::Baseline, "r"))),
            (r#"{"preferred":"A"} and yet {"preferred":"b","reasoning":"r"}"#, false, Ok((Preferred::Candidate, "r"))),
            (r#"{"preferred":"tie","reasoning":"r"} {"note":1}"#, false, Ok((Preferred::Tie, "r"))),
            (r#"{"preferred":"A"} and yet {"pref"#, true, Err(Unread::CutOff)),
            (r#"{"preferred":"both"}"#, false, no("its preferred is \"both\", not A, B or tie")),
            (r#"{"answer":"A"}"#, false, no("it holds no object {preferred, reasoning}")),
        ] {
            let want = want.map(|(preference, reasoning)| Favoured { preference, reasoning: reasoning.to_owned() });
            assert_eq!(favoured(&answer(text, is_cut_off)), want, "{text}");
        }
    }
}
