//! What the tests share: programs with a mark, and a look at the processes that carry it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use mst_process::{GuardianProgram, Launcher, OutPipe, Program};
use tokio::io::{AsyncBufReadExt as _, BufReader};

/// The variable that marks a test's programs and everything they start.
const TAG: &str = "MST_PROCESS_TEST";

/// Returns a launcher with a guardian.
pub(crate) fn guarded() -> Launcher {
    Launcher::guarded(GuardianProgram { path: guardian(), args: Vec::new() })
}

/// Finds the guardian beside the running test.
fn guardian() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let target = test.parent().and_then(Path::parent).expect("it lies in deps/");
    let found = target.join("examples/guardian");
    assert!(found.is_file(), "{} was not built: cargo build -p mst-process --examples", found.display());
    found
}

/// A shell script whose processes can be found again.
pub(crate) struct Script {
    pub(crate) program: Program,
    tag: String,
}

impl Script {
    pub(crate) fn new(script: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let tag = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let env = [("PATH", "/usr/bin:/bin"), (TAG, &tag)].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let args = vec!["-c".to_owned(), script.to_owned()];
        Self { program: Program { command: "sh".to_owned(), args, env: env.into(), ..Program::default() }, tag }
    }

    /// Returns the command lines of what is alive.
    pub(crate) fn alive(&self) -> Vec<String> {
        let mark = format!("{TAG}={}", self.tag);
        let processes = fs_err::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
        let marked = processes.filter(|process| {
            let environment = fs_err::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
        });
        let command = |process: PathBuf| fs_err::read(process.join("cmdline")).unwrap_or_default();
        marked.map(|process| String::from_utf8_lossy(&command(process)).replace('\0', " ")).collect()
    }

    /// Waits until so many processes with this command line are alive.
    #[track_caller]
    pub(crate) fn wait_until_alive(&self, command: &str, count: usize) {
        let end = Instant::now() + Duration::from_secs(10);
        while self.alive().iter().filter(|alive| *alive == command).count() != count {
            assert!(Instant::now() < end, "alive: {:?}", self.alive());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until nothing is alive.
    #[track_caller]
    pub(crate) fn assert_gone_within(&self, limit: Duration) {
        let end = Instant::now() + limit;
        while !self.alive().is_empty() {
            assert!(Instant::now() < end, "alive after {limit:?}: {:?}", self.alive());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Reads one line of a program.
pub(crate) async fn line(pipe: &mut OutPipe) -> String {
    let mut line = String::new();
    BufReader::new(pipe).read_line(&mut line).await.expect("a line");
    line.trim().to_owned()
}
