//! What the binaries share at the terminal: [`Ui`], diagnostics, exit classes, the environment, progress, numbers.
//!
//! This is the one door to the terminal, the environment, the clock and random bytes; every other crate takes them as
//! values. stdout is data, stderr is talk.

mod clock;
mod diagnostic;
mod env;
mod error;
mod exit;
mod given_server;
mod logging;
mod numbers;
mod printable;
mod progress;
mod signals;
mod suggest;
mod table;
mod ui;
mod waiting;

pub use clock::{SystemClock, random_seed};
pub use diagnostic::render;
pub use env::{Env, EnvVar, VARIABLES};
pub use error::CliError;
pub use exit::ExitClass;
pub use given_server::{GivenServer, Target, http_url, shown_url, usage};
pub use logging::start_logging;
pub use numbers::{duration, grouped, money, percent, plural};
pub use printable::{printable, printable_json};
pub use progress::{Progress, TrialDone};
pub use signals::Signals;
pub use suggest::nearest;
pub use table::table;
pub use ui::{Look, Ui};
pub use waiting::wait_for;
