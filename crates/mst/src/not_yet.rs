//! What the format knows and this version does not have yet: refused in one line, before anything is spent.

use mst_cli::{CliError, ExitClass};

/// Commands that a later version has.
const COMMANDS: &[&str] = &["label", "auth", "runner", "cowork", "collect", "login", "token", "generate"];

/// Every command of this version.
const PRESENT: &[&str] = &[
    "run",
    "grade",
    "batch",
    "compare",
    "plan",
    "history",
    "export",
    "runs",
    "open",
    "clients",
    "judges",
    "datasets",
    "init",
    "tools",
    "doctor",
    "demo-server",
];

/// Returns the refusal of a command that does not exist here.
pub(crate) fn command(words: &[String]) -> CliError {
    let word = words.first().map_or("", String::as_str);
    if COMMANDS.contains(&word) {
        return CliError::new(ExitClass::Usage, format!("`mst {word}` is not available in this version of mst"));
    }
    let error = CliError::new(ExitClass::Usage, format!("there is no command {word:?}"));
    match mst_cli::nearest(word, PRESENT.iter().copied()) {
        Some(near) => error.with_hint(format!("did you mean `mst {near}`?")),
        None => error.with_hint("`mst --help` lists the commands".to_owned()),
    }
}

/// Returns the refusal of a command of judges that does not exist here.
pub(crate) fn judges_command(words: &[String]) -> CliError {
    let word = words.first().map_or("", String::as_str);
    if word == "check" {
        return CliError::new(ExitClass::Usage, format!("`mst judges {word}` is not available in this version of mst"));
    }
    CliError::new(ExitClass::Usage, format!("there is no command \"judges {word}\"")).with_hint(
        "`mst judges` lists the judges, `mst judges show JUDGE` prints one, and `mst judges selftest` tries them",
    )
}

/// Flags of `mst run` that a later version has.
pub(crate) fn flag(name: &str) -> CliError {
    CliError::new(ExitClass::Usage, format!("`--{name}` is not available in this version of mst"))
}
