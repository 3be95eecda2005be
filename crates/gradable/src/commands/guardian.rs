//! `gradable guardian`: what a scan starts to have its programs looked after. No command for people.

use mst_cli::{CliError, ExitClass, Ui};

/// Looks after a scan's programs until nothing of them is left.
pub(crate) fn run(ui: &Ui) -> ExitClass {
    #[cfg(target_os = "linux")]
    let reason = match mst_process::guard() {
        Ok(()) => return ExitClass::Success,
        Err(error) => error.to_string(),
    };
    #[cfg(not(target_os = "linux"))]
    let reason = "this system has none";
    let message = format!("`gradable guardian` is started by a scan, for itself: {reason}");
    ui.error(&CliError::new(ExitClass::Usage, message));
    ExitClass::Usage
}
