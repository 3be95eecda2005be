//! Programs that are started, ended, and left behind, with the guardian as a real process.
#![cfg(target_os = "linux")]

mod endings;
mod guardian;
mod support;
