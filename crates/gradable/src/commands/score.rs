//! `gradable score`: a report's score, computed again from the file alone.

use mst_cli::{CliError, ExitClass, Ui, plural};

use mst_measure::rubric::{shown_points, shown_total};
use mst_model::RubricScore;
use serde_json::json;

use crate::args::ScoreArgs;
use crate::recount::{Difference, Recount};
use crate::report_file::{self, counted};

/// Computes a report again.
pub(crate) fn run(args: &ScoreArgs, ui: &Ui) -> ExitClass {
    match stages(args, ui) {
        Ok(class) => class,
        Err(error) => {
            if args.json {
                ui.data(&error.to_json());
            }
            ui.error(&error);
            error.class
        }
    }
}

fn stages(args: &ScoreArgs, ui: &Ui) -> Result<ExitClass, CliError> {
    let report = report_file::read(&args.report)?;
    let Recount { score, differences } = counted(&report)?;
    if args.json {
        ui.data(&json!({ "score": score, "differences": differences }));
    } else {
        ui.text(&told(&report.target.name, &score));
        ui.text(&verdict(&differences));
    }
    Ok(if differences.is_empty() { ExitClass::Success } else { ExitClass::Failed })
}

/// Returns a score as it is shown.
pub(crate) fn told(name: &str, score: &RubricScore) -> String {
    let mut lines =
        vec![format!("{name}: {} of 100, grade {}", shown_total(score.total, score.grade), score.grade.as_str())];
    for (name, category) in score.categories.named() {
        lines.push(format!("  {name:<16}{:>5} of {}", shown_points(category.score), category.max));
    }
    lines.join("\n")
}

/// Returns what was compared, and each place that differs.
pub(crate) fn verdict(differences: &[Difference]) -> String {
    if differences.is_empty() {
        return "\nComputed from the report's own data; everything in it agrees.".to_owned();
    }
    let count = plural(differences.len(), "place");
    let mut lines = vec![format!("\nComputed from the report's own data, which does not agree with it in {count}:")];
    lines.extend(differences.iter().map(|difference| format!("  {}: {}", difference.path, difference.message)));
    lines.join("\n")
}
