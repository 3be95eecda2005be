//! The arguments of a stdio server without the secrets among them.

use super::placeholder::{Expanded, is_variable};
use super::script::without_values;
use super::secret::is_secret_word;

/// Programs that take a script as an argument.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ash", "ksh", "busybox"];

/// Arguments to connect with, and those that may be written.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// With every value.
    pub(super) connect: Vec<String>,
    /// Without a secret.
    pub(super) written: Vec<String>,
    /// Values that stood in the arguments and are variables of the server's environment now.
    pub(super) moved: Vec<(String, String)>,
    /// Variables that the program passes on by name.
    pub(super) passed: Vec<String>,
    /// What was left out, and why.
    pub(super) notes: Vec<String>,
}

/// How the program takes variables for the server among its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// It does not.
    Plainly,
    /// As assignments in a script.
    Script,
    /// As `NAME=VALUE` before the program that it starts.
    Env,
    /// As `NAME=VALUE` too, and it gives the server no other.
    EmptyEnv,
    /// As `-e NAME=VALUE`, or `-e NAME` for one of its own.
    Container,
}

impl Runs {
    fn of(command: &str, args: &[Expanded]) -> Self {
        let stem = command.rsplit(['/', '\\']).next().unwrap_or(command);
        let clears = |arg: &Expanded| matches!(arg.text.as_str(), "-i" | "-" | "--ignore-environment");
        match stem {
            shell if SHELLS.contains(&shell) => Self::Script,
            "env" if args.iter().any(clears) => Self::EmptyEnv,
            "env" => Self::Env,
            "docker" | "podman" => Self::Container,
            _ => Self::Plainly,
        }
    }
}

impl Arguments {
    /// Goes through the arguments of a program.
    ///
    /// # Errors
    /// A secret in a place from which it can neither be taken out nor left out, as a lowercase fragment without the value.
    pub(super) fn of(command: &str, args: &[Expanded]) -> Result<Self, String> {
        let runs = Runs::of(command, args);
        let mut out = Self::default();
        for (at, arg) in args.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| args[before].text.as_str());
            out.add(runs, (at, arg), before)?;
        }
        Ok(out)
    }

    fn add(&mut self, runs: Runs, (at, arg): (usize, &Expanded), before: Option<&str>) -> Result<(), String> {
        if before.is_some_and(is_script_flag) && (runs == Runs::Script || arg.text.contains(char::is_whitespace)) {
            return self.add_script(runs, arg);
        }
        let name = arg.text.split_once('=').map(|(name, _)| name).filter(|name| is_variable(name));
        let Some(what) = is_secret_word(before, &arg.text).or_else(|| arg.secret.then(String::new)) else {
            self.connect.push(arg.text.clone());
            self.written.push(arg.text.clone());
            return Ok(());
        };
        match (runs, name) {
            (Runs::Env, Some(name)) => {
                self.moved.push((name.to_owned(), arg.text[name.len() + 1..].to_owned()));
                return Ok(());
            }
            (Runs::Container, Some(name)) if matches!(before, Some("-e" | "--env")) => {
                // Such a program passes a variable on when it is given the name alone.
                self.connect.push(arg.text.clone());
                self.written.push(name.to_owned());
                self.passed.push(name.to_owned());
                return Ok(());
            }
            _ => {}
        }
        self.connect.push(arg.text.clone());
        let flag = before.filter(|_| runs != Runs::EmptyEnv);
        let flag = flag.filter(|flag| flag.starts_with('-') && !flag.contains('=') && !arg.text.starts_with('-'));
        let left_out = match (flag, what.strip_prefix("a secret in ")) {
            (Some(flag), _) => {
                self.written.pop();
                format!("the argument {flag} is left out")
            }
            (None, Some(name)) => format!("the argument {name} is left out"),
            (None, None) => format!("argument {} is left out", at + 1),
        };
        let holds = if what.starts_with("a URL") { what.as_str() } else { "a secret" };
        self.notes.push(format!("{left_out}: it holds {holds}, and an eval config takes no argument from a variable"));
        Ok(())
    }

    fn add_script(&mut self, runs: Runs, arg: &Expanded) -> Result<(), String> {
        let refused = |what: &str| {
            format!(
                "the script among its arguments holds {what}; write \"$NAME\" there and give the value as a variable of \
                 its environment"
            )
        };
        let script = without_values(&arg.text).map_err(|what| refused(&what))?;
        match script.values.first() {
            Some((name, _)) if runs != Runs::Script => return Err(refused(&format!("a secret assigned to {name}"))),
            None if arg.secret => return Err(refused("a secret from elsewhere")),
            _ => {}
        }
        self.connect.push(script.text.clone());
        self.written.push(script.text);
        for (name, value) in script.values {
            if let Some((_, other)) = self.moved.iter().find(|(known, _)| *known == name)
                && *other != value
            {
                return Err(refused(&format!("a secret assigned to {name}")));
            }
            self.moved.push((name, value));
        }
        Ok(())
    }
}

