//! Drives the fakes as programs and in process.

mod fake_program;
mod provider_faults;
mod provider_forms;
