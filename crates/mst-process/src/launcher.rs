//! Starts programs, through a guardian where there is one.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::direct;
#[cfg(target_os = "linux")]
use crate::guarded::{Guardian, NotStarted};
use crate::process::Started;
use crate::program::Program;

/// How the guardian is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardianProgram {
    /// The program, which has to call [`guard`](crate::guard).
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// Starts programs. Clones share one guardian, which is started with the first program; the default has none.
#[derive(Clone, Default)]
pub struct Launcher {
    #[cfg(target_os = "linux")]
    keeper: Option<Arc<Keeper>>,
}

/// The guardian, once there is one.
#[cfg(target_os = "linux")]
struct Keeper {
    program: GuardianProgram,
    slot: tokio::sync::Mutex<Slot>,
}

#[cfg(target_os = "linux")]
enum Slot {
    Unused,
    Unavailable,
    Guards(Arc<Guardian>),
}

impl Launcher {
    /// Makes a launcher whose programs a guardian looks after, where the system allows it (Linux).
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "guardians are Linux's"))]
    pub fn guarded(program: GuardianProgram) -> Self {
        Self {
            #[cfg(target_os = "linux")]
            keeper: Some(Arc::new(Keeper { program, slot: tokio::sync::Mutex::new(Slot::Unused) })),
        }
    }

    /// Starts a program.
    ///
    /// When the guardian cannot be started, or is no more, the program is started directly: it is then ended by its group
    /// alone, and nothing waits for a guardian that does not answer.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub async fn start(&self, program: &Program) -> io::Result<Started> {
        #[cfg(target_os = "linux")]
        if let Some(guardian) = self.guardian().await {
            match guardian.start(program).await {
                Ok(started) => return Ok(started),
                Err(NotStarted::Program(error)) => return Err(error),
                Err(NotStarted::Lost) => {}
            }
        }
        direct::start(program)
    }

    /// Ends everything that was started through the guardian, and the guardian: two seconds at the most. A program that is
    /// started later has a new one.
    #[cfg_attr(not(target_os = "linux"), expect(clippy::unused_async, reason = "guardians are Linux's"))]
    pub async fn close(&self) {
        #[cfg(target_os = "linux")]
        if let Some(keeper) = &self.keeper {
            let slot = std::mem::replace(&mut *keeper.slot.lock().await, Slot::Unused);
            if let Slot::Guards(guardian) = slot {
                guardian.close().await;
            }
        }
    }

    #[cfg(target_os = "linux")]
    async fn guardian(&self) -> Option<Arc<Guardian>> {
        let keeper = self.keeper.as_ref()?;
        // Held while it starts, so that programs that start at once have one guardian.
        let mut slot = keeper.slot.lock().await;
        if matches!(*slot, Slot::Unused) {
            *slot = match Guardian::start_from(&keeper.program).await {
                Ok(guardian) => Slot::Guards(Arc::new(guardian)),
                Err(error) => {
                    tracing::warn!(%error, "no guardian: programs are ended by their group alone");
                    Slot::Unavailable
                }
            };
        }
        if let Slot::Guards(guardian) = &*slot { Some(Arc::clone(guardian)) } else { None }
    }
}

impl fmt::Debug for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Launcher");
        #[cfg(target_os = "linux")]
        shown.field("guardian", &self.keeper.as_ref().map(|keeper| &keeper.program));
        shown.finish()
    }
}
