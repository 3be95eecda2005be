//! Asking questions whose answer is a word, one or many.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt as _;
use mst_ext::{JudgeContext, JudgeFault};

use crate::ask::{Answer, Asked, Models};
use crate::prompt::Prompt;
use crate::reading::{self, Said, Unread};
use crate::settings::Settings;

/// How many questions about a trial are under way at once.
const AT_ONCE: usize = 4;

/// Asks a question, and reads its answer; an unreadable one is asked for once more, unless `maxTokens` cut it off, as it
/// would again.
pub(crate) async fn ask_for<T>(
    read: fn(&Answer) -> Result<T, Unread>,
    models: &Models,
    prompt: &Prompt,
    settings: &Settings,
    context: &JudgeContext,
) -> Result<(T, Asked), JudgeFault> {
    let mut asked = Asked::default();
    let mut is_second = false;
    loop {
        let answer = match models.ask(prompt, settings, context).await {
            Ok(answer) => answer,
            Err(fault) => return Err(asked.blame(fault)),
        };
        let read = read(&answer);
        asked.add(answer.asked);
        match read {
            Ok(said) => return Ok((said, asked)),
            Err(Unread::NoVerdict(_)) if !is_second => is_second = true,
            Err(unread) => return Err(asked.blame(unreadable(&unread, settings, is_second))),
        }
    }
}

/// Asks a yes-or-no question.
pub(crate) async fn ask(
    models: &Models,
    prompt: &Prompt,
    settings: &Settings,
    context: &JudgeContext,
) -> Result<(Said, Asked), JudgeFault> {
    ask_for(reading::said, models, prompt, settings, context).await
}

/// Asks several questions, and returns the answers in the questions' order.
///
/// Without one of the answers there is no verdict: no question is begun after a fault, but those under way are waited for,
/// since they are paid for.
pub(crate) async fn ask_all(
    models: &Models,
    prompts: &[Prompt],
    settings: &Settings,
    context: &JudgeContext,
) -> Result<(Vec<Said>, Asked), JudgeFault> {
    let has_failed = AtomicBool::new(false);
    let asking: Vec<_> = prompts
        .iter()
        .map(|prompt| async {
            if has_failed.load(Ordering::Relaxed) {
                return None;
            }
            let answer = ask(models, prompt, settings, context).await;
            has_failed.fetch_or(answer.is_err(), Ordering::Relaxed);
            Some(answer)
        })
        .collect();
    let mut answers = futures::stream::iter(asking).buffered(AT_ONCE);
    let (mut asked, mut said, mut fault) = (Asked::default(), Vec::new(), None);
    while let Some(answer) = answers.next().await {
        match answer {
            Some(Ok((answer, took))) => {
                said.push(answer);
                asked.add(took);
            }
            Some(Err(JudgeFault::Unusable { why, usage })) => {
                asked.add(Asked::paid(*usage));
                fault.get_or_insert(JudgeFault::Failed(why));
            }
            Some(Err(other)) => {
                fault.get_or_insert(other);
            }
            None => {}
        }
    }
    match fault {
        Some(fault) => Err(asked.blame(fault)),
        None => Ok((said, asked)),
    }
}

/// Returns why an answer gives no verdict.
pub(crate) fn unreadable(unread: &Unread, settings: &Settings, is_second: bool) -> JudgeFault {
    let model = &settings.model;
    JudgeFault::Failed(match unread {
        Unread::CutOff => format!("the answer of {model} was cut off at maxTokens ({})", settings.max_tokens),
        Unread::NoVerdict(why) if is_second => {
            format!("the answer of {model} is no verdict, also when asked again: {why}")
        }
        Unread::NoVerdict(why) => format!("the answer of {model} is no verdict: {why}"),
    })
}
