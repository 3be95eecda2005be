//! `gradable verify`: a report against its own data and against the surface that it says it is of.

use mst_cli::{CliError, Env, ExitClass, Ui, plural, wait_for};

use mst_model::ScanReport;
use serde_json::json;

use crate::args::VerifyArgs;
use crate::commands::score::{told, verdict};
use crate::commands::surface_of;
use crate::ingest::Target;
use crate::recount::{Difference, Drift, against, drift};
use crate::report_file::{self, counted};
use crate::surface::Surface;

/// Verifies a report.
pub(crate) fn run(args: &VerifyArgs, ui: &Ui, env: &Env) -> ExitClass {
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

fn stages(args: &VerifyArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    let report = report_file::read(&args.report)?;
    let target = Target::resolve(&args.target, None, env).map_err(|error| with_own_command(error, &report))?;
    let recount = counted(&report)?;
    let surface = wait_for(|cancel| async move { surface_of(&target, &cancel).await })??;
    let drift = drift(&report, &surface);
    let mut differences = recount.differences;
    if drift.is_none() {
        differences.extend(against(&report, &surface));
    }
    let agrees = drift.is_none() && differences.is_empty();
    if args.json {
        ui.data(&json!({
            "verified": agrees,
            "score": recount.score,
            "differences": differences,
            "surface": {
                "reported": report.target.surface_hash,
                "found": surface.hash,
                "same": drift.is_none(),
                "added": drift.as_ref().map(|drift| &drift.added).cloned().unwrap_or_default(),
                "removed": drift.as_ref().map(|drift| &drift.removed).cloned().unwrap_or_default(),
                "changed": drift.as_ref().map(|drift| &drift.changed).cloned().unwrap_or_default(),
            },
        }));
    } else {
        ui.text(&told(&report.target.name, &recount.score));
        ui.text(&outcome(&differences, drift.as_ref(), &surface));
    }
    Ok(if agrees { ExitClass::Success } else { ExitClass::Failed })
}

/// Says what a report was made of, where nobody said whose surface to check it against. What a report names is not started:
/// it comes from whoever wrote the file.
fn with_own_command(error: CliError, report: &ScanReport) -> CliError {
    let error = match (&report.target.command, &report.target.url) {
        (Some(command), _) => error
            .with_hint(format!("the report is of `{}`; what a file names is not started by itself", command.join(" "))),
        (None, Some(url)) => error.with_hint(format!("the report is of {url}")),
        (None, None) => error,
    };
    error.with_hint("`gradable score` checks a report by itself")
}

fn outcome(differences: &[Difference], drift: Option<&Drift>, surface: &Surface) -> String {
    let mut lines = vec![verdict(differences)];
    let Some(drift) = drift else {
        lines.push(format!("The surface is the one of the report: {}.", plural(surface.tools.len(), "tool")));
        return lines.join("\n");
    };
    lines.push("The surface is another than that of the report:".to_owned());
    for (what, names) in [("added", &drift.added), ("removed", &drift.removed), ("changed", &drift.changed)] {
        lines.extend(names.iter().map(|name| format!("  {what}: {name}")));
    }
    if *drift == Drift::default() {
        let message = "  the same tools of the same size; a text, a schema, an annotation or the instructions changed";
        lines.push(message.to_owned());
    }
    lines.push("A report speaks of the surface that it was made of. Scan again for one of this surface.".to_owned());
    lines.join("\n")
}
