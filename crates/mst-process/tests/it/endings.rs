//! How programs end, with a guardian and without.

use std::time::Duration;

use mst_process::{Launcher, Started, Stream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{Script, guarded, line};

#[tokio::test]
async fn a_program_has_its_pipes_its_folder_its_environment_and_a_status() {
    for launcher in [Launcher::default(), guarded()] {
        let mut script = Script::new("read -r word; echo \"$word $PWD $HOME\"; echo oops >&2; exit 7");
        script.program.cwd = Some("/".into());
        script.program.env.insert("HOME".to_owned(), "/nowhere".to_owned());
        let Started { stdin, stdout, stderr, mut process } = launcher.start(&script.program).await.expect("sh");
        stdin.expect("a pipe").write_all(b"hello\n").await.expect("it reads");
        let (mut out, mut err) = (String::new(), String::new());
        stdout.expect("a pipe").read_to_string(&mut out).await.expect("a text");
        stderr.expect("a pipe").read_to_string(&mut err).await.expect("a text");
        assert_eq!((out.as_str(), err.as_str()), ("hello / /nowhere\n", "oops\n"), "{launcher:?}");
        assert_eq!(process.exited().await.and_then(|status| status.code()), Some(7));
        process.over().await;
        launcher.close().await;
    }
}

#[tokio::test]
async fn a_stream_that_is_not_wanted_leads_nowhere() {
    for launcher in [Launcher::default(), guarded()] {
        let mut script = Script::new("cat; echo lost >&2; echo kept");
        (script.program.stdin, script.program.stderr) = (Stream::Null, Stream::Null);
        let mut started = launcher.start(&script.program).await.expect("sh");
        assert!(started.stdin.is_none() && started.stderr.is_none());
        assert_eq!(line(started.stdout.as_mut().expect("a pipe")).await, "kept");
        assert!(started.process.exited().await.is_some_and(|status| status.success()));
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_says_so_in_the_systems_words() {
    for launcher in [Launcher::default(), guarded()] {
        let mut script = Script::new("");
        "no-such-program-here".clone_into(&mut script.program.command);
        let error = launcher.start(&script.program).await.err().expect("there is none");
        assert_eq!(error.to_string(), "No such file or directory (os error 2)", "{launcher:?}");
        script.program.command = "sh\0".to_owned();
        assert!(launcher.start(&script.program).await.is_err());
    }
}

#[tokio::test]
async fn a_large_environment_reaches_a_program() {
    let mut script = Script::new("echo ${#BIG}; env | wc -l");
    script.program.env.insert("BIG".to_owned(), "x".repeat(100_000));
    let many = (0..2_000).map(|number| (format!("V{number}"), "y".repeat(200)));
    script.program.env.extend(many);
    let mut started = guarded().start(&script.program).await.expect("sh");
    assert_eq!(line(started.stdout.as_mut().expect("a pipe")).await, "100000");
    started.process.exited().await;
}

#[tokio::test]
async fn terminate_asks_and_kill_does_not() {
    for launcher in [Launcher::default(), guarded()] {
        let polite = Script::new("trap 'exit 5' TERM; echo up; while :; do sleep 0.01; done");
        let mut started = launcher.start(&polite.program).await.expect("sh");
        line(started.stdout.as_mut().expect("a pipe")).await;
        started.process.group().terminate();
        assert_eq!(started.process.exited().await.and_then(|status| status.code()), Some(5), "{launcher:?}");
        let stubborn = Script::new("trap '' TERM; echo up; while :; do sleep 0.01; done");
        let mut started = launcher.start(&stubborn.program).await.expect("sh");
        line(started.stdout.as_mut().expect("a pipe")).await;
        started.process.group().terminate();
        let waited = tokio::time::timeout(Duration::from_millis(100), started.process.exited()).await;
        assert!(waited.is_err(), "SIGTERM ended it");
        started.process.group().kill();
        started.process.exited().await;
        started.process.over().await;
        stubborn.assert_gone_within(Duration::ZERO);
    }
}

#[tokio::test]
async fn a_program_that_is_dropped_is_killed() {
    for launcher in [Launcher::default(), guarded()] {
        let script = Script::new("trap '' TERM HUP; sleep 999 & echo up; wait");
        let mut started = launcher.start(&script.program).await.expect("sh");
        line(started.stdout.as_mut().expect("a pipe")).await;
        drop(started);
        // The request is on its way once the runtime turns.
        tokio::time::sleep(Duration::from_millis(20)).await;
        script.assert_gone_within(Duration::from_secs(10));
    }
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing() {
    let launcher = guarded();
    let script = Script::new("exec sleep 999");
    for wait in [0, 1, 2, 5] {
        drop(tokio::time::timeout(Duration::from_millis(wait), launcher.start(&script.program)).await);
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    script.assert_gone_within(Duration::from_secs(10));
}
