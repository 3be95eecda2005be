//! What a reader is told about the machine.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The kind of machine, which decides where programs keep their files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux and other systems with XDG folders.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// Returns the platform that this program was built for.
    pub fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// Returns the name that bundles use (Node's `process.platform`).
    pub(super) fn node_name(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::MacOs => "darwin",
            Self::Windows => "win32",
        }
    }
}

/// What a reader is told about the machine: everything that placeholders and paths may stand for.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The environment, with what the user gave beside it. Values of it never leave a reader but in
    /// [`Launch::connect`](super::Launch::connect) or where a placeholder outside of a secret asks for one.
    pub variables: BTreeMap<String, String>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder that the program was started in.
    pub folder: PathBuf,
    /// The platform.
    pub platform: Platform,
}

impl Surroundings {
    /// Returns a variable that is set and not empty.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// Returns the user's home folder, by the environment alone.
pub fn home(variables: &BTreeMap<String, String>) -> Option<PathBuf> {
    let names = if cfg!(windows) { ["USERPROFILE", "HOME"] } else { ["HOME", "USERPROFILE"] };
    names.iter().find_map(|name| variables.get(*name)).filter(|path| !path.is_empty()).map(PathBuf::from)
}
