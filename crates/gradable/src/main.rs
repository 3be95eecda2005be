//! The `gradable` binary: scans a server's declared tools and grades them. It never executes a tool.

mod args;
mod capabilities;
mod commands;
mod definition;
mod destructive;
mod diff;
mod harness;
mod ingest;
mod judge;
mod launcher;
mod lint;
mod output;
mod parameters;
mod reasons;
mod recount;
mod report_file;
mod responses;
mod scan;
mod surface;
mod surface_copy;
mod tape;
mod validity;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use mst_cli::{CliError, Env, ExitClass, Ui};

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let env = Env::read();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error, &env),
    };
    let ui = Ui::new(&env, cli.global.quiet);
    mst_cli::start_logging(&env, cli.global.verbose);
    let class = match cli.command {
        Command::Scan(args) => commands::scan::run(&args, &ui, &env),
        Command::Report(args) => commands::report::run(&args, &ui),
        Command::Fix(args) => commands::fix::run(&args, &ui, &env),
        Command::Leaderboard(args) => commands::leaderboard::run(&args, &ui),
        Command::Score(args) => commands::score::run(&args, &ui),
        Command::Verify(args) => commands::verify::run(&args, &ui, &env),
        Command::Diff(args) => commands::diff::run(&args, &ui, &env),
        Command::Lint(args) => commands::lint::run(&args, &ui, &env),
        Command::Guardian => commands::guardian::run(&ui),
    };
    match ui.output_error() {
        Some(error) => {
            ui.error(&error);
            ExitClass::first([error.class, class]).into()
        }
        None => class.into(),
    }
}

/// Prints what clap has to say: help and version on stdout, mistakes on stderr with exit code 2.
fn usage(error: &clap::Error, env: &Env) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A closed pipe ends quietly.
            let _closed = error.print();
            ExitCode::SUCCESS
        }
        _ => {
            let ui = Ui::new(env, false);
            let text = error.render().to_string();
            if std::env::args_os().any(|arg| arg == "--json") {
                let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
                ui.data(&CliError::new(ExitClass::Usage, first).to_json());
            }
            ui.raw_error(&mst_cli::printable(&text));
            ExitClass::Usage.into()
        }
    }
}
