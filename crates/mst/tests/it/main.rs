//! Drives the real `mst` binary against fakes of everything around it.

mod background;
mod batch;
mod cases;
mod clients;
mod disk;
mod edits;
mod endings;
mod eval;
mod exit_codes;
mod interrupts;
mod lifetimes;
mod options;
mod outputs;
mod readiness;
mod real_servers;
mod resuming;
mod run_dir;
mod run_files;
mod schemas;
mod secrets;
mod servers;
mod shared_checkers;
mod tool_calls;
mod tools;
mod usage;
mod wire;
