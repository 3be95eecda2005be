//! The environment of a stdio server.

use std::collections::BTreeMap;

use mst_model::StdioServer;

/// Variables that every server gets: what a program needs to find itself, its user and its language.
const SAFE: &[&str] = if cfg!(windows) {
    &[
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
    ]
} else {
    &["PATH", "HOME", "USER", "SHELL", "TERM", "LANG", "TMPDIR", "LOGNAME"]
};

/// Returns a server's whole environment: the safe variables (all of them with `inheritEnv`), then its own.
///
/// A shell function exported into the environment is left out of the safe ones: it is code, not a setting.
pub(crate) fn environment(server: &StdioServer, base: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut environment: BTreeMap<String, String> = base
        .iter()
        .filter(|(name, value)| server.inherit_env || (is_safe(name) && !value.starts_with("()")))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    environment.extend(server.env.iter().map(|(name, value)| (name.clone(), value.clone())));
    environment
}

fn is_safe(name: &str) -> bool {
    if cfg!(windows) {
        return SAFE.iter().any(|safe| safe.eq_ignore_ascii_case(name));
    }
    SAFE.contains(&name) || name.starts_with("LC_")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn base() -> BTreeMap<String, String> {
        [("PATH", "/bin"), ("LC_ALL", "C"), ("TERM", "() { :; }"), ("ACME_TOKEN", "t")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    #[test]
    fn only_safe_and_declared_variables_reach_a_server() {
        let mut server = StdioServer::default();
        server.env.insert("MODE".to_owned(), "x".to_owned());
        let names = |server: &StdioServer| environment(server, &base()).into_keys().collect::<Vec<_>>();
        assert_eq!(names(&server), ["LC_ALL", "MODE", "PATH"]);
        server.inherit_env = true;
        assert_eq!(names(&server), ["ACME_TOKEN", "LC_ALL", "MODE", "PATH", "TERM"]);
    }
}
