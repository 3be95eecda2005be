//! The flags that say who judges.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mst_cli::{CliError, ExitClass, nearest};
use mst_llm::{LlmConnector, LlmSettings};
use mst_model::{Clock, Provider, Scrubber, Tape};
use mst_process::Launcher;

use super::Judge;
use super::asker::{ApiAsker, Asker, JudgeProgram, ProgramAsker, ProgramSetup, SavedAnswers};
use super::prompted::{JudgeLimits, PromptedJudge};

/// The context that is reckoned with when none is given, in tokens.
const CONTEXT: u32 = 128_000;
/// What is kept free of it for the answer, in tokens, on a big context; half of a small one.
const FOR_ANSWER: u32 = 32_000;
/// Bytes of a prompt for a token: JSON takes more tokens than prose, so fewer than the four of an estimate.
const BYTES_PER_TOKEN: u32 = 3;

/// Flags that say who judges; without any of them it is the offline judge.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct JudgeArgs {
    /// The judge: `offline` (rules and a lexical selector, the default) or a model behind an API
    #[arg(long, value_name = "offline|api:PROVIDER/MODEL", conflicts_with = "judge_cli")]
    pub(crate) judge: Option<String>,
    /// Judge with a program that drives a model, headless and without tools
    #[arg(long, value_name = "PROGRAM", value_enum)]
    pub(crate) judge_cli: Option<JudgeProgram>,
    /// The model that the program of --judge-cli is told to use
    #[arg(long, value_name = "MODEL")]
    pub(crate) judge_model: Option<String>,
    /// The endpoint of --judge api:…, in place of its provider's
    #[arg(long, value_name = "URL")]
    pub(crate) judge_base_url: Option<String>,
    /// The variable that holds the key for --judge api:…
    #[arg(long, value_name = "NAME")]
    pub(crate) judge_key_env: Option<String>,
    /// The judge's context in tokens: what is longer is asked in parts [default: 128000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) judge_context: Option<NonZeroU32>,
    /// Seconds that the program of --judge-cli has for an answer [default: 300]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) judge_timeout: Option<NonZeroU32>,
    /// Questions to the judge at a time [default: 4]
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<NonZeroUsize>,
}

/// What a judge works with.
pub(crate) struct JudgeDeps<'a> {
    /// The environment with the secrets file over it.
    pub(crate) env: Arc<BTreeMap<String, String>>,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Starts programs.
    pub(crate) launcher: Launcher,
    /// Takes known secrets out of what the judge says.
    pub(crate) scrubber: Scrubber,
    /// What stands between the judge and the outside.
    pub(crate) tape: Option<Tape>,
    /// The folder of the scan.
    pub(crate) out: &'a Path,
}

/// Whom the flags mean.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meant {
    Offline,
    Api { provider: Provider, model: String },
    Program(JudgeProgram),
}

