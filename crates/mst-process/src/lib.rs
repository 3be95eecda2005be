//! The one place that starts programs: each as the leader of a process group of its own, so that it can be ended with what
//! it started.
//!
//! A group is not enough. A program's descendants may leave it, and a run that is killed ends nothing at all. On Linux a
//! [`Launcher`] therefore starts programs through a *guardian*: this binary run again ([`guard`]), in a session of its
//! own, which adopts every orphan among the descendants of what it started. It ends them with their program, and all
//! of them when the run is no more. Elsewhere, and in a library that names no guardian, programs are started directly
//! and ended by their group.

mod direct;
#[cfg(target_os = "linux")]
mod guarded;
#[cfg(target_os = "linux")]
mod guardian;
mod launcher;
#[cfg(target_os = "linux")]
mod lineage;
mod process;
mod program;
mod stay;
#[cfg(target_os = "linux")]
mod wire;

pub use launcher::{GuardianProgram, Launcher};
pub use process::{Group, InPipe, OutPipe, Process, Started};
pub use program::{Program, Stream};
pub use stay::start_to_stay;

#[cfg(target_os = "linux")]
pub use guardian::{GuardError, guard};
