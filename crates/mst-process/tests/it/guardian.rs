//! What the guardian is for: descendants that leave their group, and runs that end without ending anything.

use std::time::Duration;

use mst_process::{Launcher, Process};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Script, guarded, line};

/// Starts a sleeper that a second process leaves behind, in a session of its own, then says `up` and stays.
const RUNAWAY: &str = "trap '' TERM; sh -c 'setsid sleep 999 </dev/null >/dev/null 2>&1 &'; echo up; ";

async fn start(launcher: &Launcher, script: &Script) -> Process {
    let mut started = launcher.start(&script.program).await.expect("sh");
    assert_eq!(line(started.stdout.as_mut().expect("a pipe")).await, "up");
    started.process
}

/// Finds the guardian of a program: its parent.
fn parent(process: &Process) -> Pid {
    let id = process.id().expect("it runs");
    let stat = fs_err::read_to_string(format!("/proc/{id}/stat")).expect("it runs");
    let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
    parent.and_then(Pid::from_raw).expect("a parent")
}

#[tokio::test]
async fn a_program_takes_along_what_left_its_group_and_leaves_others_alone() {
    let launcher = guarded();
    for ending in ["exit 0", "while :; do sleep 1; done"] {
        let script = Script::new(&format!("{RUNAWAY}{ending}"));
        let other = Script::new("sh -c 'setsid sleep 999 >/dev/null 2>&1 &'; echo up; exec sleep 999");
        let _other = start(&launcher, &other).await;
        other.wait_until_alive("sleep 999 ", 2);
        let mut process = start(&launcher, &script).await;
        if ending != "exit 0" {
            script.wait_until_alive("sleep 999 ", 1);
            process.group().kill();
        }
        process.exited().await.expect("a status");
        process.over().await;
        script.assert_gone_within(Duration::ZERO);
        assert_eq!(other.alive(), ["sleep 999 ", "sleep 999 "], "others went along");
    }
}

#[tokio::test]
async fn the_end_of_the_run_is_the_end_of_everything() {
    let launcher = guarded();
    // Nothing tells whose the second sleeper is: it has no environment.
    let script = Script::new(&format!("{RUNAWAY}sh -c 'setsid env -i sleep 998.25 &'; while :; do sleep 1; done"));
    let mut process = start(&launcher, &script).await;
    let guardian = parent(&process);
    launcher.close().await;
    script.assert_gone_within(Duration::ZERO);
    assert!(kill_process(guardian, Signal::CONT).is_err(), "the guardian is left");
    assert!(!is_running("998.25"), "what had no environment is left");
    tokio::time::timeout(Duration::from_secs(10), process.exited()).await.expect("nothing hangs");
    // A launcher that goes on has a new guardian.
    let again = Script::new("echo up; exec sleep 999");
    let process = start(&launcher, &again).await;
    assert_ne!(parent(&process), guardian);
    launcher.close().await;
    again.assert_gone_within(Duration::ZERO);
}

fn is_running(argument: &str) -> bool {
    let processes = fs_err::read_dir("/proc").expect("/proc").flatten();
    let mut commands = processes.map(|entry| fs_err::read(entry.path().join("cmdline")).unwrap_or_default());
    commands.any(|command| command.split(|byte| *byte == 0).any(|part| part == argument.as_bytes()))
}

#[tokio::test]
async fn a_guardian_heeds_no_signal_that_can_be_refused_and_has_a_session_of_its_own() {
    let launcher = guarded();
    let script = Script::new("echo up; exec sleep 999");
    let process = start(&launcher, &script).await;
    let guardian = parent(&process);
    assert_eq!(rustix::process::getsid(Some(guardian)), Ok(guardian));
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        kill_process(guardian, signal).expect("it runs");
    }
    let later = start(&launcher, &script).await;
    // While a script becomes the sleeper it is neither for a moment.
    let end = std::time::Instant::now() + Duration::from_secs(10);
    while script.alive().len() < 2 && std::time::Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!((script.alive().len(), parent(&later)), (2, guardian));
    assert_eq!(fs_err::read(format!("/proc/{}/environ", guardian.as_raw_nonzero())).expect("its own"), b"");
    launcher.close().await;
}

#[tokio::test]
async fn without_its_guardian_a_run_goes_on() {
    let launcher = guarded();
    let script = Script::new("trap '' TERM; sleep 999 & echo up; wait");
    let mut process = start(&launcher, &script).await;
    kill_process(parent(&process), Signal::KILL).expect("it runs");
    // What ran goes on, and is ended by its group.
    assert!(tokio::time::timeout(Duration::from_millis(200), process.exited()).await.is_err());
    assert_eq!(script.alive().len(), 2);
    process.group().kill();
    tokio::time::timeout(Duration::from_secs(10), process.exited()).await.expect("nothing hangs");
    script.assert_gone_within(Duration::from_secs(10));
    // What is started from here on is started directly.
    let mut later = start(&launcher, &script).await;
    assert_eq!(parent(&later), rustix::process::getpid());
    later.group().kill();
    later.exited().await;
    later.over().await;
    script.assert_gone_within(Duration::ZERO);
    launcher.close().await;
}

#[tokio::test]
async fn a_guardian_that_cannot_be_started_is_done_without() {
    for path in ["/no/such/guardian", "/bin/true", "/bin/false"] {
        let launcher = Launcher::guarded(mst_process::GuardianProgram { path: path.into(), args: Vec::new() });
        let script = Script::new("echo up; exec sleep 999");
        let process = start(&launcher, &script).await;
        assert_eq!(parent(&process), rustix::process::getpid(), "{path}");
        launcher.close().await;
    }
}
