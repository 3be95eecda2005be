//! The guardian as a program, for the tests of this crate.

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    if mst_process::guard().is_ok() {
        return std::process::ExitCode::SUCCESS;
    }
    std::process::ExitCode::FAILURE
}
