//! `gradable scan`: a server's declared tools, judged and graded.

mod told;

use std::sync::Arc;

use mst_cli::{CliError, Env, ExitClass, SystemClock, Ui, usage, wait_for};
use mst_measure::rubric::shown_total;
use mst_model::{Clock, FAILED_SCAN_FORMAT, FailedScan, JudgeBlock, ScanReport, Tape};
use mst_process::Launcher;
use tokio_util::sync::CancellationToken;

use self::told::told;
use crate::args::ScanArgs;
use crate::ingest::Target;
use crate::judge::offline::OfflineJudge;
use crate::judge::{ANSWERS_FILE, Judge, JudgeDeps, StageFault};
use crate::launcher;
use crate::output::Output;
use crate::report_file;
use crate::responses::{Responses, response_sizes};
use crate::scan::{self, ScanRequest};
use crate::surface::Surface;
use crate::tape::TapeDeck;

/// Scans a server.
pub(crate) fn run(args: &ScanArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(class) => class,
        Err(error) => {
            if args.json {
                ui.data(&error.to_json());
            }
            ui.error(&error);
            error.class
        }
    }
}

/// What answers of a scan that did not come to its end are for.
const KEPT: &str = "what the judge has answered is kept: the same command asks only what is missing";

/// How a scan ended.
enum Ended {
    Report {
        report: Box<ScanReport>,
        surface: Box<Surface>,
    },
    Failed {
        failed: Box<FailedScan>,
        class: ExitClass,
        hints: Vec<String>,
    },
    /// A mistake in the flags that only the surface shows. Nothing is written.
    Refused(CliError),
}

/// The command as a list of stages: find out what is meant, read the surface, judge it, write.
fn stages(args: &ScanArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    let Ready { target, output, judge, deck, launcher, responses } = ready(args, ui, env)?;
    // Rules are quick; a model's stages take minutes, and are told in a log too.
    let is_slow = judge.is_slow();
    let tell = |what: &str| {
        if is_slow || ui.is_interactive() {
            ui.status(what);
        }
    };
    let (judging, tape) = (judge.as_ref(), deck.tape());
    let ended = wait_for(|cancel| async move {
        let ended = judged(&target, judging, Beside { tape, responses }, &SystemClock, &tell, &cancel).await;
        launcher.close().await;
        ended
    });
    // What was recorded until an interruption is kept too.
    let taped = deck.finish(ui);
    let is_kept = || output.folder().join(ANSWERS_FILE).exists();
    let ended = ended.map_err(|error| if is_kept() { error.with_hint(KEPT) } else { error })?;
    taped?;
    match ended {
        Ended::Report { report, surface } => {
            output.write_report(&report, &surface)?;
            if let Some(file) = &args.sarif {
                report_file::write_sarif(&report, &output.report(), file)?;
            }
            judge.done().map_err(|error| CliError::new(ExitClass::Machine, error.to_string()))?;
            if args.json {
                ui.data(&report);
            } else {
                ui.text(&told(&report, &output));
            }
            let Some(least) = args.fail_under.filter(|least| least.refuses(&report.score)) else {
                return Ok(ExitClass::Success);
            };
            let total = shown_total(report.score.total, report.score.grade);
            ui.status(&format!("{total}, grade {}, is lower than --fail-under {least}.", report.score.grade.as_str()));
            Ok(ExitClass::Failed)
        }
        Ended::Refused(error) => Err(error),
        Ended::Failed { class: ExitClass::Interrupted, .. } => {
            Err(CliError::new(ExitClass::Interrupted, "interrupted"))
        }
        Ended::Failed { failed, class, hints } => {
            let written = output.write_failure(&failed)?;
            if args.json {
                ui.data(&failed);
            }
            let message = format!("not scanned ({}): {}", failed.stage, failed.reason);
            let error = hints.into_iter().fold(CliError::new(class, message), CliError::with_hint);
            ui.error(&error);
            ui.status(&format!("No score was given. Why stands in {}.", written.display()));
            if is_kept() {
                ui.status(&format!("{KEPT}."));
            }
            Ok(class)
        }
    }
}

