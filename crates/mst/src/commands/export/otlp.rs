//! A run's trace: as an OTLP/JSON file, or sent to a collector.

use mst_cli::{CliError, Env, ExitClass, Ui, grouped, printable};
use mst_otlp::{Batches, ExportSettings, RunTrace, TraceSender, traces_data};
use mst_store::{RunReader, StoreError};

use super::super::stored_run::store_error;
use super::sink::Sink;
use crate::execution::block_on;
use crate::telemetry::send_run;

/// Writes the trace, a batch of spans a line.
pub(super) fn write(reader: &RunReader, sink: &mut Sink<'_>) -> Result<(), StoreError> {
    let mut trace = RunTrace::new(reader.record().view());
    let mut batches = Batches::default();
    super::each(reader, sink, |sink, graded| {
        batches.add(trace.trial(graded)).into_iter().try_for_each(|batch| line(sink, batch))
    })?;
    batches.add(trace.finish()).into_iter().try_for_each(|batch| line(sink, batch))?;
    batches.rest().map_or(Ok(()), |batch| line(sink, batch))
}

fn line(sink: &mut Sink<'_>, batch: Vec<mst_otlp::Span>) -> Result<(), StoreError> {
    sink.json(&traces_data(batch))
}

/// Sends the trace to a collector. Here it is what was asked for, so that it failed is an error.
pub(super) fn send(reader: &RunReader, endpoint: &str, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    let failed = |message: String| CliError::new(ExitClass::Machine, message);
    let settings = ExportSettings::for_endpoint("--endpoint", endpoint, env.variables())
        .map_err(|error| CliError::new(ExitClass::Usage, error.to_string()))?;
    let at = settings.shown_endpoint();
    let sender = TraceSender::new(settings).map_err(|error| failed(error.to_string()))?;
    let sent = block_on(ui, |stop| async move {
        // Here nothing is saved that a second Ctrl-C could lose.
        stop.starting.run_until_cancelled(send_run(reader, &sender, None)).await
    })?;
    let Some(sent) = sent else { return Err(CliError::new(ExitClass::Interrupted, "interrupted")) };
    let sent = sent.map_err(|error| store_error(&error))?;
    if let Some(error) = &sent.stopped {
        let told = format!(
            "the collector at {at}: {error}; {} spans had arrived, of {} of {} trials",
            grouped(sent.taken),
            sent.trials,
            sent.all_trials
        );
        return Err(failed(printable(&told)));
    }
    if sent.rejected > 0 {
        let words = sent.words.map(|words| format!(": {words}")).unwrap_or_default();
        let told = format!("the collector at {at} rejected {} spans{words}", grouped(sent.rejected));
        return Err(failed(printable(&told)));
    }
    ui.status(&format!("{} spans arrived at {at}, as trace {}.", grouped(sent.taken), sent.trace));
    Ok(ExitClass::Success)
}
