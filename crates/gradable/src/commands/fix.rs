//! `gradable fix`: the brief for the one who mends a server's descriptions.

use std::path::Path;

use mst_cli::{CliError, Env, ExitClass, Ui, wait_for};
use mst_model::ScanReport;
use mst_report::{Declared, fix_brief};

use crate::args::FixArgs;
use crate::ingest::Target;
use crate::report_file::{give, place, read_agreeing};
use crate::surface_copy;

/// Writes a fix brief.
pub(crate) fn run(args: &FixArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(()) => ExitClass::Success,
        Err(error) => {
            ui.error(&error);
            error.class
        }
    }
}

fn stages(args: &FixArgs, ui: &Ui, env: &Env) -> Result<(), CliError> {
    let report = read_agreeing(&args.report)?;
    let declared = if args.target.is_given() {
        listed(args, &report, ui, env)?
    } else {
        surface_copy::beside(&place(&args.report), &report)
    };
    give(&fix_brief(&report, &declared), args.out.as_deref(), ui)
}

/// Reads the current texts from a server or a file. They may be newer than the report, and it is said when they are.
fn listed(args: &FixArgs, report: &ScanReport, ui: &Ui, env: &Env) -> Result<Declared, CliError> {
    let target = Target::resolve(&args.target, None, env)?;
    let surface = wait_for(|cancel| async move { target.read(None, &cancel).await })?.map_err(|fault| {
        let error = CliError::new(fault.class, format!("the current texts were not read: {}", fault.reason));
        fault.hints.into_iter().fold(error, CliError::with_hint)
    })?;
    if surface.hash != report.target.surface_hash {
        let file: &Path = &args.report;
        ui.warn(&format!(
            "the surface has changed since the scan of {}; the brief holds today's texts",
            file.display()
        ));
    }
    Ok(Declared::from_tools(surface.tools.iter().map(mst_mcp::ListedTool::raw)))
}
