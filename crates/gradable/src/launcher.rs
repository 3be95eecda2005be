//! How a scan starts programs.

use mst_process::{GuardianProgram, Launcher};

/// Makes a launcher whose programs end with the scan, even when it is killed.
pub(crate) fn guarded() -> Launcher {
    // The guardian is this program again, even when its file has been replaced since.
    Launcher::guarded(GuardianProgram { path: "/proc/self/exe".into(), args: vec![crate::args::GUARDIAN.to_owned()] })
}
