//! `mst judges selftest`: judges on trials whose verdict is known.

mod screen;
mod subject;
mod trying;

use std::sync::Arc;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui, plural, printable, wait_for};
use mst_ext::JudgeFault;
use mst_judges::{ProbeTally, ProbeVerdict};
use mst_model::{Clock, Usage};

use self::subject::{Subject, subjects};
use self::trying::{Said, try_all};
use crate::args::SelftestArgs;
use crate::{builtins, variables};

/// What a judge made of the probes.
struct Tried {
    subject: Subject,
    said: Vec<Said>,
    tally: ProbeTally,
    usage: Option<Usage>,
}

/// Tries judges and prints what each catches and what moves it.
pub(super) fn run(args: &SelftestArgs, json: bool, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    variables::check_root_dir(&args.root_dir)?;
    let variables = variables::read(args.secrets_file.as_deref(), &args.root_dir, env)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let catalog = builtins::catalog(Arc::clone(&clock));
    let pool = Arc::new(builtins::pool(&variables, None, None));
    let registry = builtins::registry(pool, &variables, clock, None);
    let found = subjects(args, catalog, &registry)?;
    let (found, unsettled): (Vec<Subject>, _) = found.into_iter().partition(|subject| !subject.probes().is_empty());
    for subject in &unsettled {
        let name = printable(&subject.name);
        ui.status(&format!("{name} is not tried: which of the trials pass by its own words is not known."));
    }
    if found.is_empty() {
        return Err(CliError::new(ExitClass::Usage, "there is no judge to try"));
    }
    let tried = wait_for(|cancel| async move {
        let ready = ready(found, args, ui).await?;
        let trials: usize = ready.iter().map(|subject| subject.probes().len()).sum();
        ui.status(&format!("Asking {} about {} in all.", plural(ready.len(), "judge"), plural(trials, "trial")));
        Ok::<_, CliError>(try_all(ready, usize::from(args.concurrency), &cancel).await)
    })??;
    let tried: Vec<Tried> = tried.into_iter().map(|(subject, said)| Tried::new(subject, said)).collect();
    if json {
        ui.data(&screen::to_json(&tried));
    } else {
        screen::show(&tried, ui);
    }
    let is_whole = tried.iter().flat_map(|one| &one.said).all(|said| said.verdict != ProbeVerdict::Error);
    Ok(if is_whole { ExitClass::Success } else { ExitClass::Provider })
}

/// Returns the judges that could be asked. A built-in one that nobody named, and that has no key beside an eval config's
/// judges, is left out and said so.
///
/// # Errors
/// When any other judge could not be asked.
async fn ready(found: Vec<Subject>, args: &SelftestArgs, ui: &Ui) -> Result<Vec<Subject>, CliError> {
    let is_beside = args.judges.is_empty() && found.iter().any(|subject| subject.is_configured);
    let mut ready = Vec::with_capacity(found.len());
    for subject in found {
        match subject.question.preflight().await {
            Ok(()) => ready.push(subject),
            Err(JudgeFault::Credentials(why)) if is_beside && !subject.is_configured => {
                ui.status(&printable(&format!("{} is not tried: {why}", subject.name)));
            }
            Err(fault) => {
                let error = CliError::new(ExitClass::Provider, format!("judge {:?}: {fault}", subject.name));
                let is_key = matches!(fault, JudgeFault::Credentials(_));
                let hint =
                    "set it in the environment or in a file given with --secrets-file, or name another --provider";
                return Err(if is_key { error.with_hint(hint) } else { error });
            }
        }
    }
    Ok(ready)
}

impl Tried {
    fn new(subject: Subject, said: Vec<Said>) -> Self {
        let verdicts: Vec<_> = said.iter().map(|said| (said.probe.clone(), said.verdict)).collect();
        let tally = ProbeTally::of(&subject.judge, &subject.options, &verdicts);
        let mut usage = None::<Usage>;
        for one in said.iter().filter_map(|said| said.usage.as_ref()) {
            usage.get_or_insert_default().add(one);
        }
        Self { subject, said, tally, usage }
    }
}
