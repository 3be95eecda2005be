//! `mst demo-server`.

use mst_cli::ExitClass;

use crate::demo_server::serve;

/// Serves until stdin ends. A client that went away is a normal end.
pub(crate) fn run() -> ExitClass {
    match serve(std::io::stdin().lock(), std::io::stdout().lock()) {
        Ok(()) => ExitClass::Success,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitClass::Success,
        Err(_) => ExitClass::Machine,
    }
}
