//! The one kind of program that outlives us: a person's own, that shows something to them.

use std::io;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::program::Program;

/// How long is looked whether the program fails at once.
const LOOKS: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(50);

/// Starts a program that stays when we end, and nobody's guardian ends. It has no streams, whatever is asked for.
///
/// # Errors
/// When it cannot be started, or has failed within a second.
pub fn start_to_stay(program: &Program) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "this crate is the door; a program that stays has no group of ours")]
    let mut command = Command::new(&program.command);
    command.args(&program.args).env_clear().envs(&program.env);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    // Ctrl-C in our terminal is not meant for it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    for _ in 0..LOOKS {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(io::Error::other(format!("{} ended with {status}", program.command))),
            None => sleep(BETWEEN),
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_program_that_is_absent_or_fails_at_once_is_told() {
        let env = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
        let program = |command: &str| Program { command: command.to_owned(), env: env.clone(), ..Program::default() };
        assert!(start_to_stay(&program("true")).is_ok());
        assert!(start_to_stay(&program("no-such-program-here")).is_err());
        let failed = start_to_stay(&program("false")).expect_err("it fails");
        assert!(failed.to_string().starts_with("false ended with"), "{failed}");
    }
}
