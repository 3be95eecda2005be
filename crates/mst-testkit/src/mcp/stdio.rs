//! The stdio transport: lines of JSON on stdin and stdout.

use std::io::{self, BufRead as _, Write as _};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::action::Action;
use super::log::MessageLog;
use super::mode::Mode;
use super::server::{McpOptions, McpServer};

/// Serves one client on stdin and stdout until stdin closes, and returns the exit status.
pub fn serve_stdio(options: McpOptions) -> io::Result<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(serve(options));
    // The thread that reads stdin may still wait for a line.
    runtime.shutdown_background();
    outcome
}

async fn serve(options: McpOptions) -> io::Result<u8> {
    let log = Arc::new(MessageLog::new(options.log.clone()));
    let mode = options.mode;
    log.note("start", &json!(mode.name()))?;
    let _ignored_signal = match mode {
        Mode::NeverAnswers => Some(become_unstoppable(&["sleep", "999"])?),
        Mode::Runaway => Some(become_unstoppable(&["sh", "-c", "setsid sleep 999 >/dev/null 2>&1 &"])?),
        _ => None,
    };
    let mut server = McpServer::new(options);
    if let Some(status) = run(server.begin(), &log).await? {
        return Ok(status);
    }
    let mut lines = read_lines();
    let mut slow: JoinSet<io::Result<Option<u8>>> = JoinSet::new();
    loop {
        tokio::select! {
            line = lines.recv() => {
                let Some(line) = line else { break };
                let Ok(message) = serde_json::from_str::<Value>(&line) else {
                    log.note("unreadable", &json!(line))?;
                    run(vec![Action::error(&Value::Null, -32700, "Parse error", None)], &log).await?;
                    continue;
                };
                log.note("in", &message)?;
                let actions = server.handle(&message);
                if actions.iter().any(|action| matches!(action, Action::Wait(_))) {
                    let log = Arc::clone(&log);
                    slow.spawn(async move { run(actions, &log).await });
                } else if let Some(status) = run(actions, &log).await? {
                    return Ok(status);
                }
            }
            Some(ended) = slow.join_next() => {
                if let Ok(Some(status)) = ended.unwrap_or(Ok(None)) {
                    return Ok(status);
                }
            }
        }
    }
    log.note("eof", &json!(true))?;
    if mode.stays_after_eof() {
        std::future::pending::<()>().await;
    }
    Ok(0)
}

/// Takes steps in order; returns the exit status when one ends the process.
async fn run(actions: Vec<Action>, log: &MessageLog) -> io::Result<Option<u8>> {
    for action in actions {
        match action {
            Action::Send(message) => {
                log.note("out", &message)?;
                write(&format!("{message}\n"))?;
            }
            Action::SendText { text, .. } => {
                log.note("out_text", &json!(text))?;
                write(&format!("{text}\n"))?;
            }
            Action::Raw(text) => {
                log.note("raw", &json!(text))?;
                write(&text)?;
            }
            Action::Stderr(line) => writeln!(io::stderr(), "{line}")?,
            Action::Wait(time) => tokio::time::sleep(time).await,
            Action::Exit(status) => {
                log.note("exit", &json!(status))?;
                return Ok(Some(status));
            }
        }
    }
    Ok(None)
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Reads stdin on a thread of its own; the channel closes at its end.
fn read_lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut bytes = Vec::new();
            match stdin.read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    let line = String::from_utf8_lossy(&bytes).trim().to_owned();
                    if !line.is_empty() && sender.send(line).is_err() {
                        break;
                    }
                }
            }
        }
    });
    receiver
}

/// Ignores SIGTERM from now on and starts a child, with this process's pipes.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this fake starts a process that its client has to end")]
fn become_unstoppable(child: &[&str]) -> io::Result<tokio::signal::unix::Signal> {
    // Once a signal has a listener it no longer ends the process.
    let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    std::process::Command::new(child[0]).args(&child[1..]).stdin(std::process::Stdio::null()).spawn()?;
    Ok(signal)
}

#[cfg(not(unix))]
fn become_unstoppable(_: &[&str]) -> io::Result<()> {
    Ok(())
}
