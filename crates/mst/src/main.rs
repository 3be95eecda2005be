//! The `mst` binary: flags, wiring of built-ins, and what is printed.

mod args;
mod budget;
mod builtins;
mod ci;
mod commands;
mod demo_server;
mod error;
mod execution;
mod failure;
mod history_page;
mod not_yet;
mod observer;
mod preferences;
mod previous;
mod publish;
mod report_files;
mod result_store;
mod screen;
mod selection;
mod signals;
mod tape;
mod telemetry;
mod variables;

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
        Command::Run(args) => commands::run::run(&args, &ui, &env),
        Command::Grade(args) => commands::grade::run(&args, &ui, &env),
        Command::Batch(args) => commands::batch::run(&args, &ui, &env),
        Command::Compare(args) => commands::compare::run(&args, &ui),
        Command::History(args) => commands::history::run(&args, &ui),
        Command::Export(args) => commands::export::run(&args, &ui, &env),
        Command::Runs(args) => commands::runs::run(&args, &ui),
        Command::Open(args) => commands::open::run(&args, &ui, &env),
        Command::Plan(args) => commands::plan::run(&args, &ui),
        Command::Datasets(args) => commands::datasets::run(&args, &ui),
        Command::Clients(args) => commands::clients::run(&args, &ui),
        Command::Judges(args) => commands::judges::run(&args, &ui, &env),
        Command::Init(args) => commands::init::run(&args, &ui, &env),
        Command::Tools(args) => commands::tools::run(&args, &ui, &env),
        Command::Doctor(args) => commands::doctor::run(&args, &ui, &env),
        Command::Guardian => commands::guardian::run(&ui),
        Command::DemoServer => commands::demo_server::run(),
        Command::Other(words) => {
            let error = not_yet::command(&words);
            ui.error(&error);
            error.class
        }
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
