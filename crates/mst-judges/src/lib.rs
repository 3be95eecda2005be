//! The built-in judges and their prompts. They are reached through the registry alone, as a plugin's are.
//!
//! [`built_in`] and [`built_in_pairwise`] make them. Each answers for one rep: it shows a model the trial as data between marks (`evidence.rs`), asks
//! (`ask.rs`) and reads the answer (`reading.rs`). What the model is told stands in `prompts/`, one file a question; what
//! makes a verdict of several reps, members or criteria is none of their business. [`probes`] are trials whose verdict is
//! known, to test judges by, and a [`ProbeTally`] counts what one made of them.

mod ask;
mod asking;
mod built_in;
mod criteria;
mod evidence;
mod options;
mod preference;
mod probe;
mod probe_tally;
mod prompt;
mod question;
mod reading;
mod rubric;
mod settings;
mod tool_use;
mod transcript;

pub use built_in::{JudgeDeps, built_in, built_in_pairwise};
pub use probe::{Flaw, Injection, Probe, probes};
pub use probe_tally::{InjectionCount, ProbeCount, ProbeTally, ProbeVerdict};
