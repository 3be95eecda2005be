//! The run's trace, sent to the collector that the `OTEL_*` variables name, when they name one.

use std::collections::BTreeMap;

use mst_cli::{CliError, ExitClass, Signals, Ui, grouped, plural};
use mst_model::RunRecord;
use mst_otlp::{ExportSettings, TraceSender};
use mst_store::{RunLayout, RunReader};

use crate::telemetry::{Sent, send_run};

/// Sends the trace of a run that has ended. It takes no longer than the exporter's timeout, and whatever becomes of it is
/// told and nothing more: the run stands, and its trace can be sent at any time.
pub(super) fn step(run: RunLayout, record: &RunRecord, variables: &BTreeMap<String, String>, ui: &Ui) {
    // A replay reaches no network.
    if record.replayed.is_some() {
        return;
    }
    match ExportSettings::from_env(variables) {
        Ok(None) => {}
        Ok(Some(settings)) => send(run, settings, ui),
        Err(error) => ui.warn(&format!("no trace was sent: {error}")),
    }
}

fn send(run: RunLayout, settings: ExportSettings, ui: &Ui) {
    let (at, limit) = (settings.shown_endpoint(), settings.timeout());
    let work = async {
        let reader = RunReader::open(run).map_err(|error| error.to_string())?;
        let sender = TraceSender::new(settings).map_err(|error| error.to_string())?;
        let mut signals = Signals::new();
        tokio::select! {
            sent = send_run(&reader, &sender, Some(limit)) => sent.map_err(|error| error.to_string()),
            () = signals.next() => Err("interrupted".to_owned()),
        }
    };
    match on_a_thread(work) {
        Ok(Ok(sent)) => tell(&sent, &at, ui),
        Ok(Err(why)) => ui.warn(&format!("the trace was not sent to the collector at {at}: {why}")),
        Err(error) => ui.warn(&format!("the trace was not sent to the collector at {at}: {}", error.message)),
    }
}

/// Says what became of the spans.
fn tell(sent: &Sent, at: &str, ui: &Ui) {
    if let Some(error) = &sent.stopped {
        ui.warn(&format!(
            "the collector at {at}: {error}; {} had arrived, of {} of {}",
            spans(sent.taken),
            grouped(sent.trials as u64),
            plural(sent.all_trials, "trial")
        ));
        ui.hint("the run stands; `mst export otlp RUN --endpoint URL` sends its trace again");
    } else if sent.rejected > 0 {
        let words = sent.words.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
        let all = grouped(sent.taken + sent.rejected);
        ui.warn(&format!("the collector at {at} rejected {} of {all} spans{words}", grouped(sent.rejected)));
    } else {
        ui.status(&format!("Trace {}: {} sent to {at}.", sent.trace, spans(sent.taken)));
    }
}

fn spans(count: u64) -> String {
    format!("{} span{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Does some work on a runtime of its own, wherever it is called: a batch publishes inside of one.
fn on_a_thread<F>(work: F) -> Result<F::Output, CliError>
where
    F: Future + Send,
    F::Output: Send,
{
    let failed = |what: &str| CliError::new(ExitClass::Machine, what.to_owned());
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map(|runtime| runtime.block_on(work))
        });
        match thread.join() {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(_)) => Err(failed("no runtime")),
            Err(_) => Err(failed("internal error: the sending ended badly")),
        }
    })
}
