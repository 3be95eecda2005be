//! Drives the real `mst` binary against fakes of everything around it.

mod background;
mod cases;
mod endings;
mod eval;
mod exit_codes;
mod interrupts;
mod options;
mod resuming;
mod run_dir;
mod schemas;
mod secrets;
mod servers;
mod tool_calls;
mod usage;
mod wire;
