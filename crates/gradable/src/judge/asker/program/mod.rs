//! Programs that drive a model, run headless: without tools, without the user's settings, one question a run.
//!
//! Each run has a folder of its own for everything that the program keeps, and a process group that ends with it. The prompt
//! goes to its stdin, so that no limit on arguments matters. What it prints is read by the module named after it.

mod claude;
mod codex;
mod home;
mod invocation;
mod opencode;
mod run;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use clap::ValueEnum;
use mst_model::{Exchange, Scrubber, Tape, TapeAnswer, TapeKind, TapePlayer, TapeRequest, TapeScope};
use mst_process::Launcher;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::home::Home;
use self::invocation::{Heard, Invocation, Printed, Trouble};
use super::{AskFault, Asker, Question, Reply};

/// How often a program is run for one question when what went wrong may pass.
const ATTEMPTS: u32 = 2;
/// How long a program has to tell its version.
const VERSION_LIMIT: Duration = Duration::from_mins(1);

/// A program that can judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeProgram {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// opencode
    #[value(name = "opencode")]
    OpenCode,
}

impl JudgeProgram {
    /// Returns the program's name, which is also what is started.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
        }
    }

    fn invocation(
        self,
        model: Option<&str>,
        home: &Home,
        env: &BTreeMap<String, String>,
    ) -> Result<Invocation, String> {
        match self {
            Self::Claude => Ok(claude::invocation(model, home, env)),
            Self::Codex => Ok(codex::invocation(model, home, env)),
            Self::OpenCode => opencode::invocation(model, home, env),
        }
    }

    fn read(self, printed: &Printed, home: &Home) -> Result<Heard, Trouble> {
        match self {
            Self::Claude => claude::read(printed),
            Self::Codex => codex::read(printed, &home.read_files("cfg/sessions", "jsonl")),
            Self::OpenCode => opencode::read(printed),
        }
    }
}

/// Asks a program.
pub(crate) struct ProgramAsker {
    setup: ProgramSetup,
    version: OnceCell<String>,
}

/// What it takes to run a program.
pub(crate) struct ProgramSetup {
    /// Which.
    pub(crate) program: JudgeProgram,
    /// The model it is told to use; its own choice when absent.
    pub(crate) model: Option<String>,
    /// The environment, of which it gets what it needs to reach its provider.
    pub(crate) env: Arc<BTreeMap<String, String>>,
    /// Starts it.
    pub(crate) launcher: Launcher,
    /// Takes secrets out of what it says.
    pub(crate) scrubber: Scrubber,
    /// How long one run may take.
    pub(crate) limit: Duration,
    /// What stands before it.
    pub(crate) tape: Option<Tape>,
}

impl ProgramAsker {
    /// Makes an asker; nothing is started yet.
    pub(crate) fn new(setup: ProgramSetup) -> Self {
        Self { setup, version: OnceCell::new() }
    }

    async fn version(&self, cancel: &CancellationToken) -> Result<&str, AskFault> {
        let version = self.version.get_or_try_init(|| self.ask_version(cancel)).await;
        version.map(String::as_str)
    }

    async fn ask_version(&self, cancel: &CancellationToken) -> Result<String, AskFault> {
        let ProgramSetup { program, env, launcher, .. } = &self.setup;
        let name = program.as_str();
        let home = Home::make().map_err(|error| AskFault::Failed(format!("no folder for {name}: {error}")))?;
        let mut invocation = Invocation::new(&home, env);
        invocation.args = vec!["--version".to_owned()];
        let printed = run::run(launcher, name, invocation, b"", VERSION_LIMIT, cancel).await;
        let printed = printed.map_err(|trouble| self.fault(trouble))?;
        let words = printed.stdout.split_whitespace();
        let mut versions = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'));
        let version = versions.next().map(str::to_owned);
        version.ok_or_else(|| AskFault::Failed(format!("`{name} --version` told no version{}", tail(&printed.stderr))))
    }

    async fn run(&self, question: &Question, cancel: &CancellationToken) -> Result<Reply, AskFault> {
        let version = self.version(cancel).await?.to_owned();
        let prompt = question.whole();
        let mut attempt = 1;
        let heard = loop {
            match self.attempt(&prompt, cancel).await {
                Ok(heard) => break heard,
                Err(Trouble::Passing(reason)) if attempt < ATTEMPTS => {
                    tracing::debug!(program = self.cli(), reason, "run once more");
                    attempt += 1;
                }
                Err(trouble) => return Err(self.fault(trouble)),
            }
        };
        let Heard { text, models, is_cut_off } = heard;
        // A program that does not say which model answered leaves it unknown: what it was told to use proves nothing.
        let model = if models.is_empty() { "unknown".to_owned() } else { models.join(" + ") };
        Ok(Reply { text: self.setup.scrubber.text(&text), model, version, tokens: None, is_cut_off })
    }

