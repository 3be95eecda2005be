//! One run of a program, from its start to its end, with everything it started.

use std::io;
use std::time::Duration;

use mst_process::{InPipe, Launcher, OutPipe, Program, Started, Stream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use super::invocation::{Invocation, Printed, Trouble};

/// The most bytes that are kept of a stream.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Runs a program with a text on its stdin. When it takes too long, or the scan is stopped, it ends with its whole group.
pub(super) async fn run(
    launcher: &Launcher,
    command: &str,
    invocation: Invocation,
    input: &[u8],
    limit: Duration,
    cancel: &CancellationToken,
) -> Result<Printed, Trouble> {
    let program = Program {
        command: command.to_owned(),
        args: invocation.args,
        cwd: Some(invocation.cwd),
        env: invocation.env,
        stdin: Stream::Piped,
        stdout: Stream::Piped,
        stderr: Stream::Piped,
    };
    let started = launcher.start(&program).await.map_err(|error| not_started(&error))?;
    let Started { stdin, stdout, stderr, mut process } = started;
    let running = async {
        let ending = async {
            let status = process.exited().await;
            // What it left behind would keep the pipes open.
            process.over().await;
            status
        };
        let ((), stdout, stderr, status) = tokio::join!(write(stdin, input), read(stdout), read(stderr), ending);
        Printed { stdout, stderr, code: status.and_then(|status| status.code()) }
    };
    let outcome = tokio::select! {
        printed = running => Ok(printed),
        () = tokio::time::sleep(limit) => Err(Trouble::Lasting(format!("it gave no answer within {} s", limit.as_secs()))),
        () = cancel.cancelled() => Err(Trouble::Cancelled),
    };
    if outcome.is_err() {
        process.group().kill();
        process.over().await;
    }
    outcome
}

fn not_started(error: &io::Error) -> Trouble {
    Trouble::Lasting(match error.kind() {
        io::ErrorKind::NotFound => "it was not found on the PATH".to_owned(),
        _ => format!("it cannot be started: {error}"),
    })
}

/// Writes the prompt. A program that does not read it says on its own what is wrong.
async fn write(pipe: Option<InPipe>, input: &[u8]) {
    if let Some(mut pipe) = pipe
        && let Err(error) = pipe.write_all(input).await
    {
        tracing::debug!(%error, "a judge program did not read its prompt");
    }
}

async fn read(pipe: Option<OutPipe>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let kept = (&mut pipe).take(MOST_BYTES).read_to_end(&mut bytes).await;
        // The rest is read too, so that it does not wait for us.
        let rest = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
        if let Err(error) = kept.and(rest.map(|_| 0)) {
            tracing::debug!(%error, "what a judge program prints cannot be read");
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
