//! A row a trial, as RFC 4180 has it.
//!
//! A text cell that a spreadsheet would run as a formula (one that begins with `=`, `+`, `-`, `@`, a tab or a carriage return)
//! gets an apostrophe in front, which spreadsheets take for "this is text". Columns of numbers hold numbers alone. The exact
//! texts are in `jsonl`.

use std::fmt::Write as _;

use mst_model::{Ending, GraderName, GraderScore, RunRecord, Usage};
use mst_otlp::GradedTrial;
use mst_store::{RunReader, StoreError};

use super::sink::Sink;

/// The columns before those of the graders.
const COLUMNS: &[&str] = &[
    "run_id",
    "eval",
    "variant",
    "client",
    "model",
    "dataset",
    "case_id",
    "trial",
    "pass",
    "ending",
    "broke",
    "error",
    "grading_error",
    "started_at",
    "completed_at",
    "duration_ms",
    "model_calls",
    "tool_calls",
    "failed_tool_calls",
    "input_tokens",
    "output_tokens",
    "cost_usd",
];

pub(super) fn write(reader: &RunReader, sink: &mut Sink<'_>) -> Result<(), StoreError> {
    let graders = reader.grader_names()?;
    let mut head = Row::default();
    for column in COLUMNS {
        head.text(Some(column));
    }
    for grader in &graders {
        head.text(Some(&format!("{grader} verdict"))).text(Some(&format!("{grader} score")));
    }
    sink.text(&head.line)?;
    let record = reader.record().view();
    super::each(reader, sink, |sink, graded| sink.text(&row(record, &graders, graded)))
}

fn row(record: &RunRecord, graders: &[GraderName], graded: &GradedTrial) -> String {
    let GradedTrial { trial, scores, pass } = graded;
    let variant = record.variants.iter().find(|variant| variant.name == trial.variant);
    let transcript = trial.transcript.as_ref();
    let usage = trial.client_usage.as_ref().or_else(|| transcript?.usage.as_ref());
    let (ending, broke) = match &trial.ending {
        Ending::Trial => ("trial", None),
        Ending::Infrastructure { broke, .. } => {
            ("infrastructure", serde_json::to_value(broke).ok().and_then(|broke| broke.as_str().map(str::to_owned)))
        }
    };
    let time = |time: Option<mst_model::Timestamp>| time.map(|time| time.to_string());
    let calls = || transcript.iter().flat_map(|transcript| &transcript.events).filter(|event| event.is_tool_call());
    let mut row = Row::default();
    row.text(Some(record.run_id.as_str()))
        .text(Some(&record.eval_name))
        .text(Some(trial.variant.as_str()))
        .text(variant.and_then(|variant| variant.client.as_deref()))
        .text(variant.and_then(|variant| variant.model.as_deref()))
        .text(Some(&trial.dataset_name))
        .text(Some(trial.case_id.as_str()))
        .number(Some(trial.trial))
        .number(*pass)
        .text(Some(ending))
        .text(broke.as_deref())
        .text(trial.error.as_deref())
        .text(trial.grading_error.as_deref())
        .text(time(transcript.and_then(|transcript| transcript.started_at)).as_deref())
        .text(time(transcript.and_then(|transcript| transcript.completed_at)).as_deref())
        .number(Some(trial.duration_ms))
        .number(transcript.and_then(|transcript| transcript.model_calls.as_ref()).map(Vec::len))
        .number(transcript.map(|_| calls().count()))
        .number(transcript.map(|_| calls().filter(|event| event.is_error == Some(true)).count()))
        .number(usage.and_then(Usage::total_input_tokens))
        .number(usage.and_then(|usage| usage.output_tokens))
        .number(usage.and_then(Usage::cost_usd));
    for grader in graders {
        let score = scores.get(grader);
        row.text(score.map(verdict)).number(score.and_then(|score| score.score));
    }
    row.line
}

/// Says in a word what a grader said.
fn verdict(score: &GraderScore) -> &'static str {
    if score.skipped == Some(true) {
        "skipped"
    } else if score.error.is_some() {
        "no verdict"
    } else if score.unknown == Some(true) {
        "unknown"
    } else if score.pass {
        "pass"
    } else {
        "fail"
    }
}

/// A row under way. What is not known is an empty cell.
#[derive(Default)]
struct Row {
    line: String,
    has_cell: bool,
}

impl Row {
    fn text(&mut self, text: Option<&str>) -> &mut Self {
        self.next();
        let text = text.unwrap_or_default();
        let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
        if text.contains(['"', ',', '\n', '\r']) {
            let _written = write!(self.line, "\"{guard}{}\"", text.replace('"', "\"\""));
        } else {
            let _written = write!(self.line, "{guard}{text}");
        }
        self
    }

    fn number(&mut self, number: Option<impl std::fmt::Display>) -> &mut Self {
        self.next();
        if let Some(number) = number {
            let _written = write!(self.line, "{number}");
        }
        self
    }

    fn next(&mut self) {
        if self.has_cell {
            self.line.push(',');
        }
        self.has_cell = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be_and_formulas_are_texts() {
        for (text, want) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=SUM(A1)", "'=SUM(A1)"),
            ("-1,5", "\"'-1,5\""),
            ("@x", "'@x"),
            ("\t=1", "'\t=1"),
            (" =1", " =1"),
        ] {
            let mut row = Row::default();
            row.text(Some(text));
            assert_eq!(row.line, want, "{text:?}");
        }
        let mut row = Row::default();
        row.text(None).number(Some(-1.5)).number(None::<u8>).text(Some("x"));
        assert_eq!(row.line, ",-1.5,,x");
    }
}