/// Returns whether a flag of a shell says that a script follows: `-c`, `-lc`, `-ec`.
fn is_script_flag(flag: &str) -> bool {
    flag.strip_prefix('-')
        .and_then(|rest| rest.strip_suffix('c'))
        .is_some_and(|rest| rest.len() <= 4 && rest.chars().all(|char| char.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &[&str]) -> Result<Arguments, String> {
        let args: Vec<Expanded> =
            line[1..].iter().map(|text| Expanded { text: (*text).to_owned(), ..Expanded::default() }).collect();
        Arguments::of(line[0], &args)
    }

    #[test]
    fn secrets_among_arguments_are_left_out_moved_or_refused() {
        for (line, written, told) in [
            (&["parts", "--mode", "x", "."][..], &["--mode", "x", "."][..], ""),
            (&["parts", "--token", "hidden"], &[], "the argument --token is left out"),
            (&["parts", "--password=hidden", "."], &["."], "the argument --password is left out"),
            (&["parts", "-k", "hidden"], &[], "the argument -k is left out"),
            (&["parts", "-khidden01234567890AbCdEfGh"], &[], "argument 1 is left out"),
            (&["parts", "-k", "--verbose"], &["-k", "--verbose"], ""),
            (&["parts", "--pass", "hidden"], &[], "the argument --pass is left out"),
            (
                &["parts", "postgres://u:hidden@h/db"],
                &[],
                "argument 1 is left out: it holds a URL with a password or a key",
            ),
            (&["parts", "https://h/mcp?api_key=hidden"], &[], "argument 1 is left out: it holds a URL"),
            (&["parts", "https://h/mcp?page=2"], &["https://h/mcp?page=2"], ""),
            (&["parts", "--db=postgres://u:hidden@h/db"], &[], "the argument --db is left out"),
            (&["parts", "aB3dE5gH7jK9mN1pQ3sT5vX7hidden"], &[], "argument 1 is left out"),
            (&["npx", "-y", "@acme/server-parts@2026.8.31"], &["-y", "@acme/server-parts@2026.8.31"], ""),
            (&["parts", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"], &["3f2504e0-4f89-11d3-9a0c-0305e82c3301"], ""),
            (&["env", "A_TOKEN=hidden", "MODE=x", "parts"], &["MODE=x", "parts"], ""),
            (&["env", "-i", "A_TOKEN=hidden", "parts"], &["-i", "parts"], "the argument A_TOKEN is left out"),
            (&["docker", "run", "-e", "A_TOKEN=hidden", "i"], &["run", "-e", "A_TOKEN", "i"], ""),
            (&["sh", "-c", "A_TOKEN=hidden exec parts"], &["-c", "A_TOKEN=\"$A_TOKEN\" exec parts"], ""),
            (&["sh", "-c", "exec parts"], &["-c", "exec parts"], ""),
        ] {
            let made = of(line).unwrap_or_else(|fault| panic!("{line:?}: {fault}"));
            assert_eq!(made.written, written, "{line:?}");
            let notes = made.notes.join("; ");
            assert!(notes.starts_with(told) && notes.is_empty() == told.is_empty(), "{line:?}: {notes}");
            assert!(!notes.contains("hidden"), "{line:?}: {notes}");
        }
        let moved = |line: &[&str]| of(line).expect("arguments").moved;
        let hidden = [("A_TOKEN".to_owned(), "hidden".to_owned())];
        assert_eq!(moved(&["env", "A_TOKEN=hidden", "parts"]), hidden);
        assert_eq!(moved(&["/bin/sh", "-ec", "A_TOKEN=hidden exec parts"]), hidden);
    }

    #[test]
    fn a_secret_that_cannot_be_taken_out_of_a_script_is_refused_by_what_it_is() {
        for (line, want) in [
            (["bash", "-c", "exec parts --token hidden"], "a secret after --token"),
            (["wsl", "-c", "A_TOKEN=hidden parts"], "a secret assigned to A_TOKEN"),
        ] {
            let fault = of(&line).expect_err("refused");
            assert!(fault.contains(want) && !fault.contains("hidden"), "{line:?}: {fault}");
        }
    }
}