    async fn attempt(&self, prompt: &str, cancel: &CancellationToken) -> Result<Heard, Trouble> {
        let ProgramSetup { program, model, env, launcher, limit, .. } = &self.setup;
        let home = Home::make().map_err(|error| Trouble::Lasting(format!("no folder for it: {error}")))?;
        let invocation = program.invocation(model.as_deref(), &home, env).map_err(Trouble::Lasting)?;
        let printed = run::run(launcher, program.as_str(), invocation, prompt.as_bytes(), *limit, cancel).await?;
        let heard = program.read(&printed, &home);
        let heard = match heard {
            Ok(heard) if heard.text.trim().is_empty() && !heard.is_cut_off => {
                Err(Trouble::Passing("it printed no answer".to_owned()))
            }
            heard => heard,
        };
        let with_tail = |reason: String| format!("{reason}{}", tail(&printed.stderr));
        heard.map_err(|trouble| match trouble {
            Trouble::Passing(reason) => Trouble::Passing(with_tail(reason)),
            Trouble::Lasting(reason) => Trouble::Lasting(with_tail(reason)),
            trouble => trouble,
        })
    }

    fn fault(&self, trouble: Trouble) -> AskFault {
        let say = |reason: String| self.setup.scrubber.text(&format!("{}: {reason}", self.cli()));
        match trouble {
            Trouble::Auth(reason) => AskFault::Auth(say(reason)),
            Trouble::TooLong(reason) => AskFault::TooLong(say(reason)),
            Trouble::Passing(reason) | Trouble::Lasting(reason) => AskFault::Failed(say(reason)),
            Trouble::Cancelled => AskFault::Cancelled,
        }
    }

    /// Returns a question as a tape knows it: what the program is asked, and not how it asks its provider.
    fn taped(&self, question: &Question) -> TapeRequest {
        let mut request = json!({ "call": "program", "program": self.cli(), "prompt": question.whole() });
        if let Some(model) = &self.setup.model {
            request["model"] = Value::String(model.clone());
        }
        TapeRequest { kind: TapeKind::Llm, scope: TapeScope::stage(question.stage, &question.item), request }
    }

    fn replayed(&self, player: &dyn TapePlayer, question: &Question) -> Result<Reply, AskFault> {
        let played = player.play(self.taped(question)).map_err(|miss| AskFault::Failed(miss.to_string()))?;
        let unreadable = |error| AskFault::Failed(format!("the tape has an answer that is none: {error}"));
        match played.answer {
            TapeAnswer::Reply(reply) => serde_json::from_value(reply).map_err(unreadable),
            TapeAnswer::Failure(fault) => Err(serde_json::from_value(fault).unwrap_or_else(unreadable)),
            TapeAnswer::GivenUp(_) => {
                Err(AskFault::Failed("the tape has no answer: the recording was stopped".to_owned()))
            }
        }
    }
}

#[async_trait]
impl Asker for ProgramAsker {
    fn cli(&self) -> String {
        self.setup.program.as_str().to_owned()
    }

    fn asked_model(&self) -> Option<&str> {
        self.setup.model.as_deref()
    }

    async fn ready(&self, cancel: &CancellationToken) -> Result<(), AskFault> {
        if self.setup.tape.as_ref().is_some_and(Tape::is_replay) {
            return Ok(());
        }
        self.version(cancel).await.map(|_| ())
    }

    async fn ask(&self, question: &Question, cancel: &CancellationToken) -> Result<Reply, AskFault> {
        match &self.setup.tape {
            None => self.run(question, cancel).await,
            Some(Tape::Replay(player)) => self.replayed(player.as_ref(), question),
            Some(Tape::Record(recorder)) => {
                let begun = Instant::now();
                let reply = self.run(question, cancel).await;
                let took_ms = begun.elapsed().as_millis() as u64;
                let answer = match &reply {
                    Ok(reply) => TapeAnswer::Reply(json!(reply)),
                    Err(AskFault::Cancelled) => TapeAnswer::GivenUp(took_ms),
                    Err(fault) => TapeAnswer::Failure(json!(fault)),
                };
                recorder.record(Exchange { request: self.taped(question), server: Vec::new(), answer, took_ms });
                reply
            }
        }
    }
}

/// Returns the end of what a program wrote to stderr, in one line.
fn tail(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(3)..].join(" | ");
    let skip = last.chars().count().saturating_sub(400);
    if last.is_empty() { last } else { format!("; stderr: {}", last.chars().skip(skip).collect::<String>()) }
}
