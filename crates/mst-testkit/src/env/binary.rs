//! Finds the workspace's programs beside the running test.

use std::path::PathBuf;

/// Finds a program of the workspace in the target folder that the running test was built into.
///
/// A test of another crate does not build it: when it is absent, or older than its sources, the test command has to
/// build the program's package too.
///
/// # Panics
/// When the program is absent, with the command that builds it.
pub fn find_binary(name: &str, package: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running program knows its own path");
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    // A test runs in target/<profile>/deps, an example in target/<profile>/examples, a program in target/<profile>.
    let found = test.ancestors().skip(1).take(2).map(|folder| folder.join(&file)).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("the program `{name}` is not beside {}; build it with `cargo build -p {package}`", test.display())
    })
}

/// Finds `mst-fake`.
///
/// # Panics
/// When it was not built.
pub fn fake_binary() -> PathBuf {
    find_binary("mst-fake", "mst-testkit")
}