impl JudgeArgs {
    /// Checks the flags, without reaching anything.
    ///
    /// # Errors
    /// When they contradict each other, or name no judge.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        let meant = self.meant()?;
        let goes_with = |is_set: bool, flag: &str, takes: &str| {
            if is_set { Err(usage(format!("{flag} goes with {takes}"))) } else { Ok(()) }
        };
        if !matches!(meant, Meant::Program(_)) {
            if self.judge_model.is_some() && matches!(meant, Meant::Api { .. }) {
                let message =
                    "--judge-model goes with --judge-cli; the model of an API stands in --judge api:PROVIDER/MODEL";
                return Err(usage(message.to_owned()));
            }
            goes_with(self.judge_model.is_some(), "--judge-model", "--judge-cli")?;
            goes_with(self.judge_timeout.is_some(), "--judge-timeout", "--judge-cli")?;
        }
        if !matches!(meant, Meant::Api { .. }) {
            goes_with(self.judge_base_url.is_some(), "--judge-base-url", "--judge api:PROVIDER/MODEL")?;
            goes_with(self.judge_key_env.is_some(), "--judge-key-env", "--judge api:PROVIDER/MODEL")?;
        }
        if matches!(meant, Meant::Api { provider: Provider::OpenAiCompatible, .. }) && self.judge_base_url.is_none() {
            return Err(usage("--judge api:openai-compatible/… needs --judge-base-url".to_owned()));
        }
        if meant == Meant::Offline {
            let takes = "a judge that is a model (--judge api:PROVIDER/MODEL or --judge-cli)";
            goes_with(self.judge_context.is_some(), "--judge-context", takes)?;
            goes_with(self.concurrency.is_some(), "--concurrency", takes)?;
        }
        Ok(())
    }

    /// Returns the variables that hold the judge's credentials by the user's word.
    pub(crate) fn key_variable(&self) -> Option<&str> {
        self.judge_key_env.as_deref()
    }

    /// Makes the judge that the flags mean; `None` is the offline one. Nothing is reached yet.
    ///
    /// # Errors
    /// When the flags are wrong, or answers of an earlier scan cannot be read.
    pub(crate) fn open(&self, deps: JudgeDeps<'_>) -> Result<Option<Arc<dyn Judge>>, CliError> {
        self.check()?;
        let saved = if deps.tape.is_none() {
            let machine = |error| CliError::new(ExitClass::Machine, format!("answers of an earlier scan: {error}"));
            Some(SavedAnswers::open(deps.out).map_err(machine)?)
        } else {
            // A recording has to hold every answer, and a replay takes them from the tape alone.
            None
        };
        let asker: Arc<dyn Asker> = match self.meant()? {
            Meant::Offline => return Ok(None),
            Meant::Api { provider, model } => {
                let connector = LlmConnector::new(&deps.env, deps.clock).with_tape(deps.tape);
                let mut settings = LlmSettings::new(provider, model, deps.env);
                settings.base_url.clone_from(&self.judge_base_url);
                settings.api_key_env_var.clone_from(&self.judge_key_env);
                Arc::new(ApiAsker::new(connector, settings, deps.scrubber))
            }
            Meant::Program(program) => Arc::new(ProgramAsker::new(ProgramSetup {
                program,
                model: self.judge_model.clone(),
                env: deps.env,
                launcher: deps.launcher,
                scrubber: deps.scrubber,
                limit: Duration::from_secs(self.judge_timeout.map_or(300, NonZeroU32::get).into()),
                tape: deps.tape,
            })),
        };
        Ok(Some(Arc::new(PromptedJudge::new(asker, self.limits(), saved))))
    }

    fn limits(&self) -> JudgeLimits {
        let context = self.judge_context.map_or(CONTEXT, NonZeroU32::get);
        let room = context - FOR_ANSWER.min(context / 2);
        JudgeLimits {
            concurrency: self.concurrency.unwrap_or(NonZeroUsize::new(4).expect("four is not zero")),
            room: room as usize * BYTES_PER_TOKEN as usize,
        }
    }

    fn meant(&self) -> Result<Meant, CliError> {
        if let Some(program) = self.judge_cli {
            return Ok(Meant::Program(program));
        }
        let Some(judge) = self.judge.as_deref() else { return Ok(Meant::Offline) };
        if judge == "offline" {
            return Ok(Meant::Offline);
        }
        let Some(named) = judge.strip_prefix("api:") else {
            let message = format!("--judge {judge:?} is no judge: it takes `offline` or `api:PROVIDER/MODEL`");
            let error = usage(message);
            let program = <JudgeProgram as clap::ValueEnum>::from_str(judge, true).ok();
            return Err(match program {
                Some(program) => error.with_hint(format!("--judge-cli {} drives the program", program.as_str())),
                None if judge.split_once('/').is_some_and(|(name, _)| name.parse::<Provider>().is_ok()) => {
                    error.with_hint(format!("did you mean api:{judge}?"))
                }
                None => error,
            });
        };
        let Some((provider, model)) = named.split_once('/').filter(|(_, model)| !model.trim().is_empty()) else {
            return Err(usage(format!("--judge {judge:?} names no model: it is written api:PROVIDER/MODEL")));
        };
        let known = provider.parse::<Provider>().map_err(|_| {
            let names: Vec<&str> = Provider::ALL.iter().map(|provider| provider.as_str()).collect();
            let error = usage(format!("--judge: {provider:?} is no provider; known are {}", names.join(", ")));
            match nearest(provider, names.iter().copied()) {
                Some(name) => error.with_hint(format!("did you mean api:{name}/{model}?")),
                None => error,
            }
        })?;
        if known == Provider::Offline {
            return Err(usage(
                "the offline model cannot answer a judge's questions; the offline judge is --judge offline".to_owned(),
            ));
        }
        Ok(Meant::Api { provider: known, model: model.to_owned() })
    }
}

