//! Development tasks: files that are generated from the code, and the check that they are what the code says and that the
//! pages of the docs hang together.

mod docs;
mod generated;
mod reference;
mod schemas;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask generate [--check]";

#[expect(clippy::print_stderr, reason = "a development task talks to the developer")]
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["generate"] => generated::write(),
        ["generate", "--check"] => generated::check(),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