/// What a scan needs, checked before anything is started or spent.
struct Ready {
    target: Target,
    output: Output,
    judge: Arc<dyn Judge>,
    deck: TapeDeck,
    launcher: Launcher,
    responses: Option<Responses>,
}

fn ready(args: &ScanArgs, ui: &Ui, env: &Env) -> Result<Ready, CliError> {
    args.judge.check()?;
    let target = Target::resolve(&args.target, args.name.as_deref(), env)?;
    let output = Output::prepare(args.out.as_deref(), target.folder_name(), &target.known(), args.force)?;
    let responses = args.responses.as_deref().map(|run| response_sizes(run, args.responses_server.as_deref()));
    let responses = responses.transpose()?;
    let clock = SystemClock;
    let variables = Arc::new(args.target.given.environment(env)?);
    let key = args.judge.key_variable().and_then(|name| variables.get(name));
    let secrets = target.secrets(&variables).with(key.map(String::as_str));
    let deck = match (&args.record, &args.replay) {
        (Some(path), _) => TapeDeck::record(path, secrets.clone(), clock.now())?,
        (None, Some(path)) => TapeDeck::replay(path, ui)?,
        (None, None) => TapeDeck::Empty,
    };
    let launcher = launcher::guarded();
    let model = args.judge.open(JudgeDeps {
        env: variables,
        clock: Arc::new(clock),
        launcher: launcher.clone(),
        scrubber: secrets,
        tape: deck.tape(),
        out: output.folder(),
    })?;
    if model.is_none() && deck.serves_a_model() {
        let error =
            CliError::new(ExitClass::Usage, "--replay: the tape holds what a model answered, and the judge is offline");
        return Err(error.with_hint("give --judge or --judge-cli and the server as when it was recorded"));
    }
    let judge = model.unwrap_or_else(|| Arc::new(OfflineJudge::new()));
    Ok(Ready { target, output, judge, deck, launcher, responses })
}

/// What a scan is given beside its server and its judge.
struct Beside {
    tape: Option<Tape>,
    responses: Option<Responses>,
}

/// Reads the surface and judges it.
async fn judged(
    target: &Target,
    judge: &dyn Judge,
    beside: Beside,
    clock: &dyn Clock,
    tell: &(dyn Fn(&str) + Sync),
    cancel: &CancellationToken,
) -> Ended {
    let scanned_at = clock.now();
    let failed = |target, stage: &str, reason, judge: Option<JudgeBlock>| {
        let format = FAILED_SCAN_FORMAT.to_owned();
        Box::new(FailedScan { format, target, stage: stage.to_owned(), reason, failed_at: clock.now(), judge })
    };
    if let Err(fault) = judge.ready(cancel).await {
        let failed = failed(target.known(), fault.stage.as_str(), fault.reason.clone(), None);
        return Ended::Failed { failed, class: class_of(&fault), hints: Vec::new() };
    }
    tell("listing the tools");
    let surface = match target.read(beside.tape, cancel).await {
        Ok(surface) => surface,
        Err(fault) => {
            let failed = failed(*fault.target, "ingest", fault.reason, None);
            return Ended::Failed { failed, class: fault.class, hints: fault.hints };
        }
    };
    let responses = match beside.responses.map(|responses| responses.of(&surface)).transpose() {
        Ok(sizes) => sizes,
        Err(reason) => return Ended::Refused(usage(reason)),
    };
    match scan::scan(&ScanRequest { surface: &surface, judge, responses, scanned_at, tell }, cancel).await {
        Ok(report) => Ended::Report { report: Box::new(report), surface: Box::new(surface) },
        Err(_) if cancel.is_cancelled() => {
            let failed = failed(scan::target(&surface).into(), "ingest", "interrupted".to_owned(), None);
            Ended::Failed { failed, class: ExitClass::Interrupted, hints: Vec::new() }
        }
        Err(ended) => {
            let class = class_of(&ended.fault);
            let stage = ended.fault.stage.as_str();
            let failed =
                failed(scan::target(&surface).into(), stage, ended.fault.reason, ended.judge.map(|block| *block));
            Ended::Failed { failed, class, hints: Vec::new() }
        }
    }
}

fn class_of(fault: &StageFault) -> ExitClass {
    if fault.is_auth { ExitClass::Authentication } else { ExitClass::Provider }
}
