//! `gradable report`: a report in another form.

use mst_cli::{CliError, ExitClass, Ui};
use mst_report::{PageLinks, scan_html, scan_markdown};

use crate::args::{ReportArgs, ReportFormat};
use crate::report_file::{give, place, read_agreeing, sarif};

/// Shows a report.
pub(crate) fn run(args: &ReportArgs, ui: &Ui) -> ExitClass {
    match shown(args, ui) {
        Ok(()) => ExitClass::Success,
        Err(error) => {
            ui.error(&error);
            error.class
        }
    }
}

fn shown(args: &ReportArgs, ui: &Ui) -> Result<(), CliError> {
    let report = read_agreeing(&args.report)?;
    let text = match args.format {
        ReportFormat::Md => scan_markdown(&report),
        // What stands beside the page is not known, so it links to nothing.
        ReportFormat::Html => scan_html(&report, PageLinks::default()),
        ReportFormat::Sarif => sarif(&report, &place(&args.report)),
    };
    give(&text, args.out.as_deref(), ui)
}