fn usage(message: String) -> CliError {
    CliError::new(ExitClass::Usage, message)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        judge: JudgeArgs,
    }

    fn said(words: &[&str]) -> String {
        let line = Line::try_parse_from(["x"].iter().chain(words)).map_err(|error| error.kind().to_string());
        match line.map(|line| (line.judge.check(), line.judge.meant())) {
            Err(kind) => format!("clap: {kind}"),
            Ok((Err(error), _)) => {
                assert_eq!(error.class, ExitClass::Usage);
                error.hints.first().map_or(error.message.clone(), |hint| format!("{}; {hint}", error.message))
            }
            Ok((Ok(()), meant)) => format!("{:?}", meant.expect("checked flags mean a judge")),
        }
    }

    #[test]
    fn flags_mean_one_judge_or_are_refused_by_name() {
        for (words, want) in [
            (&[][..], "Offline"),
            (&["--judge", "offline"], "Offline"),
            (
                &["--judge", "api:openrouter/deepseek/deepseek-v4"],
                r#"Api { provider: OpenRouter, model: "deepseek/deepseek-v4" }"#,
            ),
            (&["--judge-cli", "opencode", "--judge-model", "x/y"], "Program(OpenCode)"),
            (&["--judge-model", "x"], "--judge-model goes with --judge-cli"),
            (&["--judge", "offline", "--judge-model", "x"], "--judge-model goes with --judge-cli"),
            (
                &["--judge", "api:anthropic/claude-x", "--judge-model", "x"],
                "--judge-model goes with --judge-cli; the model of an API stands in --judge api:PROVIDER/MODEL",
            ),
            (
                &["--judge", "anthropic/claude-x"],
                "--judge \"anthropic/claude-x\" is no judge: it takes `offline` or `api:PROVIDER/MODEL`; did you mean api:anthropic/claude-x?",
            ),
            (&["--judge", "api:openai-compatible/x"], "--judge api:openai-compatible/… needs --judge-base-url"),
            (
                &["--judge", "claude"],
                "--judge \"claude\" is no judge: it takes `offline` or `api:PROVIDER/MODEL`; --judge-cli claude drives the program",
            ),
            (
                &["--judge", "api:anthropic"],
                "--judge \"api:anthropic\" names no model: it is written api:PROVIDER/MODEL",
            ),
            (
                &["--judge", "api:anthropic/"],
                "--judge \"api:anthropic/\" names no model: it is written api:PROVIDER/MODEL",
            ),
            (
                &["--judge", "api:offline/lexical-1"],
                "the offline model cannot answer a judge's questions; the offline judge is --judge offline",
            ),
            (
                &["--concurrency", "2"],
                "--concurrency goes with a judge that is a model (--judge api:PROVIDER/MODEL or --judge-cli)",
            ),
            (
                &["--judge-cli", "claude", "--judge-key-env", "K"],
                "--judge-key-env goes with --judge api:PROVIDER/MODEL",
            ),
            (&["--judge-cli", "cursor"], "clap: one of the values isn't valid for an argument"),
            (
                &["--judge-cli", "claude", "--judge", "offline"],
                "clap: an argument cannot be used with one or more of the other specified arguments",
            ),
        ] {
            assert_eq!(said(words), want, "{words:?}");
        }
        assert!(said(&["--judge", "api:antropic/x"]).ends_with("did you mean api:anthropic/x?"));
    }
}
