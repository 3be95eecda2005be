//! `gradable diff`: two surfaces, or reports of them, compared.

use mst_cli::{CliError, Env, ExitClass, Ui, plural, wait_for};
use mst_measure::rubric::shown_points;

use crate::args::{DiffArgs, FailOn};
use crate::diff::{Change, Diff, Kind, Side, diff};

/// Compares.
pub(crate) fn run(args: &DiffArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
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

fn stages(args: &DiffArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    let found = wait_for(|cancel| async move {
        let a = Side::read(&args.a, env, &cancel).await?;
        let b = Side::read(&args.b, env, &cancel).await?;
        Ok::<Diff, CliError>(diff(&a, &b, &cancel).await)
    })??;
    if args.json {
        ui.data(&found);
    } else {
        ui.text(&told(&found));
    }
    let least = args.fail_on.map(|fail_on| match fail_on {
        FailOn::Breaking => Kind::Breaking,
        FailOn::Risky => Kind::Risky,
        FailOn::Neutral => Kind::Neutral,
    });
    // Kinds are ordered from the worst.
    let fails = least.is_some_and(|least| found.changes.iter().any(|change| change.kind <= least));
    Ok(if fails { ExitClass::Failed } else { ExitClass::Success })
}

fn told(found: &Diff) -> String {
    let mut lines = vec![headline(found)];
    for kind in [Kind::Breaking, Kind::Risky, Kind::Neutral] {
        let changes: Vec<&Change> = found.changes.iter().filter(|change| change.kind == kind).collect();
        if changes.is_empty() {
            continue;
        }
        lines.push(format!("\n{}:", kind.as_str()));
        for change in changes {
            let about = change.tool.as_deref().unwrap_or("the server");
            let place = if change.pointer.is_empty() { String::new() } else { format!(" at {}", change.pointer) };
            lines.push(format!("  {about}: {} ({}){place}", change.message, change.what));
        }
    }
    lines.push(String::new());
    let tokens = found.tokens;
    lines.push(format!("Definitions: {:.0} tokens, then {:.0} ({:+.0}).", tokens.a, tokens.b, tokens.change));
    lines.extend(pairs(found));
    if let Some(score) = found.score {
        lines.push(format!("Score: {}, then {} ({:+.1}).", shown_points(score.a), shown_points(score.b), score.change));
    }
    lines.extend(found.cannot_tell.iter().map(|what| format!("Cannot tell {what}.")));
    lines.join("\n")
}

fn headline(found: &Diff) -> String {
    if found.same_surface {
        return format!("{} and {} declare the same.", found.a, found.b);
    }
    let counts =
        [Kind::Breaking, Kind::Risky, Kind::Neutral].map(|kind| format!("{} {}", found.count(kind), kind.as_str()));
    format!("{} to {}: {}.", found.a, found.b, counts.join(", "))
}

fn pairs(found: &Diff) -> Vec<String> {
    let Some(pairs) = &found.confusable_pairs else { return Vec::new() };
    let count = pairs.added.len() + pairs.removed.len() + pairs.changed.len();
    if count == 0 {
        return vec![format!("Tools that are easily mistaken, by {}: the same.", pairs.judged_by)];
    }
    let mut lines =
        vec![format!("Tools that are easily mistaken, by {}: {}.", pairs.judged_by, plural(count, "change"))];
    for (sign, list) in [("new", &pairs.added), ("gone", &pairs.removed)] {
        lines.extend(
            list.iter().map(|pair| format!("  {sign}: {} and {} ({})", pair.a, pair.b, pair.severity.as_str())),
        );
    }
    lines.extend(
        pairs.changed.iter().map(|pair| {
            format!("  {} and {}: was {}, is {}", pair.a, pair.b, pair.before.as_str(), pair.after.as_str())
        }),
    );
    lines
}
