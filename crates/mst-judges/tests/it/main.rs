//! The built-in judges against a fake provider in its wire forms, over loopback connections.

mod bench;
mod faults;
mod hostile;
mod options;
mod preference;
mod prompts;
mod tape;
mod verdicts;
